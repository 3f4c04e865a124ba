import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { Caches } from './caches.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { GitProcesses } from './git/process/processes.ts'
import { destroyWait, steadyClock } from './lib/clock.ts'
import { readLastSeen } from './lib/last-seen.ts'
import { localLocks } from './lib/locks.ts'
import { NameResolver } from './net/resolver.ts'
import { checkSharedKey, finishRotation, readKeys, sealForPurposes } from './secret.ts'
import { latestEventTime } from './store/events/audit-events.ts'
import { note } from './store/note.ts'
import { TokenUses } from './store/people/token-uses.ts'
import { SiteEvents } from './store/sites/site-events.ts'
import { Store } from './store/store.ts'

/** The fields that are removed from log lines, at any depth. */
const redact = [
  'req.headers.authorization',
  'authorization',
  'token',
  'secret',
  'url',
  '*.authorization',
  '*.token',
]

/** Returns the file with the last time at which a server with a trusted clock used the folder. */
export const lastSeenFile = ({ dataDir }: Pick<Config, 'dataDir'>): string =>
  join(dataDir, 'seen.txt')

/** Creates a logger of JSON lines. */
export const makeLogger = (level: string): Logger =>
  pino({
    level,
    base: null,
    redact: { paths: redact, censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
  })

/**
 * Makes a data folder and its direct entries unreadable to other users: earlier versions created
 * files with mode 644. Deeper files cannot be reached through these folders.
 */
function tighten(dataDir: string): void {
  chmodSync(dataDir, 0o700)
  for (const entry of readdirSync(dataDir, { withFileTypes: true })) {
    const path = join(dataDir, entry.name)
    if (!entry.isFile() && !entry.isDirectory()) continue
    const wanted = entry.isFile() ? 0o600 : 0o700
    const found = statSync(path, { throwIfNoEntry: false })
    if (found && (found.mode & 0o077) !== 0) chmodIfOurs(path, wanted)
  }
}

/** Entries of other users, such as lost+found, are left unchanged. */
function chmodIfOurs(path: string, mode: number): void {
  try {
    chmodSync(path, mode)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EPERM' && code !== 'ENOENT') throw error
  }
}

/**
 * Opens a data folder, creating it if necessary, as a context. `wake` is called when a job may be
 * due; with `check`, both databases are checked first, and a derived.db that cannot be used is
 * replaced. A server must hold the folder's lock before it calls this. Throws the errors of
 * `openDatabase`.
 */
export function openContext(
  config: Config,
  log: Logger,
  live: { publicUrl?: () => string; wake?: () => void; check?: boolean } = {},
): Context & { close: () => void } {
  mkdirSync(config.dataDir, { recursive: true })
  // Applies to files created by git too.
  process.umask(0o077)
  tighten(config.dataDir)
  const store = new Store(join(config.dataDir, 'stemma.db'), {
    check: live.check ?? false,
    postgres: config.database,
  })
  if (live.check) finishRotation(config.dataDir, store)

  const keys = readKeys(config.dataDir, config.keys)

  try {
    checkSharedKey(keys, store)
  } catch (error) {
    store.close()
    throw error
  }
  sealForPurposes(keys, store)
  const processes = new GitProcesses({ syncsLater: store.isShared })
  const tokenUses = new TokenUses(store)
  const siteEvents = new SiteEvents(store)
  const names = new NameResolver({ servers: config.nameServers })

  return {
    config,
    store,
    processes,
    locks: localLocks(),
    caches: new Caches(config.cacheBytes),
    keys,
    tokenUses,
    siteEvents,
    names,
    log,
    now: steadyClock(() => store.time),
    destroyWait: destroyWait(readLastSeen(lastSeenFile(config)) ?? latestEventTime(store)),
    publicUrl: live.publicUrl ?? (() => config.publicUrl ?? `http://${config.host}:${config.port}`),
    wake: live.wake ?? (() => {}),
    close: () => {
      names.close()
      processes.close()
      note(() => tokenUses.write())
      note(() => siteEvents.write('all'))
      // On a full disk the log stays, and is read at the next start.
      note(() => store.checkpoint())
      store.close()
    },
  }
}
