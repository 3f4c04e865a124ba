import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { joinRights } from '../../src/access/guards/primary.ts'
import { pushed } from '../../src/actions/clearance/clear-content.ts'
import { publish } from '../../src/actions/journal/publish.ts'
import { headOf } from '../../src/actions/repositories/head-of.ts'
import { spaceFolder, spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { foldPacks } from '../../src/actions/sharing/fold-packs.ts'
import { keepCaches } from '../../src/actions/sharing/keep-caches.ts'
import { canPrint } from '../../src/content/print/packages.ts'
import { openQuarantine } from '../../src/git/commits/quarantine.ts'
import { treeOf } from '../../src/git/trees/tree-files.ts'
import { listPacks } from '../../src/store/cluster/git-log.ts'
import type { Actor } from '../support/app.ts'
import { type GitClient, openClient, remoteOf } from '../support/git/client.ts'
import { ada, fsck, gitOutside, main } from '../support/git/repo.ts'
import { skip } from '../support/skip.ts'
import { type Nodes, startNodes } from './nodes.ts'
import { postgresSuite } from './suite.ts'

let nodes: Nodes
let client: GitClient
/** The same administrator at both nodes. */
let a: Actor
let b: Actor
/** The folder of the second node. */
let folder: string

const test = postgresSuite(
  'two nodes on one database',
  async () => {
    nodes = await startNodes()
    client = await openClient()
    a = nodes.a.admin
    b = nodes.adminAtB
    folder = nodes.b.ctx.config.dataDir
  },
  async () => {
    await client?.remove()
    await nodes?.stop()
  },
)

const made = async (): Promise<string> =>
  (await a.post('/v1/orgs/acme/spaces', { title: 'Docs' })).body.id

const page = (title: string, text = 'Text.') => ({
  operation: 'insert_page',
  title,
  document: { markdown: text },
})
const edit = (by: Actor, space: string, title: string) =>
  by.post(`/v1/spaces/${space}/content`, { changes: [page(title)] })

async function titles(by: Actor, space: string): Promise<string[]> {
  const { status, body } = await by.get(`/v1/spaces/${space}/content/pages`)
  assert.is(status, 200)
  return body.pages.map(({ title }: { title: string }) => title)
}

test('a space is read at the other node at once', async () => {
  const space = await made()
  assert.equal(await titles(b, space), ['Docs'])
  fsck({ dir: spaceFolder(folder, space) })
})

test('edits by turns at both nodes follow each other', async () => {
  const space = await made()
  const wanted = ['Docs']
  for (const [at, by] of [a, b, a, b, b, a].entries()) {
    assert.is((await edit(by, space, `Page ${at}`)).status, 200)
    wanted.push(`Page ${at}`)
    assert.equal(await titles(by === a ? b : a, space), wanted)
  }
})

test('of writes with the same If-Match at both nodes at once, one is carried out', async () => {
  for (let round = 0; round < 5; round++) {
    const path = `/v1/spaces/${await made()}`
    const tag = (await a.get(path)).headers.get('etag') ?? ''
    const patches = Array.from({ length: 6 }, (_, n) =>
      (n % 2 === 0 ? a : b).request('PATCH', path, { title: `Title ${n}` }, { 'if-match': tag }),
    )
    const replies = await Promise.all(patches)
    const statuses = replies.map(({ status }) => status).toSorted()
    assert.equal(statuses, [200, 412, 412, 412, 412, 412], `round ${round}`)
    const won = replies.find(({ status }) => status === 200)
    assert.is((await b.get(path)).body.title, won?.body.title)
  }
})

test('edits of one space at both nodes at once: none is lost', async () => {
  const space = await made()
  const kept: string[] = []
  for (let round = 0; round < 8; round++)
    await Promise.all(
      [a, b].map(async (by, at) => {
        const title = `Round ${round} at ${at}`
        const { status } = await edit(by, space, title)
        assert.ok(status === 200 || status === 409, `${status}`)
        if (status === 200) kept.push(title)
      }),
    )
  assert.ok(kept.length >= 8)
  const found = await titles(a, space)
  assert.equal(
    kept.filter(title => !found.includes(title)),
    [],
  )
  assert.equal(await titles(b, space), found)
})

/**
 * Publishes at the other node a commit that was written before an edit at the first one. Returns the
 * pages after both.
 */
async function publishLate(space: string): Promise<string[]> {
  const { ctx } = nodes.b
  await titles(b, space)
  const repo = spaceRepository(ctx, space)
  const from = headOf(ctx, space, main)!
  const quarantine = openQuarantine(repo)
  const tree = await treeOf(repo, from)
  const late = { tree, parents: [from], author: ada, committer: ada, message: 'Late' }
  const to = await quarantine.writeCommit(late)
  await quarantine.flush()
  assert.is((await edit(a, space, 'Early')).status, 200)
  await publish(ctx, repo, {
    key: space,
    kind: 'late',
    userId: null,
    clearance: pushed,
    plan: () => ({
      moves: [{ ref: main, from, to }],
      effects: [],
      right: joinRights([]),
      result: undefined,
    }),
  })
  return titles(a, space)
}

test('a ref that another node has moved is not moved', async () => {
  const space = await made()
  const error = await publishLate(space).catch(each => each)
  assert.is(error.code, 'ref_moved')
  assert.equal(await titles(b, space), ['Docs', 'Early'])
})

test('without compare and swap the edit of the other node would be lost', async () => {
  process.env.STEMMA_TEST_NO_SWAP = '1'
  try {
    assert.equal(await publishLate(await made()), ['Docs'])
  } finally {
    delete process.env.STEMMA_TEST_NO_SWAP
  }
})

test('a change request of one node is merged at the other', async () => {
  const space = await made()
  const path = `/v1/spaces/${space}/change-requests`
  const { body } = await a.post(path, { subject: 'Adds a page' })
  const edited = await a.post(`${path}/${body.id}/content`, { changes: [page('Added')] })
  assert.is(edited.status, 200)
  const merged = await b.post(`${path}/${body.id}/merge`)
  assert.is(merged.status, 200, merged.text)
  assert.equal(await titles(a, space), ['Docs', 'Added'])
  assert.is((await a.get(`${path}/${body.id}`)).body.status, 'merged')
})

test('a push to one node is cloned from the other', async () => {
  const space = await made()
  await client.ok(['clone', '-q', remoteOf(nodes.a.url, space, a.token), 'first'])
  await client.ok(['commit', '-q', '--allow-empty', '-m', 'Pushed'], { in: 'first' })
  await client.ok(['push', '-q', 'origin', 'HEAD'], { in: 'first' })
  const pushed = await client.ok(['rev-parse', 'HEAD'], { in: 'first' })
  await client.ok(['clone', '-q', remoteOf(nodes.b.url, space, a.token), 'second'])
  assert.is(await client.ok(['rev-parse', 'HEAD'], { in: 'second' }), pushed)
})

test('a copy of a space is whole at the other node', async () => {
  const space = await made()
  await edit(b, space, 'More')
  const { body, status } = await a.post(`/v1/spaces/${space}/duplicate`)
  assert.ok(status < 300, `${status}`)
  assert.equal(await titles(b, body.id), ['Docs', 'More'])
})

test('a folder that is no cache is set aside, not deleted', async () => {
  const space = await made()
  const dir = spaceFolder(folder, space)
  gitOutside(folder, ['init', '-q', '--bare', dir])
  assert.equal(await titles(b, space), ['Docs'])
  const names = readdirSync(join(folder, 'lost'))
  assert.is(names.filter(name => name.startsWith(`${space}.git-`)).length, 1)
})

test('a change holds although the folder could not follow it', async () => {
  const space = await made()
  await writeFile(join(spaceFolder(nodes.a.dataDir, space), `${main}.lock`), '')
  assert.is((await edit(a, space, 'Kept')).status, 200)
  assert.equal(await titles(b, space), ['Docs', 'Kept'])
  assert.equal(await titles(a, space), ['Docs', 'Kept'])
  assert.is((await edit(a, space, 'After')).status, 200)
  assert.equal(await titles(b, space), ['Docs', 'Kept', 'After'])
})

test('packs are folded into a base, for nodes that follow and for one that begins', async () => {
  const space = await made()
  await titles(b, space)
  for (const title of ['One', 'Two', 'Three']) await edit(a, space, title)
  const { store } = nodes.a.ctx
  const packs = listPacks(store, space, 0)
  assert.is(packs.length, 4)
  await foldPacks(nodes.a.ctx, { most: 3 })
  assert.equal(listPacks(store, space, 0), [{ ...packs[3], kind: 'base' }])
  const wanted = ['Docs', 'One', 'Two', 'Three']
  assert.equal(await titles(b, space), wanted)
  rmSync(spaceFolder(folder, space), { recursive: true })
  assert.is((await edit(a, space, 'Four')).status, 200)
  assert.equal(await titles(b, space), [...wanted, 'Four'])
})

test('a large file reaches the other node in parts', async () => {
  const space = await made()
  const dir = await client.ok(['clone', '-q', remoteOf(nodes.a.url, space, a.token), 'large'])
  assert.is(dir, '')
  await writeFile(join(client.folder, 'large/large.bin'), randomBytes(7_000_000))
  await client.ok(['add', '.'], { in: 'large' })
  await client.ok(['commit', '-q', '-m', 'Large'], { in: 'large' })
  await client.ok(['push', '-q', 'origin', 'HEAD'], { in: 'large' })
  const { store } = nodes.a.ctx
  const shape = listPacks(store, space, 0).map(({ seq, kind, parts }) => ({ seq, kind, parts }))
  assert.equal(shape.slice(1), [{ seq: 2, kind: 'pack', parts: 7 }])
  const sent = await nodes.cluster.query(
    `select distinct seq from git_log where space_id = '${space}'`,
    new URL(nodes.env.STEMMA_DATABASE!).pathname.slice(1),
  )
  assert.is(sent.length, 2, 'nothing is left of what was sent ahead')
  await client.ok(['clone', '-q', remoteOf(nodes.b.url, space, a.token), 'large-too'])
  const size = (name: string) => statSync(join(client.folder, name, 'large.bin')).size
  assert.is(size('large-too'), size('large'))
})

test('the search of a node finds what another one has written', async () => {
  const space = await made()
  await titles(b, space)
  await edit(a, space, 'Marmalade')
  assert.equal(await titles(b, space), ['Docs', 'Marmalade'])
  await keepCaches(nodes.b.ctx, new AbortController().signal)
  const { body } = await b.get(`/v1/spaces/${space}/search?query=marmalade`)
  assert.match(JSON.stringify(body), /Marmalade/)
})

test('a folder that is gone, or damaged, is made again', async () => {
  const space = await made()
  await edit(b, space, 'One')
  const dir = spaceFolder(folder, space)
  await nodes.restartB(() => rmSync(folder, { recursive: true }))
  b = nodes.adminAtB
  assert.equal(await titles(b, space), ['Docs', 'One'])

  await edit(a, space, 'Two')
  rmSync(join(dir, 'objects'), { recursive: true })
  assert.equal(await titles(b, space), ['Docs', 'One', 'Two'])

  rmSync(dir, { recursive: true })
  await edit(a, space, 'Three')
  assert.equal(await titles(b, space), ['Docs', 'One', 'Two', 'Three'])
  assert.is((await edit(b, space, 'Four')).status, 200)
  assert.equal(await titles(a, space), ['Docs', 'One', 'Two', 'Three', 'Four'])
  fsck({ dir })
  assert.is(gitOutside(dir, ['symbolic-ref', 'HEAD']), 'refs/heads/main')
})

test('a node without a folder serves what the addresses of another node lead to', async () => {
  const space = await made()
  await edit(a, space, 'Printed')
  const file = { name: 'plan.txt', type: 'text/plain', size: 4 }
  const upload = await a.post('/v1/orgs/acme/storage/upload', { file, kind: 'import_file' })
  await fetch(upload.body.url, { method: 'PUT', body: 'plan' })
  const files = [{ name: file.name, upload: upload.body.key }]
  const changes = [{ operation: 'insert_files', files }]
  assert.is((await a.post(`/v1/spaces/${space}/content`, { changes })).status, 200)
  const [listed] = (await a.get(`/v1/spaces/${space}/content/files`)).body.items
  const pdf = (await a.get(`/v1/spaces/${space}/pdf`)).body.url
  const atB = async (address: string) => {
    await nodes.restartB(() => rmSync(folder, { recursive: true }))
    const { pathname, search } = new URL(address)
    const reply = await fetch(new URL(pathname + search, nodes.b.url))
    assert.is(reply.status, 200, address)
    return reply.text()
  }
  assert.is(await atB(listed.downloadURL), 'plan')
  if (!canPrint()) return skip('printing is not installed')
  assert.is((await atB(pdf)).slice(0, 5), '%PDF-')
  b = nodes.adminAtB
})

test.run()
