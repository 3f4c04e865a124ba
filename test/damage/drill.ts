import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { pino } from 'pino'
import { readArchive } from '../../src/actions/archive.ts'
import { readConfig } from '../../src/config.ts'
import { start } from '../../src/server.ts'
import { type Run, startStemma, stemmaHere } from '../cli/stemma.ts'
import { actor } from '../support/app.ts'
import { serveGit } from '../support/git-server.ts'
import { gitOutside } from '../support/repo.ts'
import { openWriters, type Write, type Writers } from './writers.ts'

const token = `stm_${'b'.repeat(40)}`

/** A server in a process of its own, with writers at work on it. */
export type Site = {
  folder: string
  dataDir: string
  writers: Writers
  close: () => Promise<void>
}

export async function openSite(): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'stemma-drill-'))
  const dataDir = join(folder, 'data')
  const remote = join(folder, 'remotes', 'import.git')
  mkdirSync(remote, { recursive: true })
  gitOutside(remote, ['init', '-q', '--bare', '-b', 'main'])
  const host = await serveGit({ folder: join(folder, 'remotes') })
  const program = startStemma(['serve'], {
    STEMMA_DATA: dataDir,
    PORT: '0',
    STEMMA_ADMIN_TOKEN: token,
    STEMMA_ALLOW_PRIVATE_REMOTES: 'true',
    STEMMA_LOG: 'error',
  })
  // It does not outlive us.
  process.once('exit', () => program.kill('SIGKILL'))
  const [, url = ''] = await program.says(/listens on (http:\S+?),/)
  const writers = await openWriters(actor(url, 'admin', token), {
    dir: remote,
    url: `${host.origin}/import.git`,
  })
  return {
    folder,
    dataDir,
    writers,
    close: async () => {
      await writers.stop()
      program.kill('SIGTERM')
      await program.ended
      await host.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What a drill saw: how many writes the copy holds, and what is wrong with it. */
export type Drill = { writes: number; held: number; wrong: string[] }

type Command = (args: readonly string[], env: Record<string, string>) => Promise<Run>

/**
 * Backs up the data folder while writers work on it, restores it into an empty folder, and looks whether the copy is one
 * moment of the original: everything that was acknowledged before the backup began is there, nothing is there without all
 * that was acknowledged before it was asked for, and the copy serves and takes writes.
 */
export async function playDrill(site: Site, name: string, run: Command = stemmaHere): Promise<Drill> {
  const file = join(site.folder, `${name}.tar`)
  const target = join(site.folder, name)
  const wrong: string[] = []
  const begun = performance.now()
  const made = await run(['backup', file], { STEMMA_DATA: site.dataDir })
  const ended = performance.now()
  if (made.code !== 0) return { writes: 0, held: 0, wrong: [`the backup ended with ${made.stderr}`] }
  const restored = await run(['restore', file, '--verify'], { STEMMA_DATA: target })
  if (restored.code !== 0) wrong.push(`the restore ended with ${restored.stdout}${restored.stderr}`)
  else {
    wrong.push(...(await compareRows(file, target, join(site.folder, `${name}-unpacked`))))
    const held = await lookAt(target)
    const { writes } = site.writers
    wrong.push(...held.wrong, ...judge(writes, held.marks, begun, ended))
    rmSync(target, { recursive: true })
    rmSync(file)
    return { writes: writes.length, held: held.marks.size, wrong }
  }
  return { writes: 0, held: 0, wrong }
}

/** What the marks that a copy holds say against it. */
function judge(writes: readonly Write[], held: Set<string>, begun: number, ended: number): string[] {
  const present = writes.filter(({ mark }) => held.has(mark))
  const latest = Math.max(begun, ...present.map(({ sent }) => sent))
  const known = new Set(writes.map(({ mark }) => mark))
  return [
    ...writes
      .filter(({ mark, acked }) => acked !== undefined && acked < latest && !held.has(mark))
      .map(({ mark }) => `${mark} was acknowledged before the moment of the copy, and is not there`),
    ...present
      .filter(({ sent }) => sent > ended)
      .map(({ mark }) => `${mark} is there, and was sent after the backup`),
    ...[...held].filter(mark => !known.has(mark)).map(mark => `${mark} was never written`),
  ]
}

/** Where the rows of a restored folder differ from those of the backup, when nothing was under way that had to be finished. */
async function compareRows(file: string, target: string, unpacked: string): Promise<string[]> {
  await readArchive(file, unpacked, name => name === 'stemma.db')
  const [before, after] = [join(unpacked, 'stemma.db'), join(target, 'stemma.db')].map(dump)
  rmSync(unpacked, { recursive: true })
  if (before?.get('operation') !== '[]') return []
  return [...before].flatMap(([table, rows]) =>
    after?.get(table) === rows ? [] : [`the rows of ${table} are not those of the backup`],
  )
}

/** All rows of a database, by table. */
function dump(file: string): Map<string, string> {
  const database = new Database(file)
  try {
    const tables = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .pluck()
      .all() as string[]
    return new Map(
      tables
        // What is derived from Git follows it a little later, and is compared with it by the look at the whole.
        .filter(name => !/^(?:blob_|revision)/.test(name))
        .map(name => [name, JSON.stringify(database.prepare(`SELECT * FROM "${name}"`).raw().all())]),
    )
  } finally {
    database.close()
  }
}

/** Serves a restored folder: the marks that it holds, and what it does wrong. */
async function lookAt(dataDir: string): Promise<{ marks: Set<string>; wrong: string[] }> {
  const config = readConfig({ STEMMA_DATA: dataDir, PORT: '0', NODE_ENV: 'test' })
  const server = await start(config, pino({ level: 'silent' }))
  const { get, post } = actor(server.url, 'admin', token)
  const [marks, wrong] = [new Set<string>(), [] as string[]]
  const read = async (path: string) => {
    const { status, text, body } = await get(path)
    if (status !== 200) wrong.push(`${path} answers ${status}`)
    for (const [mark] of text.matchAll(/mark\d+z/g)) marks.add(mark)
    return body
  }
  try {
    for (const space of (await read('/v1/orgs/default/spaces?limit=1000')).items) {
      const path = `/v1/spaces/${space.id}`
      await read(`${path}/content/pages`)
      const requests = `${path}/change-requests`
      for (const { id } of (await read(`${requests}?limit=1000&status=merged`)).items)
        marks.add(`merged ${id}`)
      for (const { id } of (await read(`${requests}?limit=1000&status=open`)).items)
        await read(`${requests}/${id}/content/pages`)
      const changes = [{ operation: 'insert_page', title: 'After', document: {} }]
      const { status } = await post(`${path}/content`, { changes })
      if (status !== 200) wrong.push(`a write to ${path} is answered ${status}`)
    }
  } finally {
    await server.stop()
  }
  return { marks, wrong }
}
