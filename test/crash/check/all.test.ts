import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { git } from '../clients/git.ts'
import { repositoryOf } from '../clients/repository.ts'
import { newLedger, newSpace, type Promised } from '../ledger.ts'
import { check } from './all.ts'
import { databaseOf } from './rows.ts'

const app = await startApp()
const { body: space } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Home' })
const { body: request } = await app.admin.post(`/v1/spaces/${space.id}/change-requests`, {
  subject: 'More',
})

test.after(() => app.stop())

const options = { thorough: false, round: 0, secret: 'a password' }

function promise() {
  const ledger = newLedger()
  const promised = newSpace(space.id, { dir: '', url: '', branch: '' }, 0, false)
  ledger.spaces.push(promised)
  return { ledger, promised }
}

test('a promised text that is missing is looked for twice, then reported', async () => {
  const { ledger, promised } = promise()
  assert.equal(await check(app, ledger, options), [])
  promised.tokens.set('tok1z', 'yes')
  const [lost = '', ...others] = await check(app, ledger, options)
  assert.match(lost, /tok1z is lost/)
  assert.equal(others, [])
})

test('a promised deletion and a promised merge that did not happen are reported', async () => {
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
  const found = (await check(app, ledger, options)).join('\n')

  assert.match(found, /was promised to be deleted/)
  assert.match(found, /request 1 was promised to be merged/)
  assert.match(found, /tok2z is lost from request 1/)
})

test('a pushed proposal that is lost, refused but there, or only a branch, is reported', async () => {
  const { ledger, promised } = promise()
  const dir = repositoryOf(app.dataDir, space.id)
  const branch = await git(dir, ['rev-parse', 'refs/heads/change-requests/1'])
  promised.proposals.set(`${branch} topic/tok1z`, 'maybe')
  promised.proposals.set('1'.repeat(40), 'yes')
  const found = (await check(app, ledger, options)).join('\n')

  assert.match(found, /topic\/tok1z has a branch, but no change request/)
  assert.match(found, /the pushed proposal 1{40} is lost/)
  promised.proposals.clear()
  promised.proposals.set(branch, 'maybe')
  assert.equal(await check(app, ledger, options), [])
  assert.is(promised.proposals.get(branch), 'yes')
  promised.proposals.set(branch, 'no')
  assert.match((await check(app, ledger, options)).join('\n'), /was refused, but is there/)
})

test('a lost comment, an unknown reply and wrong counters are reported', async () => {
  const { ledger, promised } = promise()
  const path = `/v1/spaces/${space.id}/comments`
  const { body: comment } = await app.admin.post(path, { body: { markdown: 'say1z' } })
  const { body: reply } = await app.admin.post(`${path}/${comment.id}/replies`, {
    body: { markdown: 'say2z' },
  })

  for (const fact of ['say1z', `comment ${comment.id}`]) promised.facts.set(fact, 'yes')
  promised.facts.set('say3z', 'yes')
  promised.facts.set(`resolved ${comment.id}`, 'maybe')
  const [lost = '', extra = '', ...others] = await check(app, ledger, options)

  assert.match(lost, /"say3z" was promised, but is not true/)
  assert.match(extra, /no client said "say2z"/)
  assert.equal(others, [])
  assert.is(promised.facts.get(`resolved ${comment.id}`), 'no')

  promised.facts.delete('say3z')
  promised.facts.set('say2z', 'yes')
  const database = new Database(databaseOf(app.dataDir))

  database.exec('UPDATE comment SET replies = 2; UPDATE space SET open_comments = 5')
  assert.equal(await check(app, ledger, options), [
    `a space miscounts its open comments: {"id":"${space.id}","has":5,"should":1}`,
    `a comment miscounts its replies: {"id":"${comment.id}","has":2,"should":1}`,
  ])
  database.exec('UPDATE comment SET replies = 1; UPDATE space SET open_comments = 1')
  database.exec(`DELETE FROM comment_reply; DROP TRIGGER audit_event_lasts;
    DELETE FROM audit_event WHERE action = 'comment.created'`)
  const found = (await check(app, ledger, options)).join('\n')

  assert.match(
    found,
    new RegExp(`a comment does not have exactly one event: {"id":"${comment.id}"}`),
  )
  assert.match(found, new RegExp(`an event refers to a missing reply: .*${reply.id}`))
  database.close()
})

test.run()
