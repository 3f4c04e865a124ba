import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { readPosition } from '../../../src/actions/catch-up/position.ts'
import { repositoryFolder, specsKey } from '../../../src/actions/repositories/repository-of.ts'
import { findGitState } from '../../../src/store/cluster/git-state.ts'
import { listMirroredRefs } from '../../../src/store/git/refs.ts'
import { petstore, processed } from '../../api/openapi/host.ts'
import { type Run, stemmaHere } from '../../cli/stemma.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { type Nodes, nodeSettings, startNodes } from '../nodes.ts'
import { postgresSuite } from '../suite.ts'

// Each kind of damage of a database that nodes share. The control of each is that `verify` finds it, or that a repair without
// what is missing changes nothing.

let nodes: Nodes
let top: string
let database: string

const test = postgresSuite(
  'repair with PostgreSQL',
  async () => {
    nodes = await startNodes()
    top = mkdtempSync(join(tmpdir(), 'stemma-repair-'))
    database = new URL(nodes.env.STEMMA_DATABASE!).pathname.slice(1)
  },
  async () => {
    await nodes?.stop()
    if (top) rmSync(top, { recursive: true, force: true })
  },
)

const query = (sql: string) => nodes.cluster.query(sql, database)
const newFolder = () => mkdtempSync(join(top, 'node-'))

/** Runs a command with the folder of a node, or an empty one. */
const run = (folder: string, ...args: string[]): Promise<Run> =>
  stemmaHere(args, {
    ...nodeSettings,
    STEMMA_DATA: folder,
    STEMMA_DATABASE: nodes.env.STEMMA_DATABASE!,
  })

async function good(promise: Promise<Run>): Promise<string> {
  const { code, stdout, stderr } = await promise
  assert.is(code, 0, stdout + stderr)
  return stdout
}

async function bad(promise: Promise<Run>): Promise<string> {
  const { code, stdout, stderr } = await promise
  assert.is(code, 1, stdout + stderr)
  return stdout + stderr
}

/** Checks that a new node can make a space from its rows, and that nothing is wrong with it. */
const checkSpace = async (space: string) =>
  assert.match(
    await good(run(newFolder(), 'repair', '--space', space)),
    /^The folder of this node is whole.\nThe space is intact.$/m,
  )

/** Makes a space with three revisions and a change request, whose folders both nodes have. */
async function makeSpace(): Promise<string> {
  const { a, adminAtB } = nodes
  const space = (await a.admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })).body.id as string
  const path = `/v1/spaces/${space}`
  for (const title of ['First', 'Second']) await insert(`${path}/content`, title)
  const request = await a.admin.post(`${path}/change-requests`, { subject: 'More' })
  assert.is(request.status, 201, request.text)
  await insert(`${path}/change-requests/1/content`, 'Third')
  assert.is((await adminAtB.get(`${path}/content`)).status, 200)
  return space
}

async function insert(path: string, title: string): Promise<void> {
  const changes = [{ operation: 'insert_page', title, document: { markdown: `${title}.` } }]
  const { status, text } = await nodes.a.admin.post(path, { changes })
  assert.is(status, 200, text)
}

/** Returns a picture of all rows of a repository. */
const rowsOf = (key: string) =>
  Promise.all(
    ['git_state', 'ref', 'git_log'].map(table =>
      query(`select * from ${table} where space_id = '${key}' order by 1, 2, 3`),
    ),
  )

const folderOf = (dataDir: string, key: string) => repositoryFolder({ config: { dataDir } }, key)
const refsOf = (key: string) => [...listMirroredRefs(nodes.a.ctx.store, key)].sort()
const stateOf = (key: string) => findGitState(nodes.a.ctx.store, key)

/** Damages a byte of each pack, after its header. */
const damagePacks = (key: string) =>
  query(
    `update git_log set bytes = set_byte(bytes, 40, get_byte(bytes, 40) # 1) where space_id = '${key}'`,
  )

test('a damaged pack is replaced by what the folder of another node has', async () => {
  const { a, b } = nodes
  const space = await makeSpace()
  const refs = refsOf(space)
  await damagePacks(space)
  assert.match(await bad(run(newFolder(), 'verify')), new RegExp(`repair --space ${space}`))
  const before = await rowsOf(space)
  const said = await bad(run(newFolder(), 'repair', '--space', space))
  assert.match(said, /objects are missing[\s\S]*with STEMMA_DATA of each node in turn/)
  assert.equal(await rowsOf(space), before, 'without the objects nothing is changed')

  const positions = [a.dataDir, b.ctx.config.dataDir].map(dir => readPosition(folderOf(dir, space)))
  const done = JSON.parse(await good(run(a.dataDir, 'repair', '--space', space, '--json')))
  assert.match(done.damaged.join(), /the pack at position 1,/)
  assert.is(done.folder, 'whole')
  const kept = readdirSync(done.aside).sort()
  assert.is(kept.length, before[2]!.length)
  const bytes = before[2]!.map(({ bytes }) => bytes as Buffer)
  assert.ok(bytes.some(each => each.equals(readFileSync(join(done.aside, kept[0]!)))))

  assert.is(await good(run(newFolder(), 'verify')), 'Everything is intact.\n')
  assert.equal(refsOf(space), refs)
  assert.equal(
    [a.dataDir, b.ctx.config.dataDir].map(dir => readPosition(folderOf(dir, space))),
    positions,
    'nodes keep their folders',
  )
  await insert(`/v1/spaces/${space}/content`, 'After')
  const found = await nodes.adminAtB.get(`/v1/spaces/${space}/content/path/after`)
  assert.is(found.status, 200, found.text)
  await checkSpace(space)
})

test('packs that are lost come from a backup, with the newer commits of other packs', async () => {
  const space = await makeSpace()
  const file = join(top, `${space}.tar`)
  await good(run(newFolder(), 'backup', file))
  await insert(`/v1/spaces/${space}/content`, 'Newer')
  const refs = refsOf(space)
  await query(`delete from git_log where space_id = '${space}' and seq < ${stateOf(space)!.seq}`)
  await bad(run(newFolder(), 'repair', '--space', space))
  await good(run(newFolder(), 'repair', '--space', space, '--from', file))
  await checkSpace(space)
  assert.equal(refsOf(space), refs)
})

test('the objects of a pack whose end is lost are recovered', async () => {
  const space = await makeSpace()
  await query(
    `update git_log set bytes = substr(bytes, 1, length(bytes) - 5) where space_id = '${space}'`,
  )
  const said = await good(run(newFolder(), 'repair', '--space', space))
  assert.match(said, /Recovered from damaged packs: \d+ objects/)
  await checkSpace(space)
})

test('a ref that points to nothing, or is lost, is restored from a folder that is up to date', async () => {
  const { a } = nodes
  const space = await makeSpace()
  const refs = refsOf(space)
  await query(
    `update ref set oid = reverse(oid) where space_id = '${space}' and name = 'refs/heads/main'`,
  )
  await query(
    `delete from ref where space_id = '${space}' and name = 'refs/heads/change-requests/1'`,
  )
  const said = await bad(run(newFolder(), 'repair', '--space', space))
  assert.match(said, /refs\/heads\/main is at \w+, of which objects are missing/)
  assert.match(said, /refs\/heads\/change-requests\/1 is missing/)
  const done = JSON.parse(await good(run(a.dataDir, 'repair', '--space', space, '--json')))
  assert.equal(done.refs.sort(), ['refs/heads/change-requests/1', 'refs/heads/main'])
  assert.equal(refsOf(space), refs)
  await checkSpace(space)
  for (const by of [a.admin, nodes.adminAtB])
    assert.is((await by.get(`/v1/spaces/${space}/change-requests/1/content`)).status, 200)
})

test('a branch is set back only when that is asked for', async () => {
  const space = await makeSpace()
  const clone = join(top, `${space}.git`)
  gitOutside('.', ['clone', '--quiet', '--mirror', folderOf(nodes.a.dataDir, space), clone])
  const old = gitOutside(clone, ['rev-parse', 'refs/heads/main']).trim()
  await insert(`/v1/spaces/${space}/content`, 'Lost')
  const { seq } = stateOf(space)!
  await query(`delete from git_log where space_id = '${space}' and seq = ${seq}`)
  const from = ['repair', '--space', space, '--from', clone]
  const before = await rowsOf(space)
  assert.match(await bad(run(newFolder(), ...from)), /With --set-back/)
  assert.equal(await rowsOf(space), before)
  assert.match(await good(run(newFolder(), ...from, '--set-back')), /Restored: .*refs\/heads\/main/)
  assert.is(new Map(refsOf(space)).get('refs/heads/main'), old)
  await checkSpace(space)
  for (const by of [nodes.a.admin, nodes.adminAtB]) {
    const { status, body } = await by.get(`/v1/spaces/${space}/content/pages`)
    assert.is(status, 200)
    assert.equal(
      body.pages.map(({ title }: { title: string }) => title),
      ['Docs', 'First', 'Second'],
    )
  }
})

test('a repository without a state, or with another default branch, is repaired', async () => {
  const { a } = nodes
  const space = await makeSpace()
  const refs = refsOf(space)
  await query(`update git_state set head = 'refs/heads/none' where space_id = '${space}'`)
  await good(run(a.dataDir, 'repair', '--space', space))
  assert.is(stateOf(space)!.head, 'refs/heads/main')
  await checkSpace(space)

  await query(`delete from git_state where space_id = '${space}'`)
  assert.match(await bad(run(newFolder(), 'verify')), /has no state/)
  const said = await good(run(a.dataDir, 'repair', '--space', space, '--set-back'))
  assert.match(said, /Damaged: the state of the repository/)
  assert.equal(refsOf(space), refs)
  await checkSpace(space)
  assert.is((await nodes.adminAtB.get(`/v1/spaces/${space}/content`)).status, 200)
})

test('the repository of OpenAPI specs is repaired', async () => {
  const { a } = nodes
  await a.admin.put('/v1/orgs/acme/openapi/pets', { source: { text: petstore('Pets') } })
  await processed(a, '/v1/orgs/acme/openapi/pets')
  const key = specsKey('acme')
  const refs = refsOf(key)
  await damagePacks(key)
  await query(`delete from ref where space_id = '${key}'`)
  assert.match(await bad(run(newFolder(), 'verify')), /repair --specs acme/)
  await bad(run(newFolder(), 'repair', '--specs', 'acme'))
  await good(run(a.dataDir, 'repair', '--specs', 'acme'))
  assert.equal(refsOf(key), refs)
  const said = await good(run(newFolder(), 'repair', '--specs', 'acme'))
  assert.match(said, /The repository is intact/)
})

test('a damaged folder of a node is made again', async () => {
  const space = await makeSpace()
  const own = newFolder()
  await good(run(own, 'repair', '--space', space))
  const dir = folderOf(own, space)
  const damage = () => {
    const [name] = readdirSync(join(dir, 'objects/pack')).filter(each => each.endsWith('.pack'))
    const pack = join(dir, 'objects/pack', name!)
    const bytes = readFileSync(pack)
    bytes[bytes.length >> 1]! ^= 1
    chmodSync(pack, 0o600)
    writeFileSync(pack, bytes)
  }
  damage()
  const before = await rowsOf(space)
  assert.match(await good(run(own, 'repair', '--space', space)), /was damaged, and was made again/)
  assert.equal(await rowsOf(space), before)
  assert.is(gitOutside(dir, ['fsck', '--strict']), '')
  appendFileSync(join(dir, 'config'), '[core]\n\thooksPath = /tmp\n')
  assert.match(await good(run(own, 'repair', '--space', space)), /was made again/)

  // The server that has a folder makes it again by itself.
  const { b } = nodes
  const held = folderOf(b.ctx.config.dataDir, space)
  rmSync(join(held, 'objects/pack'), { recursive: true })
  const said = await good(run(b.ctx.config.dataDir, 'repair', '--space', space))
  assert.match(said, /The server that uses it makes it again/)
  assert.is((await nodes.adminAtB.get(`/v1/spaces/${space}/content?fresh`)).status, 200)
  assert.is(gitOutside(held, ['fsck', '--strict']), '')
})

test('repositories that belong to nothing are moved into a folder', async () => {
  const space = await makeSpace()
  const own = newFolder()
  for (const [key, change] of [
    ['none', 'bytes'],
    ['../../gone', 'set_byte(bytes, 40, get_byte(bytes, 40) # 1)'],
  ]) {
    await query(
      `insert into git_log (space_id, seq, part, kind, bytes, mark)
       select '${key}', seq, part, kind, ${change}, mark from git_log where space_id = '${space}';
       insert into git_state (space_id, seq, epoch, mark, head)
       select '${key}', seq, epoch, mark, head from git_state where space_id = '${space}';
       insert into ref (space_id, name, oid)
       select '${key}', name, oid from ref where space_id = '${space}'`,
    )
  }
  assert.match(await bad(run(newFolder(), 'verify')), /repair --loose/)
  const before = await rowsOf(space)
  const done: { key: string; folder: string }[] = JSON.parse(
    await good(run(own, 'repair', '--loose', '--json')),
  )
  const folderFor = (key: string) => done.find(each => each.key === key)!.folder
  assert.is(done.length, 2)
  for (const { folder } of done) assert.ok(folder.startsWith(join(own, 'lost')), folder)
  assert.is(gitOutside(folderFor('none'), ['fsck', '--strict']), '')
  assert.is(
    gitOutside(folderFor('none'), ['rev-parse', 'refs/heads/main']).trim(),
    new Map(refsOf(space)).get('refs/heads/main'),
  )
  const files = readdirSync(folderFor('../../gone'))
  assert.ok(files.includes('refs') && files.some(name => name.endsWith('.pack')), files.join())
  assert.equal(await rowsOf(space), before)
  assert.is(await good(run(newFolder(), 'verify')), 'Everything is intact.\n')
  assert.match(await good(run(own, 'repair', '--loose')), /Every repository belongs/)
  assert.ok(existsSync(folderFor('none')))
})

test.run()
