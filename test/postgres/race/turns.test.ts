import * as assert from 'uvu/assert'
import { noteOvertaken } from '../../../src/actions/repositories/node-turns.ts'
import { giveTurn, takeTurn } from '../../../src/store/cluster/turns.ts'
import { until } from '../../support/until.ts'
import { type Bench, openBench } from '../bench.ts'
import { type Nodes, startNodes } from '../nodes.ts'
import { postgresSuite } from '../suite.ts'

let bench: Bench
let nodes: Nodes
const test = postgresSuite(
  'turns of nodes',
  async () => {
    bench = await openBench()
    nodes = await startNodes()
  },
  async () => {
    await nodes?.stop()
    bench?.stop()
  },
)

test('one node at a time has the turn of a repository', async () => {
  const [one, two] = [bench.node(), bench.node()]
  assert.ok(await takeTurn(one, 'docs'))
  assert.not.ok(await takeTurn(two, 'docs'))
  assert.ok(await takeTurn(two, 'other'))
  await giveTurn(one, 'docs')
  assert.ok(await takeTurn(two, 'docs'))
})

test('a node that dies loses its turn', async () => {
  const [one, two] = [bench.node(), bench.node()]
  assert.ok(await takeTurn(one, 'lost'))
  one.close()
  assert.ok(await until('the turn is free', async () => (await takeTurn(two, 'lost')) || undefined))
})

test('nodes that overtake each other write in turn, and a turn that is not given stops nobody', async () => {
  const { a, b, adminAtB } = nodes
  const space = (await a.admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })).body.id
  const edit = (by: typeof adminAtB, title: string) =>
    by.post(`/v1/spaces/${space}/content`, {
      changes: [{ operation: 'insert_page', title, document: { markdown: 'Text.' } }],
    })
  noteOvertaken(a.ctx, space)
  noteOvertaken(b.ctx, space)
  const replies = await Promise.all(
    ['One', 'Two', 'Three'].flatMap(title => [
      edit(a.admin, `${title} here`),
      edit(adminAtB, `${title} there`),
    ]),
  )
  for (const { status, text } of replies) assert.is(status, 200, text)
  // No edit keeps its turn.
  await until('the turn is free', async () => (await takeTurn(a.ctx.store, space)) || undefined)
  assert.is((await edit(adminAtB, 'Four')).status, 200)
})

test.run()
