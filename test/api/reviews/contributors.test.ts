import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { gitOutside } from '../../support/git/repo.ts'

const app = await startApp()
test.after(() => app.stop())

const [ed, bob, eva] = [
  app.user('Ed', 'review'),
  app.user('Bob', 'review'),
  app.user('Eva', 'review'),
]

/** A locked space with these merge rules and a change request by Ed. */
async function changeRequest(...rules: object[]) {
  const { api, space } = await makeSpace(app, { 'README.md': '# Home\n', 'a.md': '# A\n' })
  await app.admin.patch(api, {
    defaultLevel: 'review',
    editMode: 'locked',
    mergeRules: { type: 'rules', rules },
  })
  const { id, number } = (await ed.post(`${api}/change-requests`, { subject: 'X' })).body
  const request = `${api}/change-requests/${id}`

  assert.is((await write(ed, request)).status, 200)
  const review = async (by: typeof ed, status = 'approved') => {
    const reply = await by.post(`${request}/reviews`, { status })
    assert.is(reply.status, 201, reply.text)
  }
  const merge = (by = bob) => by.post(`${request}/merge`, {})

  return { api, space, number, request, review, merge }
}

const write = (by: typeof ed, request: string) =>
  by.post(`${request}/content`, {
    changes: [{ operation: 'insert_page', title: 'More', document: { markdown: 'Words\n' } }],
  })

const allApproved = { rule: 'require_all_reviews_approved' }

test('a contributor cannot approve, whoever merges', async () => {
  const { request, review, merge } = await changeRequest(allApproved)
  await write(bob, request)
  await review(bob)
  const refused = await merge()

  assert.is(refused.status, 412, refused.text)
  assert.match(refused.text, /contributed to the change request do not count: bob\./)
  await review(eva)
  const merged = await merge(eva)

  assert.is(merged.body.result, 'merge', merged.text)
})

test('a request for changes by a contributor counts', async () => {
  const { request, review, merge } = await changeRequest(allApproved)
  await write(bob, request)
  await review(eva)
  await review(bob, 'changes-requested')
  assert.is((await merge()).status, 412)
  await review(bob)
  assert.is((await merge()).body.result, 'merge')
})

test('an update with the primary content is not a contribution, a resolved conflict is', async () => {
  const { api, request, review, merge } = await changeRequest(allApproved)
  const rename = async (at: string, title: string, by = ed) => {
    const page = (await by.get(`${at}/content/path/a`)).body.id
    const change = { operation: 'update_page', page, document: { markdown: `# A\n\n${title}\n` } }
    const reply = await by.post(`${at}/content`, { changes: [change] })
    assert.is(reply.status, 200, reply.text)
  }

  const primary = async (work: () => Promise<unknown>) => {
    await app.admin.patch(api, { editMode: 'live' })
    await work()
    await app.admin.patch(api, { editMode: 'locked' })
  }

  await primary(() => rename(api, 'one', app.admin))
  assert.is((await bob.post(`${request}/update`, {})).body.result, 'update')
  await review(bob)
  await rename(request, 'two')
  await primary(() => rename(api, 'three', app.admin))
  const resolutions = [{ path: 'a.md', content: '# A\n\nfour\n' }]

  assert.is((await bob.post(`${request}/update`, { resolutions })).body.result, 'update')
  await review(bob)
  assert.is((await merge()).status, 412)
})

test('an update with the primary content does not make the reviewer a contributor', async () => {
  const { api, request, review, merge } = await changeRequest(allApproved)
  await app.admin.patch(api, { editMode: 'live' })
  const page = (await app.admin.get(`${api}/content/path/a`)).body.id
  const change = { operation: 'update_page', page, document: { markdown: '# A\n\nWords\n' } }

  assert.is((await app.admin.post(`${api}/content`, { changes: [change] })).status, 200)
  await app.admin.patch(api, { editMode: 'locked' })
  assert.is((await bob.post(`${request}/update`, {})).body.result, 'update')
  await review(bob)
  assert.is((await merge()).body.result, 'merge')
})

test('pushed commits count for their authors and committers, also behind a merge', async () => {
  const { space, number, request, review, merge } = await changeRequest(allApproved)
  const dir = spaceRepository(app.ctx, space.id).dir
  const branch = `refs/heads/change-requests/${number}`
  const tip = gitOutside(dir, ['rev-parse', branch]).trim()
  const commit = (name: string, from: string, more = '') =>
    [
      `commit ${branch}\n`,
      `author ${name} <${name.toLowerCase()}@example.org> 1700000000 +0000\n`,
      `committer Ed <ed@example.org> 1700000000 +0000\ndata 1\nx\nfrom ${from}\n${more}`,
      `M 100644 inline ${name}.md\ndata 4\n# X\n\n`,
    ].join('')

  gitOutside(dir, ['fast-import', '--quiet', '--force'], commit('Bob', tip))
  const side = gitOutside(dir, ['rev-parse', branch]).trim()

  gitOutside(dir, ['fast-import', '--quiet', '--force'], commit('Ed', tip, `merge ${side}\n`))
  assert.is((await ed.get(`${request}/content`)).status, 200)
  await review(bob)
  assert.match((await merge()).text, /do not count: bob/)
  const { items } = (await ed.get(`${request}/contributors`)).body

  assert.equal(
    items.map(({ user }: { user: { id: string } }) => user?.id).includes('bob'),
    false,
    'the list counts commits of the branch alone',
  )
})

test('the expression of a rule does not see approvals by contributors', async () => {
  const { request, review, merge } = await changeRequest({
    rule: 'custom',
    expression: 'reviews.filter(review => review.counts).length > 0',
  })

  await write(bob, request)
  await review(bob)
  assert.match((await merge()).text, /do not count: bob/)
  await review(bob, 'changes-requested')
  assert.is((await merge()).status, 412)
  await review(eva)
  assert.is((await merge()).body.result, 'merge')
})

test.run()
