import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openSyncBench, type SyncBench } from '../support/git/remote.ts'
import { clientFor, type Driven, notDriven } from '../support/http/client.ts'

let bench: SyncBench
let driven: Driven
let space = ''
test.before(async () => {
  bench = await openSyncBench()
  driven = clientFor(bench.app, bench.app.admin)
  space = await bench.space('Docs')
})
test.after(() => bench.stop())

/** Commits a file to a branch of the space, as somebody on the machine would. */
function commit(branch: string, path: string, text: string): void {
  const dir = bench.git(space, 'rev-parse', '--absolute-git-dir')
  bench.commit(dir, { [path]: text }, 'By hand', branch)
}

test('a change request from its beginning to its merge', async () => {
  const { spaces } = driven.client
  const description = {
    object: 'document',
    data: { schemaVersion: 1 },
    nodes: [
      {
        object: 'block',
        type: 'paragraph',
        nodes: [{ object: 'text', leaves: [{ object: 'leaf', text: 'Why.', marks: [] }] }],
      },
    ],
  } as never
  const made = (await spaces.createChangeRequest(space, { subject: 'Clearer' })).data
  const number = String(made.number)

  await spaces.updateChangeRequestById(space, number, { subject: 'Clearer words', description })
  const read = (await spaces.getChangeRequestById(space, made.id)).data

  assert.is(read.subject, 'Clearer words')
  assert.ok(read.description)
  commit(`change-requests/${number}`, 'README.md', '# Docs\n\nMore.\n')
  const { changes } = (await spaces.getChangeRequestChanges(space, number, {})).data

  assert.ok(changes.some(change => (change.type as string) === 'page_edited'))
  const people = (await spaces.getContributorsByChangeRequestId(space, number)).data

  assert.ok(Array.isArray(people.items))
  commit('main', 'other.md', '# Other\n')
  assert.is((await spaces.getChangeRequestById(space, number)).data.outdated, true)
  assert.is((await spaces.updateChangeRequest(space, number)).data.result, 'update' as never)
  const merged = (await spaces.mergeChangeRequest(space, number)).data

  assert.is(merged.result, 'merge' as never)
  const after = (await spaces.getChangeRequestById(space, number)).data

  assert.is(after.status, 'merged' as never)
  assert.is(after.revisionMerged, merged.revision)
})

test('a change request that conflicts says so and moves nothing', async () => {
  const { spaces } = driven.client
  const { number } = (await spaces.createChangeRequest(space, { subject: 'Mine' })).data
  commit(`change-requests/${number}`, 'other.md', '# Mine\n')
  commit('main', 'other.md', '# Theirs\n')
  const head = bench.git(space, 'rev-parse', 'main')
  const merged = (await spaces.mergeChangeRequest(space, String(number))).data

  assert.is(merged.result, 'conflicts' as never)
  assert.is(bench.git(space, 'rev-parse', 'main'), head)
  assert.is(
    (await spaces.updateChangeRequest(space, String(number))).data.result,
    'conflicts' as never,
  )
})

test('the lists', async () => {
  const { spaces, orgs } = driven.client
  await spaces.createChangeRequest(space, {})
  const open = (
    await spaces.listChangeRequestsForSpace(space, { status: 'open' as never, limit: 5 })
  ).data
  const drafts = (await spaces.listChangeRequestsForSpace(space, { status: 'draft' as never })).data
  const merged = (
    await spaces.listChangeRequestsForSpace(space, {
      status: 'merged' as never,
      creator: bench.app.admin.id,
    })
  ).data

  assert.equal(
    [open, drafts, merged].map(({ items }) => items.length),
    [1, 1, 1],
  )
  const all = (await orgs.listChangeRequestsForOrganization('acme', { limit: 5 })).data

  assert.is(all.items.length, 1)
})

test('every operation that the client has for these was called', () => {
  const left = notDriven(/\/change-requests(?:\/|$)/, driven.done).filter(
    key =>
      !/\/(?:content|comments|commenters|reviews|requested-reviewers|search|links|pdf)(?:\/|$)/.test(
        key,
      ),
  )
  assert.equal(left, [])
})

test.run()
