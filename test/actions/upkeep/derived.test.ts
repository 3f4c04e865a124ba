import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { sql } from 'kysely'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { removeDerivedOrphans } from '../../../src/actions/made-files/remove-derived.ts'
import { keepDerived } from '../../../src/actions/made-files/spec-rows.ts'
import { createToken } from '../../../src/actions/people/create-token.ts'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { verify } from '../../../src/actions/upkeep/verify.ts'
import { readConfig } from '../../../src/config.ts'
import type { Context } from '../../../src/context.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { type RunningServer, start } from '../../../src/server.ts'
import { derivedVersion } from '../../../src/store/engine/sqlite/derived-file.ts'
import { listDerivedOrphans } from '../../../src/store/git/derived-rows.ts'
import { listOutlineOrphans } from '../../../src/store/openapi/versions.ts'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { insertUser } from '../../../src/store/people/users.ts'
import { deleteSpace } from '../../../src/store/spaces/spaces.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { stemmaHere } from '../../cli/stemma.ts'
import { actor } from '../../support/app.ts'
import { commitFiles } from '../../support/git/repo.ts'

let token = ''
let dataDir: string
let derived: string

test.before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stemma-derived-'))
  derived = join(dataDir, 'derived.db')
  const server = await serve()
  const at = '2026-01-01T00:00:00.000Z'

  insertOrganization(server.ctx.store, { id: 'acme', title: 'Acme', created_at: at })
  insertUser(server.ctx.store, { id: 'ada', display_name: 'Ada', email: null, created_at: at })
  putMember(server.ctx.store, 'acme', 'ada', 'admin', at)
  token = createToken(server.ctx.store, { userId: 'ada', name: 'test' }, server.ctx.now()).secret
  await server.stop()
})
test.after(() => rm(dataDir, { recursive: true, force: true }))

const serve = (): Promise<RunningServer> =>
  start(
    readConfig({ STEMMA_DATA: dataDir, PORT: '0', NODE_ENV: 'test' }),
    pino({ level: 'silent' }),
  )
const adminOf = ({ url }: RunningServer) => actor(url, 'ada', token)

async function jobsDone({ store, now }: Context): Promise<void> {
  const due = () =>
    store.all(sqlRows(sql`select id from job where run_at <= ${now().getTime() + 5_000}`))
  for (let tries = 0; due().length > 0; tries++) {
    assert.ok(tries < 1_200, JSON.stringify(due()))
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

/** Creates a space with revisions of every kind. Returns its id. */
async function fill(server: RunningServer): Promise<string> {
  const { post } = adminOf(server)
  const space = (await post('/v1/orgs/acme/spaces', { title: 'Home' })).body.id as string
  const path = `/v1/spaces/${space}`
  const page = (title: string, markdown: string) => ({
    changes: [{ operation: 'insert_page', title, document: { markdown } }],
  })
  const edited = await post(
    `${path}/content`,
    page('Alpha', '# Alpha\n\nSee [the start](README.md).\n'),
  )

  assert.is(edited.status, 200, edited.text)
  const request = (await post(`${path}/change-requests`, { subject: 'More' })).body.number

  await post(`${path}/change-requests/${request}/content`, page('Beta', '# Beta\n\nA walrus.\n'))
  assert.is((await post(`${path}/change-requests/${request}/merge`)).body.result, 'merge')
  const repo = spaceRepository(server.ctx, space)

  await commitFiles(repo, {
    'alpha.md': '# Alpha\n\nAnother walrus.\n',
    'dot.gif': `GIF89a${'\x01\x00'.repeat(4)}`,
  })
  const { get } = adminOf(server)

  assert.is((await get(`${path}/content`)).status, 200)

  return space
}

/**
 * Reads everything that depends on derived rows, by path. The address of the server is left out.
 */
async function readAll(server: RunningServer, space: string, paths: readonly string[]) {
  const { get } = adminOf(server)
  const answers = new Map<string, string>()
  for (const path of paths) {
    const { status, text } = await get(path.startsWith('/v1') ? path : `/v1/spaces/${space}${path}`)
    assert.is(status, 200, `${path}: ${text}`)
    // Pages that match equally well are listed in the order in which they were indexed.
    const items = /search/.test(path) ? text.split('{"id"').sort().join('{"id"') : text
    answers.set(path, items.replaceAll(server.url, ''))
  }

  return answers
}

const lists = [
  '/v1/orgs/acme/spaces',
  '',
  '/revisions?limit=50',
  '/revisions?path=alpha.md',
  '/content/pages',
  '/content/path/alpha?format=markdown',
  '/content/path/beta',
  '/content/files',
  '/links',
]
const searches = ['/search?query=walrus', '/v1/orgs/acme/search?query=walrus']

function damagePages(first: number): void {
  const bytes = readFileSync(derived)
  for (let at = first * 4096; at < bytes.length; at += 4096) bytes.fill(0xa5, at, at + 2000)
  writeFileSync(derived, bytes)
}

const damages: Record<string, () => void> = {
  'is deleted': () => rmSync(derived),
  'is deleted, but its log is not': () => {
    copyFileSync(`${derived}-before`, `${derived}-wal`)
    rmSync(derived)
  },
  'has other bytes': () =>
    writeFileSync(derived, 'not a database, but long enough to be one'.repeat(500)),
  'has damaged pages': () => damagePages(1),
  'has another version': () => {
    const database = new Database(derived)
    database.pragma(`user_version = ${derivedVersion + 1}`)
    database.exec('create table future (name text)')
    database.close()
  },
  'belongs to another program': () => {
    rmSync(derived)
    const database = new Database(derived)
    database.exec('create table photo (name text)')
    database.close()
  },
}

test('answers are the same after derived.db was lost, damaged or written by another version', async () => {
  let server = await serve()
  const space = await fill(server)
  await jobsDone(server.ctx)

  try {
    const before = await readAll(server, space, [...lists, ...searches])
    assert.match(before.get('/search?query=walrus')!, /Beta/)
    assert.is(statSync(derived).mode & 0o777, 0o600)
    copyFileSync(`${derived}-wal`, `${derived}-before`)

    for (const [what, damage] of Object.entries(damages)) {
      await server.stop()
      damage()
      server = await serve()
      for (const [path, text] of await readAll(server, space, lists))
        assert.is(text, before.get(path), `${path}: derived.db ${what}`)
      await jobsDone(server.ctx)
      for (const [path, text] of await readAll(server, space, searches))
        assert.is(text, before.get(path), `${path}: derived.db ${what}`)
      assert.equal(await verify(server.ctx), [], what)
      assert.is(
        server.ctx.store.get(sqlRows<{ n: number }>(sql`select count(*) as n from space_size`))?.n,
        1,
      )
    }
  } finally {
    await server.stop()
  }
})

test('a failed write of derived rows does not fail the write that it follows, and is made up for', async () => {
  const server = await serve()
  const { store } = server.ctx
  const run = (text: string) => store.run(sqlRows(sql.raw(text)))

  try {
    const { post, get } = adminOf(server)
    const path = `/v1/spaces/${(await post('/v1/orgs/acme/spaces', { title: 'Full' })).body.id}`
    await jobsDone(server.ctx)
    run(
      "create trigger derived.full before insert on revision begin select raise(abort, 'full'); end",
    )
    const changes = [
      { operation: 'insert_page', title: 'Kept', document: { markdown: '# Kept\n' } },
    ]
    const written = await post(`${path}/content`, { changes })

    assert.is(written.status, 200, written.text)
    assert.is((await get(path)).body.revision, written.body.revision)
    run('drop trigger derived.full')
    await jobsDone(server.ctx)
    const dated = await get(`${path}/content/path/kept`)

    assert.ok(dated.body.createdAt, 'the job has added the revision')
    assert.is((await get(`${path}/revisions`)).body.items[0].id, written.body.revision)
  } finally {
    await server.stop()
  }
})

test('a space with damage in its old history is found by search after derived.db was lost', async () => {
  let server = await serve()
  try {
    const { post } = adminOf(server)
    const { id } = (await post('/v1/orgs/acme/spaces', { title: 'Old quagga' })).body
    const insert = (title: string) => ({
      changes: [
        { operation: 'insert_page', title, document: { markdown: `# ${title}\n\nWords.\n` } },
      ],
    })
    const first = (await post(`/v1/spaces/${id}/content`, insert('Quagga one'))).body
      .revision as string

    await post(`/v1/spaces/${id}/content`, insert('Quagga two'))
    await jobsDone(server.ctx)
    const { dir } = spaceRepository(server.ctx, id)

    await server.stop()
    rmSync(derived)
    rmSync(join(dir, 'objects', first.slice(0, 2), first.slice(2)))
    server = await serve()
    await jobsDone(server.ctx)
    const { get } = adminOf(server)
    const found = await get('/v1/orgs/acme/search?query=quagga')

    assert.is(found.body.items.length, 1, found.text)

    for (let read = 0; read < 3; read++) {
      const page = await get(`/v1/spaces/${id}/content/path/quagga-two`)
      assert.is(page.status, 200, page.text)
      assert.is(page.body.createdAt, undefined)
    }

    rmSync(dir, { recursive: true })
    deleteSpace(server.ctx.store, id)
    await removeDerivedOrphans(server.ctx)
  } finally {
    await server.stop()
  }
})

test('a lost update of the search index is made again at the next start', async () => {
  let server = await serve()
  try {
    const { post } = adminOf(server)
    const { id } = (await post('/v1/orgs/acme/spaces', { title: 'Late okapi' })).body
    await jobsDone(server.ctx)
    await server.stop()
    copyFileSync(derived, `${derived}-older`)
    server = await serve()
    const change = { operation: 'insert_page', title: 'Okapi', document: { markdown: '# Okapi\n' } }

    await adminOf(server).post(`/v1/spaces/${id}/content`, { changes: [change] })
    await jobsDone(server.ctx)
    await server.stop()

    // As after a power cut: the job has ended, but its rows are gone.
    copyFileSync(`${derived}-older`, derived)
    server = await serve()
    await jobsDone(server.ctx)
    const found = await adminOf(server).get('/v1/orgs/acme/search?query=okapi')

    assert.ok(JSON.stringify(found.body.items).includes('"Okapi"'), found.text)
  } finally {
    await server.stop()
  }
})

test('derived rows of a space that no longer exists are harmless, and upkeep deletes them', async () => {
  const server = await serve()
  const { store } = server.ctx
  try {
    const { post, get } = adminOf(server)
    const { id } = (await post('/v1/orgs/acme/spaces', { title: 'Gone walrus' })).body
    await jobsDone(server.ctx)
    deleteSpace(store, id)
    assert.equal(listDerivedOrphans(store), [id])
    const found = await get('/v1/orgs/acme/search?query=gone')

    assert.is(found.status, 200)
    assert.equal(found.body.items, [])
    await removeDerivedOrphans(server.ctx)
    assert.equal(listDerivedOrphans(store), [])
    rmSync(spaceRepository(server.ctx, id).dir, { recursive: true })

    for (const table of [
      'revision',
      'revision_path',
      'former_path',
      'former_path_scan',
      'search_space',
      'space_size',
    ])
      assert.is(
        store.get(
          sqlRows<{ n: number }>(
            sql`select count(*) as n from ${sql.table(table)} where space_id = ${id}`,
          ),
        )?.n,
        0,
        table,
      )
  } finally {
    await server.stop()
  }
})

test('a start deletes what is derived from a spec that no longer exists', async () => {
  const server = await serve()
  const version = { specId: 'gone', versionId: 'first' as Oid }
  const pieces = new TextEncoder().encode('["a","1"]\n["b","2"]\n')
  await keepDerived(server.ctx, version, { outline: '{}', pieces })
  assert.equal(listOutlineOrphans(server.ctx.store), ['gone'])
  await server.stop()
  const again = await serve()
  const { store } = again.ctx

  assert.equal(listOutlineOrphans(store), [])
  assert.equal(
    store.all(sqlRows(sql`select key from openapi_piece where version_id = 'first'`)),
    [],
  )
  await again.stop()
})

test('a command replaces an unusable derived.db only if no server runs', async () => {
  const env = { STEMMA_DATA: dataDir }
  const spoil = () => {
    const database = new Database(derived)
    database.pragma('user_version = 999')
    database.close()
  }

  spoil()
  const alone = await stemmaHere(['org', 'list'], env)

  assert.is(alone.code, 0, alone.stderr)
  const server = await serve()

  try {
    spoil()
    const beside = await stemmaHere(['org', 'list'], env)
    assert.is(beside.code, 75)
    assert.match(
      beside.stderr,
      /derived\.db cannot be used: it has version 999, and this program uses \d+\./,
    )
    assert.ok(existsSync(derived))
  } finally {
    await server.stop()
  }
})

test('verify names derived.db if it is damaged, and says to delete it', async () => {
  // The last pages of a new file: opening it does not read them.
  rmSync(derived)
  assert.is((await stemmaHere(['org', 'list'], { STEMMA_DATA: dataDir })).code, 0)
  damagePages(28)
  const { code, stdout, stderr } = await stemmaHere(['verify', '--json'], { STEMMA_DATA: dataDir })

  assert.is(code, 1, stdout + stderr)
  const { problems } = JSON.parse(stdout) as { problems: { what: string; remedy: string }[] }

  assert.ok(problems.length > 0)
  assert.match(problems[0]!.what, /^derived\.db is damaged/)
  for (const problem of problems)
    assert.match(problem.remedy, /delete derived\.db/, JSON.stringify(problem))
})

test.run()
