import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { startApp } from '../../support/app.ts'
import { openCall } from '../clients/call.ts'
import { textWith } from '../clients/describe.ts'
import { git } from '../clients/git.ts'
import { newLedger, newSpace, newSpec, type Word } from '../ledger.ts'
import { check, waitForJobs } from './all.ts'
import { checkSearch } from './search.ts'

const app = await startApp()
const at = '2026-01-01T00:00:00.000Z'
insertOrganization(app.ctx.store, { id: 'default', title: 'Default', created_at: at })
putMember(app.ctx.store, 'default', app.admin.id, 'admin', at)
const { admin, dataDir } = app
const path = '/v1/orgs/default/openapi/api-3'

test.after(() => app.stop())

/** Returns the findings when the acknowledged texts of the spec are these. */
async function look(texts: [string, Word][], change: Partial<ReturnType<typeof newSpec>> = {}) {
  const ledger = newLedger()
  const spec = { ...newSpec(3), texts: new Map(texts), ...change }
  ledger.specs.push(spec)
  const found = await check({ dataDir }, ledger, {
    thorough: false,
    round: 0,
    secret: 'a password',
  })
  return { found, spec }
}

test('lost, reordered, duplicate and unknown texts are reported, and uncertain ones are settled', async () => {
  for (const token of ['api1z', 'api2z'])
    await admin.put(path, { source: { text: textWith(token) } })
  assert.is(await waitForJobs({ dataDir }), undefined)
  const { id } = (await admin.get(path)).body
  const { found, spec } = await look([
    ['api1z', 'maybe'],
    ['api0z', 'maybe'],
    ['api2z', 'yes'],
  ])

  assert.equal(found, [])
  assert.is(spec.id, id)
  assert.equal([...spec.texts.values()], ['yes', 'no', 'yes'])

  const wrong = await look([
    ['api2z', 'yes'],
    ['api1z', 'no'],
    ['api3z', 'yes'],
  ])
  const about = `spec api-3 (${id}):`

  assert.equal(wrong.found, [
    `${about} api1z was refused, and is a version`,
    `${about} api3z is lost`,
    `${about} its texts were put as api2z,api1z, and are there as api1z,api2z`,
  ])

  // The first text is committed again, without a row.
  const dir = join(dataDir, 'specs/default.git')
  const ref = `refs/heads/api-3.${id}`
  const head = await git(dir, ['rev-parse', ref])
  const again = await git(dir, ['commit-tree', '-p', head, '-m', 'again', `${head}~^{tree}`])

  await git(dir, ['update-ref', ref, again])
  const doubled = (await look([['api1z', 'yes']])).found.join('\n')

  assert.match(doubled, `its last version is ${head}, its branch is at ${again}`)
  assert.match(doubled, /its rows have the versions/)
  assert.match(doubled, 'api1z is 2 of its versions')
  assert.match(doubled, 'nobody put api2z')
  await git(dir, ['update-ref', ref, head])
})

test('a spec that differs from the acknowledged one is reported, and so are remains of a deleted one', async () => {
  const { id } = (await admin.get(path)).body
  const texts: [string, Word][] = [
    ['api1z', 'yes'],
    ['api2z', 'yes'],
  ]

  assert.match(
    (await look(texts, { visibility: ['public'] })).found.join(),
    /is private, and was promised/,
  )

  assert.match(
    (await look(texts, { deleted: 'yes', id })).found.join(),
    /to be deleted, and is there/,
  )

  assert.match(
    (await look(texts, { slug: 'another' })).found.join(),
    new RegExp(`nobody put api-3 .${id}`),
  )
  await admin.delete(path)
  assert.equal((await look(texts, { deleted: 'maybe', id })).found, [])
  assert.match((await look(texts, { id })).found.join(), /was promised, and is not there/)
  const dir = join(dataDir, 'specs/default.git')
  const tree = await git(dir, ['mktree'])
  const commit = await git(dir, ['commit-tree', '-m', 'left', tree])

  await git(dir, ['update-ref', `refs/heads/api-3.${id}`, commit])
  assert.equal((await look(texts, { deleted: 'yes', id })).found, [
    `specs: Git has refs/heads/api-3.${id}, no row does`,
    `specs: the mirror has , Git refs/heads/api-3.${id} ${commit}`,
  ])
  await git(dir, ['update-ref', '-d', `refs/heads/api-3.${id}`])
})

test('a search that does not find the text of a page is reported', async () => {
  const { body: made } = await admin.post('/v1/orgs/default/spaces', { title: 'Found' })
  const changes = [
    { operation: 'insert_page', title: 'One', document: { markdown: '# One\n\ntok1z\n' } },
  ]
  const { body: edit } = await admin.post(`/v1/spaces/${made.id}/content`, { changes })
  const space = newSpace(made.id, { dir: '', url: '', branch: '' }, 0, false)

  space.pages[3] = { id: edit.changes[0].page.id, title: 'One', tokens: ['tok1z', 'tok2z'] }
  space.tokens.set('tok1z', 'yes')
  const { call, close } = openCall(app.url, admin.token)

  assert.equal(await checkSearch(call, { dataDir }, { spaces: [space] }), {
    found: [],
    searches: 2,
  })
  space.tokens.set('tok2z', 'yes')
  const { found } = await checkSearch(call, { dataDir }, { spaces: [space] }, { openMs: 500 })

  assert.is(found.length, 2)
  assert.match(found[0]!, /\/v1\/orgs\/default\/search does not find tok2z on .*, but 200/)
  close()
})

test.run()
