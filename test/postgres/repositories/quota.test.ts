import { randomBytes } from 'node:crypto'
import * as assert from 'uvu/assert'
import { sumPacks } from '../../../src/store/cluster/git-log.ts'
import type { Actor } from '../../support/app.ts'
import { type Nodes, startNodes } from '../nodes.ts'
import { postgresSuite } from '../suite.ts'

const limit = 2 * 1024 ** 2
let nodes: Nodes

const test = postgresSuite(
  'the limit of the bytes of an organization with two nodes',
  async () => {
    nodes = await startNodes({ STEMMA_MAX_ORGANIZATION_MB: '2' })
  },
  async () => {
    await nodes?.stop()
  },
)

/** Adds a page of random text, which packs to at least half of its size. */
const add = (by: Actor, space: string, size: number) => {
  const title = randomBytes(6).toString('hex')
  const document = { markdown: randomBytes(size / 2).toString('hex') }
  const changes = [{ operation: 'insert_page', title, document }]
  return by.post(`/v1/spaces/${space}/content`, { changes })
}

test('a node counts at once what another one has added to other spaces', async () => {
  const { a, adminAtB } = nodes
  const made = async (by: Actor): Promise<string> =>
    (await by.post('/v1/orgs/acme/spaces', { title: 'Docs' })).body.id
  const spaces = [await made(a.admin), await made(adminAtB)] as const
  // So close to the limit that a node caches the sum for some milliseconds.
  const sum = () => sumPacks(a.ctx.store, 'acme')
  while (sum() < 0.95 * limit)
    assert.is((await add(a.admin, spaces[0], sum() < limit / 2 ? 400_000 : 60_000)).status, 200)
  assert.is((await add(adminAtB, spaces[1], 1_000)).status, 200)
  assert.is((await add(a.admin, spaces[0], 400_000)).status, 200)
  const refused = await add(adminAtB, spaces[1], 1_000)
  assert.is(refused.status, 413, refused.text)
  assert.match(refused.text, /total limit of 2 MB/)
})

test.run()
