import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readIdentity } from '../../../src/actions/revisions/identity.ts'
import { readCommit } from '../../../src/git/objects/objects.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { listIntents } from '../../../src/store/git/intents.ts'
import { findLastRevision, listRevisionsOfPath } from '../../../src/store/git/revisions.ts'
import { updateOrganization } from '../../../src/store/people/organizations.ts'
import { findSpace, updateSpace } from '../../../src/store/spaces/spaces.ts'
import type { MergeRule } from '../../../src/store/tables/merge-rules.ts'
import { startApp } from '../../support/app.ts'
import { commitFiles, fsck, gitOutside, readIndependently } from '../../support/git/repo.ts'
import { makeSpace, paragraph } from './workbench.ts'

const app = await startApp()
const space = await makeSpace(app)
const editor = space.user('Ed', 'edit')
const reviewer = space.user('Rev', 'review')
test.after(() => app.stop())

const merge = (by: typeof editor, number: number) => by.post(`${space.path}/${number}/merge`)
const rulesOf = (rules: MergeRule[]) => ({ type: 'rules' as const, rules })

test('a merge creates a commit with two parents, even where Git could fast-forward', async () => {
  const before = await space.head()
  const { body: made } = await space.open(editor, 'Adds a page', { 'new.md': '# New\n' })
  await editor.patch(`${space.path}/${made.number}`, { description: paragraph('It was missing.') })
  const { status, body } = await merge(editor, made.number)

  assert.is(status, 200)
  assert.is(body.result, 'merge')
  assert.is(body.revision, await space.head())
  const commit = (await readCommit(space.repo, body.revision))!

  assert.equal(commit.parents, [before, made.revision])
  assert.is(commit.author.name, 'Ed')
  assert.is(commit.author.email, 'ed@example.org')
  assert.is(commit.committer.name, 'Stemma')
  assert.is(
    commit.message,
    `Adds a page\n\nIt was missing.\n\nStemma-Space: ${space.id}\nStemma-Change-Request: ${made.number}\nStemma-Operation: merge\n`,
  )
  const { body: after } = await editor.get(`${space.path}/${made.id}`)

  assert.is(after.status, 'merged')
  assert.is(after.revision, made.revision)
  assert.is(after.revisionMerged, body.revision)
  assert.is(after.outdated, false)
  assert.is(await space.head(made.number), undefined)
  assert.is(listIntents(app.ctx.store).length, 0)
  assert.is(findSpace(app.ctx.store, space.id)!.pristine, 0)
  assert.is(findLastRevision(app.ctx.store, space.id)!.oid, body.revision)
  assert.is(listRevisionsOfPath(app.ctx.store, space.id, 'new.md', 5)[0]!.oid, body.revision)
})

test('a change request without changes can be merged', async () => {
  const { body: made } = await space.open(editor, 'Nothing')
  const { body } = await merge(editor, made.number)
  assert.is(body.result, 'merge')
  const commit = (await readCommit(space.repo, body.revision))!
  assert.equal(commit.parents, [made.revision, made.revision])
})

test('independent changes of both sides are kept', async () => {
  await space.commit({ 'long.md': `${'line\n'.repeat(3)}middle\n${'line\n'.repeat(3)}end\n` })
  const { body: made } = await space.open(editor, 'The middle', {
    'long.md': `${'line\n'.repeat(3)}MIDDLE\n${'line\n'.repeat(3)}end\n`,
  })
  await space.commit({ 'long.md': `${'line\n'.repeat(3)}middle\n${'line\n'.repeat(3)}END\n` })
  const { body } = await merge(editor, made.number)

  assert.is(body.result, 'merge')
  const merged = await readIndependently(space.repo, body.revision, 'long.md')

  assert.is(merged.toString(), `${'line\n'.repeat(3)}MIDDLE\n${'line\n'.repeat(3)}END\n`)
})

test('conflicts are listed and nothing moves', async () => {
  await space.commit({
    'SUMMARY.md': '* [Home](README.md)\n* [Both](both.md)\n',
    'both.md': '# Both\n\none\n',
  })

  const { body: made } = await space.open(editor, 'Two', {
    'both.md': '# Both\n\ntwo\n',
    'b.bin': 'b\0',
  })
  const head = await space.commit({ 'both.md': '# Both\n\nthree\n' })
  const { status, body } = await merge(editor, made.number)

  assert.is(status, 200)
  assert.is(body.result, 'conflicts')
  assert.is(body.revision, made.revision)
  assert.is(body.conflicts.length, 1)
  assert.is(body.conflicts[0].path, 'both.md')
  assert.is(body.conflicts[0].type, 'content')
  assert.type(body.conflicts[0].page, 'string')
  assert.is(await space.head(), head)
  assert.is(await space.head(made.number), made.revision)
  assert.is((await editor.get(`${space.path}/${made.number}`)).body.status, 'open')

  const refused = await editor.post(`${space.path}/${made.number}/merge?conflict=409`)

  assert.is(refused.status, 409)
  assert.match(refused.body.error.message, /nothing was merged: both\.md\. Send a resolution/)
  assert.equal(refused.body.details, { conflicts: body.conflicts })
  assert.is(await space.head(), head)
  const other = await editor.post(`${space.path}/${made.number}/merge?conflict=400`)

  assert.is(other.status, 400)
  assert.match(other.body.error.message, /conflict/)
})

test('a merge without conflicts is the same with conflict=409', async () => {
  const { body: made } = await space.open(editor, 'Alone', { 'alone.md': '# Alone\n' })
  const { status, body } = await editor.post(`${space.path}/${made.number}/merge?conflict=409`)
  assert.equal([status, body.result], [200, 'merge'])
})

test('drafts can be merged; strangers and readers cannot merge', async () => {
  const { body: draft } = await editor.post(space.path)
  for (const [by, status] of [
    [space.user('Com', 'comment'), 403],
    [app.user('Stranger'), 404],
    [app.anonymous, 401],
  ] as const) {
    assert.is((await merge(by, draft.number)).status, status)
  }

  assert.is((await merge(editor, draft.number)).status, 200)
  assert.match(
    (await readCommit(space.repo, (await space.head()) as Oid))!.message,
    `#${draft.number}`,
  )
  assert.is((await merge(editor, 9999)).status, 404)
})

test('an archived change request is merged and updated only after it is reopened', async () => {
  const { body: made } = await space.open(editor, 'Shelved', { 'shelved.md': '# Shelved\n' })
  const path = `${space.path}/${made.number}`
  const head = await space.head()
  await editor.patch(path, { status: 'archived' })
  for (const step of ['merge', 'update']) {
    const { status, body } = await editor.post(`${path}/${step}`)
    assert.is(status, 409)
    assert.match(body.error.message, /archived\. Reopen it/)
  }
  assert.is(await space.head(), head)
  await editor.patch(path, { status: 'open' })
  assert.is((await merge(editor, made.number)).body.result, 'merge')
})

test('in a locked space a reviewer can merge', async () => {
  const { body: made } = await space.open(editor, 'Locked', { 'locked.md': 'x' })
  updateSpace(app.ctx.store, space.id, { edit_mode: 'locked' })
  const refused = await merge(editor, made.number)
  assert.is(refused.status, 403)
  assert.match(refused.body.error.message, 'review')
  assert.is((await merge(reviewer, made.number)).body.result, 'merge')
  updateSpace(app.ctx.store, space.id, { edit_mode: 'live' })
})

test('merge rules are checked first, and the answer lists the unmet ones', async () => {
  updateSpace(app.ctx.store, space.id, {
    merge_rules: rulesOf([
      { rule: 'require_change_request_subject' },
      { rule: 'require_change_request_description' },
      { rule: 'require_up_to_date_change_request' },
      { rule: 'allow_bypass', users: [reviewer.id] },
    ]),
  })
  const { body: made } = await editor.post(space.path)
  await space.commit({ 'meanwhile.md': 'x' })
  const one = `${space.path}/${made.number}`
  const unmet = async () => {
    const { status, body } = await merge(editor, made.number)
    assert.is(status, 412)
    return body.details.rules.map((rule: { rule: string; message: string }) => {
      assert.ok(rule.message.length > 10)
      return rule.rule
    })
  }

  assert.equal(await unmet(), [
    'require_change_request_subject',
    'require_change_request_description',
    'require_up_to_date_change_request',
  ])
  await editor.patch(one, { subject: 'Now with one', description: paragraph(' ') })
  assert.equal(await unmet(), [
    'require_change_request_description',
    'require_up_to_date_change_request',
  ])
  await editor.patch(one, { description: paragraph('Reasons') })
  assert.equal(await unmet(), ['require_up_to_date_change_request'])
  await editor.post(`${one}/update`)
  assert.is((await merge(editor, made.number)).body.result, 'merge')

  const { body: hasty } = await editor.post(space.path)

  assert.is((await merge(reviewer, hasty.number)).body.result, 'merge')
})

test('a space can inherit the rules of its organization, or have none', async () => {
  updateOrganization(app.ctx.store, 'acme', {
    merge_rules: rulesOf([{ rule: 'require_at_least_one_review' }]),
  })
  updateSpace(app.ctx.store, space.id, { merge_rules: { type: 'inherit' } })
  const { body: made } = await space.open(editor, 'Ruled')
  const refused = await merge(app.admin, made.number)

  assert.is(refused.status, 412)
  assert.equal(refused.body.details.rules[0].rule, 'require_at_least_one_review')
  updateSpace(app.ctx.store, space.id, { merge_rules: { type: 'none' } })
  assert.is((await merge(editor, made.number)).body.result, 'merge')
  updateOrganization(app.ctx.store, 'acme', { merge_rules: { type: 'none' } })
})

test('pages keep their ids when a rename is merged', async () => {
  await space.commit({ 'old.md': `# Old\n\n${'same words\n'.repeat(20)}` })
  const text = `# Old\n\n${'same words\n'.repeat(20)}`
  const { body: made } = await space.open(editor, 'Renames', { 'old.md': null, 'renamed.md': text })
  const noted = (await readIdentity(app.ctx, space.repo, space.id, made.revision))!

  assert.ok(noted.has('renamed.md'))
  await space.commit({ 'aside.md': 'x' })
  const { body } = await merge(editor, made.number)
  const merged = (await readIdentity(app.ctx, space.repo, space.id, body.revision))!

  assert.is(merged.get('renamed.md'), noted.get('renamed.md'))
  const path = listRevisionsOfPath(app.ctx.store, space.id, 'renamed.md', 1)[0]!

  assert.is(path.status, 'renamed')
  assert.is(path.from_path, 'old.md')
})

test('the same Idempotency-Key merges once', async () => {
  const { body: made } = await space.open(editor, 'Once', { 'once.md': 'x' })
  const ask = () =>
    editor.request('POST', `${space.path}/${made.number}/merge`, undefined, {
      'idempotency-key': 'k-merge-1',
    })
  const first = await ask()
  assert.is(first.body.result, 'merge')
  assert.equal((await ask()).body, first.body)
})

test('a branch without common history is refused, and its files count as new', async () => {
  const { body: made } = await space.open(editor, 'Alien')
  const ref = `refs/heads/change-requests/${made.number}`
  const alien = await commitFiles(
    space.repo,
    { 'alien.md': '# Alien\n' },
    { ref, parents: [], base: null },
  )
  const refused = await merge(editor, made.number)

  assert.is(refused.status, 409)
  assert.match(refused.body.error.message, 'in common')
  assert.is((await editor.post(`${space.path}/${made.number}/update`)).status, 409)
  const { body } = await editor.get(`${space.path}/${made.number}`)

  assert.is(body.revision, alien)
  assert.is(body.outdated, true)
  const { changes } = (await editor.get(`${space.path}/${made.number}/changes`)).body

  assert.equal(
    changes.map((change: { type: string; page: { title: string } }) => [
      change.type,
      change.page.title,
    ]),
    [['page_created', 'Alien']],
  )
})

test('a branch that was deleted outside is restored', async () => {
  const { body: made } = await space.open(editor, 'Deleted', { 'deleted.md': 'x' })
  gitOutside(space.repo.dir, ['update-ref', '-d', `refs/heads/change-requests/${made.number}`])
  assert.is((await editor.get(`${space.path}/${made.number}`)).body.revision, made.revision)
  assert.is((await merge(editor, made.number)).body.result, 'merge')
})

test('the repository is sound, and every commit in a row is reachable', () => {
  fsck(space.repo)
  const missing = gitOutside(space.repo.dir, ['rev-list', '--objects', '--all', '--missing=print'])
  assert.not.match(missing, /^\?/m)
  // Also when both parents of a merge are the same commit.
  gitOutside(space.repo.dir, ['commit-graph', 'write', '--reachable'])
  gitOutside(space.repo.dir, ['commit-graph', 'verify'])
})

test.run()
