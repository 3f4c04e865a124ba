import { rmSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { specsFolder } from '../../src/actions/repositories/specs-repository.ts'
import { lockSpecs } from '../../src/actions/specs/open-specs.ts'
import { verify } from '../../src/actions/upkeep/verify.ts'
import { petstore } from '../api/openapi/host.ts'
import type { Actor } from '../support/app.ts'
import { fsck, gitOutside } from '../support/git/repo.ts'
import { until } from '../support/until.ts'
import { type Nodes, startNodes } from './nodes.ts'
import { postgresSuite } from './suite.ts'

let nodes: Nodes
let a: Actor
let b: Actor
const test = postgresSuite(
  'OpenAPI specs at two nodes',
  async () => {
    nodes = await startNodes()
    a = nodes.a.admin
    b = nodes.adminAtB
  },
  () => nodes?.stop(),
)

const path = (slug: string) => `/v1/orgs/acme/openapi/${slug}`

/** Puts a text at one node, and waits until a node has read it. Returns the spec. */
async function put(at: Actor, slug: string, title: string) {
  const sent = await at.put(path(slug), { source: { text: petstore(title) } })
  assert.ok(sent.status < 300, sent.text)
  return until(`${title} is read`, async () => {
    const { body } = await at.get(path(slug))
    return body.processingState === 'complete' ? body : undefined
  })
}

const shown = async (at: Actor, slug: string) =>
  (await at.get(`${path(slug)}/versions/latest/content/raw`)).text

const folders = () => [nodes.a.dataDir, nodes.b.ctx.config.dataDir]
const branchesIn = (dataDir: string) =>
  gitOutside(specsFolder(dataDir, 'acme'), ['for-each-ref', '--format=%(refname)', 'refs/heads/'])

/** Brings the folders of both nodes to where the database is. */
async function settle(): Promise<void> {
  for (const ctx of [nodes.a.ctx, nodes.b.ctx]) await lockSpecs(ctx, 'acme', async () => {})
}

test('versions of turns at two nodes make one line, which both show', async () => {
  for (let turn = 0; turn < 4; turn++) {
    const spec = await put(turn % 2 === 0 ? a : b, 'pets', `Pets ${turn}`)
    for (const at of [a, b]) {
      assert.match(await shown(at, 'pets'), `Pets ${turn}`)
      const { items } = (await at.get(`${path('pets')}/versions`)).body
      assert.is(items.length, turn + 1)
      assert.is(items[0].id, spec.lastVersion)
    }
  }
})

test('specs that both nodes put at once are all kept, each with its texts in order', async () => {
  const slugs = ['one', 'two', 'three', 'four']
  await Promise.all(slugs.map((slug, at) => put(at % 2 === 0 ? a : b, slug, `First ${slug}`)))
  await Promise.all(slugs.map((slug, at) => put(at % 2 === 0 ? b : a, slug, `Second ${slug}`)))
  for (const slug of slugs)
    for (const at of [a, b]) {
      assert.match(await shown(at, slug), `Second ${slug}`)
      assert.is((await at.get(`${path(slug)}/versions`)).body.items.length, 2)
    }
})

test('a node whose folder is lost shows the specs, and writes on', async () => {
  const lost = specsFolder(nodes.b.ctx.config.dataDir, 'acme')
  nodes.b.ctx.processes.closeRepository(lost)
  rmSync(lost, { recursive: true })
  assert.match(await shown(b, 'one'), 'Second one')
  await put(b, 'one', 'Third one')
  assert.match(await shown(a, 'one'), 'Third one')
})

test('a spec that is deleted at one node is gone at both, with its branch', async () => {
  assert.is((await a.delete(path('two'))).status, 204)
  assert.is((await b.get(path('two'))).status, 404)
  await until('the branch is gone everywhere', async () => {
    await settle()
    return folders().every(folder => !branchesIn(folder).includes('/two.')) || undefined
  })
  const again = await put(b, 'two', 'Another two')
  assert.is((await a.get(`${path('two')}/versions`)).body.items.length, 1)
  assert.match(await shown(a, 'two'), 'Another two')
  assert.ok(again.lastVersion)
})

test('both folders are sound and have the branches of the database', async () => {
  await settle()
  const [here, there] = folders().map(branchesIn)
  assert.is(here, there)
  for (const ctx of [nodes.a.ctx, nodes.b.ctx]) {
    const dir = specsFolder(ctx.config.dataDir, 'acme')
    fsck({ dir })
    const problems = (await verify(ctx)).filter(({ organization }) => organization === 'acme')
    assert.equal(problems, [])
  }
})

test.run()
