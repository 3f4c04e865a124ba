import { sql } from 'kysely'
import * as assert from 'uvu/assert'
import { sqlRows } from '../../../src/store/store.ts'
import { postgresSuite } from '../suite.ts'
import { type Measured, startMeasured } from '../trips/measured-app.ts'

let app: Measured
let space = ''
const test = postgresSuite(
  'what transactions depend on',
  async () => {
    app = await startMeasured()
    const { body } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Space' })
    space = `/v1/spaces/${body.id}`
  },
  () => app?.stop(),
)

const ask = (text: string) => app.ctx.store.all(sqlRows<{ name: string }>(sql.raw(text)))

/** Runs a statement on the connection of transactions that block, and on that of awaited ones. */
async function askBoth(text: string): Promise<void> {
  ask(text)
  await app.ctx.store.transactBeside(() => ask(text))
}

/** Returns the tables that an edit and a comment have read as a whole. */
async function wholeTables(title: string): Promise<string[]> {
  // The planner then knows that the tables are small.
  ask('analyze')
  ask('select pg_stat_reset()')
  const document = { markdown: `# ${title}\n` }
  const changes = [{ operation: 'insert_page', title, document }]
  const edit = await app.admin.post(`${space}/content`, { changes })
  assert.is(edit.status, 200, edit.text)
  const page = (await app.admin.get(`${space}/content/path/${title.toLowerCase()}`)).body.id
  const posted = { page, body: { markdown: 'Hm.' } }
  const comment = await app.admin.post(`${space}/comments`, posted)
  assert.is(comment.status, 200, comment.text)
  await askBoth('select pg_stat_force_next_flush()')
  // A row of key_check is written once, by the first start.
  return ask(`select relname as name from pg_stat_user_tables
    where seq_scan > 0 and relname <> 'key_check' order by 1`).map(({ name }) => name)
}

// A transaction depends on every row of a table that it reads as a whole: at SERIALIZABLE, it would
// run again for each write of another node to it.
test('an edit and a comment read no table as a whole, however small it is', async () => {
  assert.equal(await wholeTables('One'), [])
})

test('the check finds a table that is read as a whole', async () => {
  await askBoth('set enable_seqscan = on')
  assert.ok((await wholeTables('Two')).includes('space'))
})

test.run()
