import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Logger, pino } from 'pino'
import type { Config } from './config.ts'
import type { PageFacts } from './content/page.ts'
import type { RevisionView } from './content/view.ts'
import type { Context } from './context.ts'
import { GitProcesses } from './git/processes.ts'
import { BoundedCache } from './lib/bounded-cache.ts'
import { steadyClock } from './lib/clock.ts'
import { keysFrom } from './lib/keys.ts'
import { Locks } from './lib/locks.ts'
import { NameResolver } from './net/resolver.ts'
import { note } from './store/note.ts'
import { Store } from './store/store.ts'

/** How many bytes of read revisions are kept, by estimate. */
const viewBytes = 64 * 1024 * 1024

/** How many bytes of facts of pages are kept, by estimate. */
const factBytes = 24 * 1024 * 1024

/** What is logged never holds these, wherever they stand. */
const redact = [
  'req.headers.authorization',
  'authorization',
  'token',
  'secret',
  'url',
  '*.authorization',
  '*.token',
]

/** A logger of JSON lines. */
export const makeLogger = (level: string): Logger =>
  pino({
    level,
    base: null,
    redact: { paths: redact, censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
  })

/** The 32 bytes that signatures and sealed texts of this data folder come from; made at the first start, readable by its owner alone. */
function readSecret(dataDir: string): Buffer {
  const file = join(dataDir, 'key')
  if (!existsSync(file)) {
    const fd = openSync(`${file}.new`, 'w', 0o600)
    writeSync(fd, randomBytes(32))
    fsyncSync(fd)
    closeSync(fd)
    renameSync(`${file}.new`, file)
    syncFolder(dataDir)
    syncParent(dataDir)
  }
  const secret = readFileSync(file)
  if (secret.length !== 32) throw new Error(`${file} does not hold a key of 32 bytes.`)
  return secret
}

/** Makes the names in a folder survive a power cut. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** The data folder may be as new as what is in it. Where we may not look into the one above, we have not made it there. */
function syncParent(dataDir: string): void {
  try {
    syncFolder(dirname(resolve(dataDir)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
  }
}

/**
 * Opens a data folder (made when it is not there) as a context. `wake` is called when there may be a job due; with `check`
 * the whole database is looked at first. Whoever opens it as a server holds the folder's lock first.
 */
export function openContext(
  config: Config,
  log: Logger,
  live: { publicUrl?: () => string; wake?: () => void; check?: boolean } = {},
): Context & { close: () => void } {
  mkdirSync(config.dataDir, { recursive: true })
  chmodSync(config.dataDir, 0o700)
  const store = new Store(join(config.dataDir, 'stemma.db'), { check: live.check ?? false })
  const processes = new GitProcesses()
  const names = new NameResolver({ servers: config.nameServers })
  return {
    config,
    store,
    processes,
    locks: new Locks(),
    views: new BoundedCache<string, RevisionView>(viewBytes),
    facts: new BoundedCache<string, PageFacts>(factBytes),
    keys: keysFrom(readSecret(config.dataDir)),
    names,
    log,
    now: steadyClock(),
    publicUrl: live.publicUrl ?? (() => config.publicUrl ?? `http://${config.host}:${config.port}`),
    wake: live.wake ?? (() => {}),
    close: () => {
      names.close()
      processes.close()
      // On a disk that is full the log stays, and is read at the next start.
      note(() => store.checkpoint())
      store.close()
    },
  }
}
