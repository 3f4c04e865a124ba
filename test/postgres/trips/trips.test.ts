import * as assert from 'uvu/assert'
import { postgresSuite } from '../suite.ts'
import { type Measured, startMeasured } from './measured-app.ts'

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

/** Makes the server forget the rows of the space. */
const forget = () => comment()

test('a read of what is known waits for nothing', async () => {
  await read()
  assert.is(await app.tripsOf(read), 0)
})

test('a first read', async () => {
  await forget()
  assert.is(await app.tripsOf(read), 1)
})

test('an edit of what is known', async () => {
  await read()
  assert.is(await app.tripsOf(() => edit(updated(10))), 2)
})

test('an edit after another one', async () => {
  await edit(updated(11))
  assert.is(await app.tripsOf(() => edit(updated(12))), 2)
})

test('a comment', async () => {
  await read()
  assert.is(await app.tripsOf(comment), 4)
})

test('a merge', async () => {
  const number = await openRequest('Measured')
  assert.is(await app.tripsOf(() => merge(number)), 5)
})

test.run()
