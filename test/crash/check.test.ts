import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'
import { check } from './check.ts'
import { newLedger, newSpace, type Promised } from './ledger.ts'

const app = await startApp()
const { body: space } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Home' })
const { body: request } = await app.admin.post(`/v1/spaces/${space.id}/change-requests`, { subject: 'More' })

test.after(() => app.stop())

const options = { thorough: false, round: 0, secret: 'a password' }

function promise() {
  const ledger = newLedger()
  const promised = newSpace(space.id, { dir: '', url: '', branch: '' }, 0, false)
  ledger.spaces.push(promised)
  return { ledger, promised }
}

test('what was promised is looked for again when the first look did not find it, and told', async () => {
  const { ledger, promised } = promise()
  assert.equal(await check(app.dataDir, ledger, options), [])
  promised.tokens.set('tok1z', 'yes')
  const [lost = '', ...others] = await check(app.dataDir, ledger, options)
  assert.match(lost, /tok1z is lost/)
  assert.equal(others, [])
})

test('a deletion and a merge that were promised, and did not happen, are told', async () => {
  const { ledger, promised } = promise()
  const { id, number } = request
  const merged: Promised = {
    id,
    number,
    client: 0,
    tokens: new Map([['tok2z', 'yes']]),
    commits: [],
    pages: [],
    pushed: [],
    merged: 'yes',
    mergeRevision: undefined,
  }
  promised.requests.push(merged)
  promised.deleted = 'yes'
  const found = (await check(app.dataDir, ledger, options)).join('\n')
  assert.match(found, /was promised to be deleted/)
  assert.match(found, /request 1 was promised to be merged/)
  assert.match(found, /tok2z is lost from request 1/)
})

test.run()
