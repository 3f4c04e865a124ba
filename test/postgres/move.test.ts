import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as assert from 'uvu/assert'
import { repositoryFolder, specsKey } from '../../src/actions/repositories/repository-of.ts'
import { lockFolder } from '../../src/lock.ts'
import { type Run, startStemma, stemma, stemmaHere } from '../cli/stemma.ts'
import { type Actor, actor } from '../support/app.ts'
import { gitOutside } from '../support/git/repo.ts'
import { until } from '../support/until.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { postgresSuite } from './suite.ts'

let cluster: Cluster
let top: string
/** The data folder that is moved, and the keys of its repositories. */
let source: string
const keys: string[] = []

const test = postgresSuite(
  'stemma move',
  async () => {
    cluster = await startCluster()
    top = mkdtempSync(join(tmpdir(), 'stemma-move-'))
    source = join(top, 'source')
    await fillSource()
  },
  () => {
    cluster?.stop()
    if (top) rmSync(top, { recursive: true, force: true })
  },
)

const token = `stm_${'m'.repeat(43)}`

/** Runs a server for some work, and stops it. */
async function served(
  env: Record<string, string>,
  work: (admin: Actor) => Promise<void>,
): Promise<void> {
  const server = startStemma(['serve'], {
    PORT: '0',
    STEMMA_ADMIN_TOKEN: token,
    STEMMA_LOG: 'silent',
    STEMMA_DATABASE_SECONDS: env.STEMMA_DATABASE ? '30' : '',
    ...env,
  })
  try {
    const [url] = await server.says(/http:\/\/127\.0\.0\.1:\d+/)
    await work(actor(url, 'admin', token))
  } finally {
    server.kill('SIGTERM')
    await server.ended
  }
}

async function ok(
  reply: ReturnType<Actor['get']>,
): Promise<{ id: string } & Record<string, never>> {
  const { status, text, body } = await reply
  assert.ok(status < 300, text)
  return body
}

const insertion = {
  changes: [{ operation: 'insert_page', title: 'New', document: { markdown: 'New.' } }],
}

const fillSource = (): Promise<void> =>
  served({ STEMMA_DATA: source }, async admin => {
    for (const title of ['Handbook', 'Recipes']) {
      const { id } = await ok(admin.post('/v1/orgs/default/spaces', { title }))
      const api = `/v1/spaces/${id}`
      keys.push(id)
      await ok(admin.post(`${api}/change-requests`, { subject: 'Propose' }))
      await ok(admin.post(`${api}/comments`, { body: { markdown: 'A comment' } }))
    }
    const text = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Pets', version: '1' },
      paths: { '/pets': { get: { responses: { 200: { description: 'All' } } } } },
    })
    await ok(admin.put('/v1/orgs/default/openapi/pets', { source: { text } }))
    await until('the spec is processed', async () => {
      const { body } = await admin.get('/v1/orgs/default/openapi/pets')
      return body.processingState === 'complete' || undefined
    })
    keys.push(specsKey('default'))
  })

/** Returns the refs, the default branch and all reachable objects of the repositories of a folder. */
const repositoriesOf = (dataDir: string): unknown =>
  keys.map(key => {
    const dir = repositoryFolder({ config: { dataDir } }, key)
    const objects = gitOutside(dir, ['rev-list', '--objects', '--no-object-names', '--all'])
    return [
      key,
      gitOutside(dir, ['symbolic-ref', 'HEAD']),
      gitOutside(dir, ['for-each-ref']),
      objects.split('\n').sort(),
      gitOutside(dir, ['fsck', '--strict', '--full', '--no-dangling']),
    ]
  })

/** Returns all rows of a folder but those of refs, which are read from the repositories. */
function rowsOf(dataDir: string): Record<string, unknown[]> {
  const database = new Database(join(dataDir, 'stemma.db'), { readonly: true })
  const names = database
    .prepare("select name from sqlite_schema where type = 'table' and name <> 'ref'")
    .pluck()
    .all() as string[]
  const rows = names.map(name => [
    name,
    database
      .prepare(`select * from "${name}"`)
      .all()
      .map(row => JSON.stringify(row))
      .sort(),
  ])
  database.close()
  return Object.fromEntries(rows)
}

const contentOf = (dataDir: string): unknown => ({
  rows: rowsOf(dataDir),
  repositories: repositoriesOf(dataDir),
  key: readFileSync(join(dataDir, 'key'), 'hex'),
})

let copies = 0
function newSource(): string {
  const folder = join(top, `source-${++copies}`)
  cpSync(source, folder, { recursive: true })
  return folder
}
const newFolder = (): string => join(top, `folder-${++copies}`)

const keyOf = (dataDir: string): string => readFileSync(join(dataDir, 'key')).toString('base64')

const there = (dataDir: string, url: string): Promise<Run> =>
  stemmaHere(['move', '--to', url], { STEMMA_DATA: dataDir })

const back = (url: string, folder: string, dataDir = source): Promise<Run> =>
  stemmaHere(['move', '--to', folder], {
    STEMMA_DATA: dataDir,
    STEMMA_DATABASE: url,
    STEMMA_KEYS: keyOf(dataDir),
  })

function good({ code, stdout, stderr }: Run): string {
  assert.is(code, 0, stderr)
  return stdout
}

function refused({ code, stderr }: Run, sentence: RegExp): void {
  assert.ok(code !== 0 && code !== null, `it ended with ${code}`)
  assert.match(stderr, sentence)
}

test('there and back, rows, refs, objects and key are the same, and the source is unchanged', async () => {
  const before = contentOf(source)
  const url = await cluster.create()
  const said = good(await there(source, url))
  assert.match(said, /Copied and compared: \d+ rows in \d+ tables, 3 repositories\./)
  assert.match(said, /STEMMA_KEYS {6}to the key/)
  assert.equal(contentOf(source), before)
  const folder = newFolder()
  assert.match(good(await back(url, folder)), /unset STEMMA_DATABASE/)
  assert.equal(contentOf(folder), before)
  await served({ STEMMA_DATA: folder }, async admin => {
    await ok(admin.get(`/v1/spaces/${keys[0]}/content`))
    await ok(admin.get('/v1/orgs/default/openapi/pets'))
  })
  assert.is(good(await stemmaHere(['verify'], { STEMMA_DATA: folder })), 'Everything is intact.\n')
})

test('a database with rows, one in use, and a folder that is not empty, are refused', async () => {
  const url = await cluster.create()
  good(await there(source, url))
  refused(await there(source, url), /The database is not empty/)
  const folder = newFolder()
  mkdirSync(folder)
  writeFileSync(join(folder, 'photo.jpg'), '')
  refused(await back(url, folder), /is not empty \(it contains "photo.jpg"\)/)
  const node = { STEMMA_DATA: newFolder(), STEMMA_DATABASE: url, STEMMA_KEYS: keyOf(source) }
  await served(node, async () => {
    refused(await back(url, newFolder()), /A node or a command of Stemma uses the database/)
  })
})

test('a folder that a server holds is refused, as source and as target', async () => {
  const lock = lockFolder(source, 'listening')
  try {
    refused(await there(source, await cluster.create()), /Another server holds/)
  } finally {
    lock.release()
  }
})

test('schemas of other versions, and work that a server has left, are refused', async () => {
  const url = await cluster.create()
  const older = newSource()
  const rows = new Database(join(older, 'stemma.db'))
  const version = rows.pragma('user_version', { simple: true })
  rows.pragma('user_version = 8')
  refused(await there(older, url), /The source has schema 8, and this program moves/)
  rows.pragma(`user_version = ${version}`)
  rows.exec(
    "insert into operation (id, space_id, kind, moves, effects, created_at) values ('i', 's', 'edit', '[]', '[]', '')",
  )
  rows.close()
  refused(await there(older, url), /A write of the last server was interrupted\. Start the server/)

  const pushed = newSource()
  const dir = repositoryFolder({ config: { dataDir: pushed } }, keys[0]!)
  const commit = gitOutside(dir, ['commit-tree', 'main^{tree}', '-p', 'main', '-m', 'by hand'])
  gitOutside(dir, ['update-ref', 'refs/heads/main', commit])
  refused(await there(pushed, url), /has commits that were not recorded\. Start the server/)

  good(await there(source, url))
  await cluster.query('update stemma_schema set version = 8', new URL(url).pathname.slice(1))
  refused(await back(url, newFolder()), /The source has schema 8/)
})

for (const at of ['M1', 'M2', 'M3#1', 'M3#2', 'M3#3'])
  test(`killed at ${at} on the way there, nodes refuse to start, and a repeat ends the move`, async () => {
    const url = await cluster.create()
    const env = { STEMMA_DATA: source, STEMMA_CRASH_AT: at }
    assert.is((await stemma(['move', '--to', url], env)).code, null)
    const node = { STEMMA_DATA: newFolder(), STEMMA_DATABASE: url, STEMMA_KEYS: keyOf(source) }
    refused(await stemma(['serve'], { ...node, PORT: '0' }), /a move into it has not ended/)
    refused(await back(url, newFolder()), /a move into it has not ended/)
    good(await there(source, url))
    const folder = newFolder()
    good(await back(url, folder))
    assert.equal(contentOf(folder), contentOf(source))
  })

for (const at of ['M1', 'M2', 'M3#1', 'M3#2', 'M3#3', 'M4#1', 'M4#2', 'M4#3', 'M4#4'])
  test(`killed at ${at} on the way back, a repeat ends the move`, async () => {
    const url = await cluster.create()
    good(await there(source, url))
    const folder = newFolder()
    const env = {
      STEMMA_DATA: source,
      STEMMA_DATABASE: url,
      STEMMA_KEYS: keyOf(source),
      STEMMA_CRASH_AT: at,
    }
    assert.is((await stemma(['move', '--to', folder], env)).code, null)
    assert.not.ok(existsSync(join(folder, 'stemma.db')))
    good(await back(url, folder))
    assert.equal(contentOf(folder), contentOf(source))
  })

test('killed at each step in turn, both moves end', async () => {
  const url = await cluster.create()
  for (const at of ['M1', 'M2', 'M3#1', 'M3#2', 'M1', 'M3#3'])
    assert.is(
      (await stemma(['move', '--to', url], { STEMMA_DATA: source, STEMMA_CRASH_AT: at })).code,
      null,
      at,
    )
  good(await there(source, url))
  const folder = newFolder()
  const env = { STEMMA_DATA: source, STEMMA_DATABASE: url, STEMMA_KEYS: keyOf(source) }
  for (const at of ['M1', 'M2', 'M3#2', 'M4#1', 'M4#4', 'M2', 'M5'])
    assert.is(
      (await stemma(['move', '--to', folder], { ...env, STEMMA_CRASH_AT: at })).code,
      null,
      at,
    )
  // Everything was in place: a repeat must not replace what a server may have changed by now.
  refused(await back(url, folder), /is not empty \(it contains "stemma.db"\)/)
  assert.equal(contentOf(folder), contentOf(source))
})

test('a repeat keeps the repositories that are there, and moves those that changed meanwhile', async () => {
  const url = await cluster.create()
  const name = new URL(url).pathname.slice(1)
  const changing = newSource()
  const env = { STEMMA_DATA: changing, STEMMA_CRASH_AT: 'M3#3' }
  assert.is((await stemma(['move', '--to', url], env)).code, null)
  const epochs = () => cluster.query('select epoch from git_state order by space_id', name)
  const before = await epochs()
  await served({ STEMMA_DATA: changing }, async admin => {
    await ok(admin.post(`/v1/spaces/${keys[0]}/content`, insertion))
    await ok(admin.delete(`/v1/spaces/${keys[1]}`))
  })
  good(await there(changing, url))
  const after = await epochs()
  assert.is(after.filter(({ epoch }) => before.some(each => each.epoch === epoch)).length, 2)
  const folder = newFolder()
  good(await back(url, folder, changing))
  assert.equal(contentOf(folder), contentOf(changing))
})

test('a backup of the database beside a node is restored as a folder with the same content', async () => {
  const url = await cluster.create()
  good(await there(source, url))
  const file = join(top, 'backup.tar')
  const node = { STEMMA_DATA: newFolder(), STEMMA_DATABASE: url, STEMMA_KEYS: keyOf(source) }
  await served(node, async () => {
    assert.match(good(await stemmaHere(['backup', file], node)), /contains 2 spaces/)
    assert.is(good(await stemmaHere(['verify'], node)), 'Everything is intact.\n')
  })
  const folder = newFolder()
  good(await stemmaHere(['restore', file, '--verify'], { STEMMA_DATA: folder }))
  assert.equal(repositoriesOf(folder), repositoriesOf(source))
  assert.equal(keyOf(folder), keyOf(source))
  const tables = ['organization', 'user', 'space', 'change_request', 'comment', 'audit_event']
  const [found, expected] = [rowsOf(folder), rowsOf(source)]
  for (const table of tables) assert.equal(found[table], expected[table], table)
})

test('damaged packs in the database are found, and no backup is made of them', async () => {
  const url = await cluster.create()
  good(await there(source, url))
  const name = new URL(url).pathname.slice(1)
  await cluster.query(
    `update git_log set bytes = set_byte(bytes, 40, get_byte(bytes, 40) # 1) where space_id = '${keys[0]}'`,
    name,
  )
  await cluster.query(`update ref set oid = reverse(oid) where space_id = '${keys[1]}'`, name)
  mkdirSync(join(top, 'node'), { recursive: true })
  const node = { STEMMA_DATA: join(top, 'node'), STEMMA_DATABASE: url, STEMMA_KEYS: keyOf(source) }
  const { code, stdout, stderr } = await stemmaHere(['verify'], node)
  assert.is(code, 1)
  for (const key of [keys[0], keys[1]]) assert.match(stdout + stderr, new RegExp(`${key}`))
  assert.match(stdout + stderr, /stemma repair --space/)
  const file = join(top, 'damaged.tar')
  assert.is((await stemmaHere(['backup', file], node)).code, 1)
  assert.not.ok(existsSync(file))
  refused(await back(url, newFolder()), /.+/)
})

test('a damaged repository is named before anything is copied', async () => {
  const damaged = newSource()
  const dir = repositoryFolder({ config: { dataDir: damaged } }, keys[0]!)
  rmSync(join(dir, 'HEAD'))
  const url = await cluster.create()
  refused(await there(damaged, url), /cannot be moved: .* Run "stemma verify"/)
  rmSync(dir, { recursive: true })
  refused(await there(damaged, url), /cannot be moved/)
  good(await there(source, url))
})

test('a wrong place is refused', async () => {
  refused(await there(source, 'postgres://host'), /--to must be such as/)
  refused(await stemmaHere(['move', '--to', newFolder()], {}), /Set STEMMA_DATABASE/)
  const url = await cluster.create()
  const env = { STEMMA_DATABASE: url, STEMMA_DATA: source, STEMMA_KEYS: keyOf(source) }
  refused(await stemmaHere(['move', '--to', url], env), /the rows are in PostgreSQL already/)
  refused(await back(url, newFolder()), /it has no rows of Stemma/)
})

test.run()
