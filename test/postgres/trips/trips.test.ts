import * as assert from 'uvu/assert'
import { postgresSuite } from '../suite.ts'
import { type Costs, type Measured, startMeasured } from './measured-app.ts'

let app: Measured
let space = ''
let page = ''
const test = postgresSuite(
  'trips to PostgreSQL',
  async () => {
    app = await startMeasured()
    const { body } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Space' })
    space = `/v1/spaces/${body.id}`
    await edit(inserted('One'))
    page = (await app.admin.get(`${space}/content/path/one`)).body.id
    // The first of each kind tells what the next one reads.
    for (let round = 0; round < 2; round++) {
      await edit(updated(round))
      await comment()
      await merge(await openRequest(`Warm ${round}`))
      await read()
    }
  },
  () => app?.stop(),
)

const inserted = (title: string) => ({
  operation: 'insert_page',
  title,
  slug: title.toLowerCase().replace(' ', '-'),
  document: { markdown: `# ${title}\n\nText\n` },
})
const updated = (times: number) => ({
  operation: 'update_page',
  page,
  document: { markdown: `# One\n\nText ${times}\n` },
})

async function post(path: string, body?: unknown) {
  const reply = await app.admin.post(`${space}${path}`, body)
  assert.ok(reply.status < 300, reply.text)
  return reply.body
}
const edit = (...changes: object[]) => post('/content', { changes })
const comment = () => post('/comments', { page, body: { markdown: 'Hm.' } })
const read = () => app.admin.get(`${space}/content/page/${page}`)

async function openRequest(subject: string): Promise<number> {
  const { number } = await post('/change-requests', { subject })
  await post(`/change-requests/${number}/content`, { changes: [inserted(subject)] })
  return number
}
const merge = (number: number) => post(`/change-requests/${number}/merge`)

/** Makes each edit another one. */
let count = 10

/** Makes the server forget the rows of the space. */
const forget = () => comment()

/**
 * Checks how often some work waits for the database, and how often that blocks the server, in the best
 * of three runs: on a machine that is slow, what is known may grow too old meanwhile, and is read again.
 */
async function checkCosts(
  work: (prepared: number) => Promise<unknown>,
  prepare: () => Promise<unknown>,
  expected: Costs,
): Promise<void> {
  const costs: Costs[] = []
  for (let run = 0; run < 3; run++) {
    const prepared = await prepare()
    costs.push(await app.costsOf(() => work(prepared as number)))
  }
  const fewest = (of: keyof Costs) => Math.min(...costs.map(cost => cost[of]))
  assert.equal({ trips: fewest('trips'), blocks: fewest('blocks') }, expected)
}

test('a read of what is known waits for nothing', async () => {
  await checkCosts(read, read, { trips: 0, blocks: 0 })
})

test('a first read', async () => {
  await checkCosts(read, forget, { trips: 1, blocks: 1 })
})

test('an edit of what is known', async () => {
  await checkCosts(() => edit(updated(++count)), read, { trips: 2, blocks: 0 })
})

test('an edit after another one', async () => {
  const next = () => edit(updated(++count))
  await checkCosts(next, next, { trips: 2, blocks: 0 })
})

test('a comment', async () => {
  await checkCosts(comment, read, { trips: 4, blocks: 2 })
})

/** Returns the fewest looks of three runs: on a slow machine a look grows old before a change. */
async function fewestLooks(work: () => Promise<unknown>): Promise<number> {
  const looks: number[] = []
  for (let run = 0; run < 3; run++) looks.push(await app.looksOf(work))
  return Math.min(...looks)
}

test('a request looks once at what other nodes have written', async () => {
  assert.is(await fewestLooks(read), 1)
  assert.is(await fewestLooks(comment), 1)
  assert.is(await fewestLooks(() => edit(updated(++count))), 1)
})

test('a merge', async () => {
  await checkCosts(merge, () => openRequest(`Measured ${++count}`), { trips: 5, blocks: 3 })
})

test.run()
