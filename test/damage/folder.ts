import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pino } from 'pino'
import { spaceFolder } from '../../src/actions/repositories/space-repository.ts'
import { readConfig } from '../../src/config.ts'
import { start } from '../../src/server.ts'
import { type Run, stemmaHere } from '../cli/stemma.ts'
import { type Actor, actor, startApp } from '../support/app.ts'
import { gitOutside } from '../support/git/repo.ts'

/** What a stopped server left: two spaces, one of which is to be damaged, and a backup of both. */
export type Original = {
  /** The parent folder, which `remove` deletes. */
  folder: string
  backup: string
  /** The space to be damaged, and the other one. */
  hurt: string
  whole: string
  admin: { id: string; token: string }
  /**
   * Copies the data folder, to damage it: with loose objects and refs, with packs, or with rows in
   * SQLite's log.
   */
  copy: (state?: 'loose' | 'packed' | 'log') => string
  remove: () => void
}

export const insertPage = (title: string, markdown = `# ${title}\n\nWords of ${title}.\n`) => ({
  changes: [{ operation: 'insert_page', title, document: { markdown } }],
})

const withoutLock = (path: string): boolean =>
  !/^(?:lock\.(?:db|txt)|stemma\.db-lock)$/.test(basename(path))

export async function makeOriginal(): Promise<Original> {
  const folder = mkdtempSync(join(tmpdir(), 'stemma-damage-'))
  const app = await startApp()
  const { admin, dataDir } = app
  const keep = (state: string) =>
    cpSync(dataDir, join(folder, state), { recursive: true, filter: withoutLock })
  const newSpace = async (title: string): Promise<string> => {
    const { id } = (await admin.post('/v1/orgs/acme/spaces', { title })).body
    for (const page of ['Alpha', 'Beta'])
      await admin.post(`/v1/spaces/${id}/content`, insertPage(page))
    return id
  }
  const [hurt, whole] = [await newSpace('Hurt'), await newSpace('Whole')]
  const requests = `/v1/spaces/${hurt}/change-requests`

  for (const [number, page] of [
    [1, 'Gamma'],
    [2, 'Delta'],
  ] as const) {
    await admin.post(requests, { subject: page })
    await admin.post(`${requests}/${number}/content`, insertPage(page))
  }

  await admin.post(`${requests}/2/merge`)

  // Before any command closes the database, which would checkpoint the log.
  keep('log')
  const backup = join(folder, 'backup.tar')
  const made = await stemmaHere(['backup', backup], { STEMMA_DATA: dataDir })
  if (made.code !== 0) throw new Error(made.stderr)
  app.ctx.store.checkpoint()
  keep('loose')
  await stemmaHere(['gc', '--full'], { STEMMA_DATA: dataDir })
  keep('packed')
  await app.stop()
  let copies = 0

  return {
    folder,
    backup,
    hurt,
    whole,
    admin,
    copy: (state = 'loose') => {
      const made = join(folder, `copy-${++copies}`)
      cpSync(join(folder, state), made, { recursive: true })
      return made
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A server on a data folder, as its admin uses it. */
export type Served = Pick<Actor, 'get' | 'post'> & {
  url: string
  log: () => string
  stop: () => Promise<void>
}

export async function serve({ admin }: Original, dataDir: string): Promise<Served> {
  const lines: string[] = []
  const log = pino({ level: 'warn', base: null }, { write: line => void lines.push(line) })
  const config = readConfig({
    STEMMA_DATA: dataDir,
    PORT: '0',
    NODE_ENV: 'test',
    STEMMA_ALLOW_PRIVATE_REMOTES: 'true',
  })
  const server = await start(config, log)
  const { get, post } = actor(server.url, admin.id, admin.token)

  return { get, post, url: server.url, log: () => lines.join(''), stop: server.stop }
}

/** Runs a command on a data folder. */
export const stemma = (dataDir: string, ...args: string[]): Promise<Run> =>
  stemmaHere(args, { STEMMA_DATA: dataDir })

export const repositoryOf = spaceFolder

/** The file of a loose object of a repository; `name` is any revision that git understands. */
export function objectFile(dir: string, name: string): string {
  const oid = gitOutside(dir, ['rev-parse', name])
  return join(dir, 'objects', oid.slice(0, 2), oid.slice(2))
}

/** The file of the only pack of a repository. */
export const packFile = (dir: string, end: 'pack' | 'idx'): string =>
  join(
    dir,
    'objects/pack',
    readdirSync(join(dir, 'objects/pack')).find(name => name.endsWith(`.${end}`)) ?? '',
  )

/** Replaces a file, even a read-only one. */
export function overwrite(file: string, bytes: string | Uint8Array): void {
  rmSync(file, { force: true })
  writeFileSync(file, bytes)
}

/** Flips `many` bytes of a file at an offset, which counts from the end if negative. */
export function flip(file: string, at: number, many = 1): void {
  chmodSync(file, 0o600)
  const bytes = readFileSync(file)
  const from = at < 0 ? bytes.length + at : at
  for (let i = from; i < from + many && i < bytes.length; i++)
    bytes.writeUInt8(bytes.readUInt8(i) ^ 0xff, i)
  writeFileSync(file, bytes)
}
