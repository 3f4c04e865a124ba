import * as assert from 'uvu/assert'
import { type Nodes, startNodes } from '../../postgres/nodes.ts'
import { postgresSuite } from '../../postgres/suite.ts'
import { publishedSite } from '../../support/sites.ts'

let nodes: Nodes

const test = postgresSuite(
  'sums of events of two nodes',
  async () => {
    nodes = await startNodes()
  },
  () => nodes?.stop(),
)

test('what readers do at two nodes on the same day adds up', async () => {
  const { admin } = nodes.a
  const { body: space } = await admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })
  const site = await publishedSite(nodes.a, [space.id])
  const address = (await admin.get(`/v1/orgs/acme/sites/${site.id}`)).body.urls.published
  const { pathname } = new URL(address)
  const browser = {
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
    accept: 'text/html',
    connection: 'close',
  }
  const read = async (origin: string, times: number) => {
    for (let n = 0; n < times; n++)
      assert.is((await fetch(new URL(pathname, origin), { headers: browser })).status, 200)
  }
  const write = () => {
    for (const { ctx } of [nodes.b, nodes.a]) ctx.siteEvents.write('all')
  }

  await read(nodes.a.url, 2)
  await read(nodes.b.url, 3)
  write()
  await read(nodes.b.url, 1)
  await read(nodes.a.url, 1)
  write()

  for (const by of [admin, nodes.adminAtB]) {
    const { body, status, text } = await by.post(
      `/v1/orgs/acme/sites/${site.id}/insights/events/aggregate`,
      {
        range: 'last7Days',
        groupBy: [{ column: 'page' }],
        where: [{ column: 'eventType', values: ['page_view'] }],
      },
    )
    assert.is(status, 200, text)
    assert.equal(body.columns.at(-1), { column: 'eventsCount', values: [7] })
  }
})

test.run()
