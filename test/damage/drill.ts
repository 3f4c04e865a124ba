import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { pino } from 'pino'
import { spaceFolder } from '../../src/actions/repositories/space-repository.ts'
import { readArchive } from '../../src/actions/upkeep/archive.ts'
import { readConfig } from '../../src/config.ts'
import { start } from '../../src/server.ts'
import type { ChangeRequestRow, IntentRow } from '../../src/store/tables/rows.ts'
import { type Run, startStemma, stemmaHere } from '../cli/stemma.ts'
import { actor } from '../support/app.ts'
import { serveGit } from '../support/git/git-server.ts'
import { gitOutside } from '../support/git/repo.ts'
import { openWriters, type Write, type Writers } from './writers.ts'

const token = `stm_${'b'.repeat(40)}`

/** A server in its own process, with writers at work on it. */
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

  // The server must not outlive this process.
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

/**
 * The result of a drill: the numbers of writes and of those in the copy, and what is wrong with the
 * copy.
 */
export type Drill = { writes: number; held: number; wrong: string[] }

type Command = (args: readonly string[], env: Record<string, string>) => Promise<Run>

/**
 * Backs up the data folder while writers work on it, restores it into an empty folder, and checks
 * that the copy is one moment of the original: it holds every write acknowledged before the backup
 * began, a write in it implies all writes acknowledged before that one was sent, and it serves and
 * accepts writes.
 */
export async function playDrill(
  site: Site,
  name: string,
  run: Command = stemmaHere,
): Promise<Drill> {
  const file = join(site.folder, `${name}.tar`)
  const target = join(site.folder, name)
  const wrong: string[] = []
  const begun = performance.now()
  const made = await run(['backup', file], { STEMMA_DATA: site.dataDir })
  const ended = performance.now()
  if (made.code !== 0) return { writes: 0, held: 0, wrong: [`the backup failed: ${made.stderr}`] }

  const restored = await run(['restore', file, '--verify'], { STEMMA_DATA: target })

  if (restored.code !== 0) wrong.push(`the restore failed: ${restored.stdout}${restored.stderr}`)
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

/** Checks the marks in a copy. Returns what is wrong. */
function judge(
  writes: readonly Write[],
  held: Set<string>,
  begun: number,
  ended: number,
): string[] {
  const present = writes.filter(({ mark }) => held.has(mark))
  const latest = Math.max(begun, ...present.map(({ sent }) => sent))
  const known = new Set(writes.map(({ mark }) => mark))

  return [
    ...writes
      .filter(({ mark, acked }) => acked !== undefined && acked < latest && !held.has(mark))
      .map(({ mark }) => `${mark} was acknowledged before the moment of the copy, but is missing`),
    ...present
      .filter(({ sent }) => sent > ended)
      .map(({ mark }) => `${mark} is in the copy, but was sent after the backup`),
    ...[...held].filter(mark => !known.has(mark)).map(mark => `${mark} was never written`),
  ]
}

/** The queue of the search index is rebuilt at the start. */
const isOfSearch = (table: string, row: string): boolean =>
  table === 'job' && (JSON.parse(row) as { kind: string }).kind === 'index-search'

/**
 * Compares the rows of a restored folder with those of the backup, except for spaces with an
 * unfinished operation.
 */
async function compareRows(file: string, target: string, unpacked: string): Promise<string[]> {
  await readArchive(file, unpacked, { isWanted: name => name === 'stemma.db' })
  const [before, after] = [join(unpacked, 'stemma.db'), join(target, 'stemma.db')].map(dump) as [
    Rows,
    Rows,
  ]

  rmSync(unpacked, { recursive: true })
  const busy = underWay(before)
  const settled = (row: string) => !busy.some(id => row.includes(id))
  const wrong: string[] = []

  for (const [table, rows] of before) {
    const held = new Set(after.get(table)?.filter(settled))
    const had = new Set(rows.filter(settled))
    for (const row of had) if (!held.has(row)) wrong.push(`${table} lacks ${row}`)
    for (const row of held)
      if (!had.has(row) && !isOfSearch(table, row))
        wrong.push(`${table} has ${row}, which is not in the backup`)
  }

  return wrong
}

/** Rows as JSON, by table. */
type Rows = Map<string, string[]>

const of = <Row>(rows: Rows, table: string): Row[] =>
  (rows.get(table) ?? []).map(row => JSON.parse(row) as Row)

/** The ids of spaces with an entry in the journal, and of their change requests. */
function underWay(rows: Rows): string[] {
  const operations = of<IntentRow>(rows, 'operation')
  const spaces = operations.map(row => row.space_id)
  const requests = of<ChangeRequestRow>(rows, 'change_request').filter(row =>
    spaces.includes(row.space_id),
  )
  return [...spaces, ...requests.map(row => row.id)]
}

/**
 * The newest commits of a space's primary content according to git, newest first. Nothing was
 * exported.
 */
const lineOf = (dataDir: string, spaceId: string): string[] =>
  gitOutside(spaceFolder(dataDir, spaceId), [
    'rev-list',
    '--first-parent',
    '-n',
    '100',
    'HEAD',
  ]).split('\n')

/** All rows of a database. */
function dump(file: string): Rows {
  const database = new Database(file)
  try {
    const tables = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .pluck()
      .all() as string[]
    return new Map(
      tables.map(name => [
        name,
        database
          .prepare(`SELECT * FROM "${name}"`)
          .all()
          .map(row => JSON.stringify(row)),
      ]),
    )
  } finally {
    database.close()
  }
}

/** Serves a restored folder. Returns its marks, and what is wrong with it. */
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

      // The backup has no index of revisions.
      const { items } = (await read(`${path}/revisions?limit=100`)) as { items: { id: string }[] }
      if (items.map(({ id }) => id).join() !== lineOf(dataDir, space.id).join())
        wrong.push(`the revisions of ${space.id} do not match its branch`)

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
