import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readCommit } from '../../../src/git/objects/objects.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { type Actor, type App, startApp } from '../../support/app.ts'
import { fsck, gitOutside } from '../../support/git/repo.ts'
import { makeSpace, type Space } from './workbench.ts'

let app: App
let space: Space
let editor: Actor
let users = 0

test.before(async () => {
  app = await startApp()
})
test.after(async () => {
  await app.stop()
})
test.before.each(async () => {
  space = await makeSpace(app)
  editor = space.user(`ed-${++users}`, 'edit')
})

const summary = '# Table of contents\n\n* [Docs](README.md)\n* [A](a.md)\n* [B](b.md)\n'
const start = { 'README.md': '# Docs\n', 'SUMMARY.md': summary, 'a.md': '# A\n\nOne.\n\nTwo.\n' }

/** Merges a change request with these files. Returns its path. */
async function merged(subject: string, files: Record<string, string | null>): Promise<string> {
  const { body } = await space.open(editor, subject, files)
  const path = `${space.path}/${body.number}`
  assert.is((await editor.post(`${path}/merge`)).body.result, 'merge')
  return path
}

const treeOf = async (oid: Oid) => (await readCommit(space.repo, oid))!.tree
const fileOf = (oid: string, path: string) => gitOutside(space.repo.dir, ['show', `${oid}:${path}`])

test('a merge is reverted as a change request that takes back what it brought and keeps the rest', async () => {
  await space.commit({ ...start, 'b.md': '# B\n' })
  const before = await treeOf((await space.head())!)
  const path = await merged('Better words', {
    'a.md': '# A\n\nI.\n\nTwo.\n',
    'b.md': null,
    'c.md': '# C\n',
  })
  const { body: request } = await editor.get(path)

  const { status, body } = await editor.post(`${path}/revert`)
  assert.is(status, 200)
  assert.is(body.result, 'revert')
  const made = body.changeRequest
  assert.is(made.subject, 'Revert "Better words"')
  assert.is(made.status, 'open')
  assert.is(made.revision, body.revision)
  const commit = (await readCommit(space.repo, body.revision))!
  assert.is(commit.tree, before)
  assert.equal(commit.parents, [request.revisionMerged])
  assert.ok(
    commit.message.startsWith(
      `Revert "Better words"\n\nThis reverts commit ${request.revisionMerged}, reversing\nchanges made to `,
    ),
    commit.message,
  )
  const { body: shown } = await editor.get(`${space.path}/${made.number}`)
  assert.is(shown.mergeable, true)

  // The primary content goes on meanwhile.
  await space.commit({ 'd.md': '# D\n' })
  assert.is((await editor.post(`${space.path}/${made.number}/merge`)).body.result, 'merge')
  const now = (await space.head())!
  assert.is(fileOf(now, 'a.md'), '# A\n\nOne.\n\nTwo.')
  assert.is(fileOf(now, 'b.md'), '# B')
  assert.is(fileOf(now, 'd.md'), '# D')
  assert.throws(() => fileOf(now, 'c.md'))
  fsck(space.repo)
})

test('a restored page keeps its id and its comments, also where it had been renamed', async () => {
  await space.commit({ ...start, 'b.md': '# B\n' })
  const edit = (...changes: object[]) => editor.post(`/v1/spaces/${space.id}/content`, { changes })
  const pages = async () =>
    (await editor.get(`/v1/spaces/${space.id}/content/pages`)).body.pages as {
      id: string
      title: string
    }[]
  const b = (await pages()).find(({ title }) => title === 'B')!.id
  // The id of a renamed page differs from the one that its file would have.
  assert.is((await edit({ operation: 'update_page', page: b, slug: 'bee' })).status, 200)
  const commented = await editor.post(`/v1/spaces/${space.id}/comments`, {
    page: b,
    body: { markdown: 'Is this right?' },
  })
  assert.is(commented.status, 200, commented.text)

  const { body: request } = await editor.post(space.path, { subject: 'Without B' })
  const path = `${space.path}/${request.number}`
  const removed = await editor.post(`${path}/content`, {
    changes: [{ operation: 'delete_page', page: b }],
  })
  assert.is(removed.status, 200, removed.text)
  assert.is((await editor.post(`${path}/merge`)).body.result, 'merge')
  assert.not.ok((await pages()).some(({ id }) => id === b))

  const { body } = await editor.post(`${path}/revert`)
  assert.is(body.result, 'revert')
  await editor.post(`${space.path}/${body.changeRequest.number}/merge`)

  assert.is((await pages()).find(({ title }) => title === 'B')?.id, b)
  const { body: comment } = await editor.get(`/v1/spaces/${space.id}/comments/${commented.body.id}`)
  assert.equal(comment.target.page, { id: b })
  const page = await editor.get(`/v1/spaces/${space.id}/content/page/${b}`)
  assert.is(page.status, 200)
})

test('a rename is reverted with the id of the page', async () => {
  await space.commit({ ...start, 'b.md': '# B\n' })
  const pages = async () =>
    (await editor.get(`/v1/spaces/${space.id}/content/pages`)).body.pages as {
      id: string
      title: string
      path: string
    }[]
  const before = await pages()
  const b = before.find(({ title }) => title === 'B')!
  const { body: request } = await editor.post(space.path, { subject: 'Bee' })
  const path = `${space.path}/${request.number}`
  await editor.post(`${path}/content`, {
    changes: [{ operation: 'update_page', page: b.id, slug: 'bee', title: 'Bee' }],
  })
  await editor.post(`${path}/merge`)
  assert.is((await pages()).find(({ id }) => id === b.id)?.path, 'bee')

  const { body } = await editor.post(`${path}/revert`)
  await editor.post(`${space.path}/${body.changeRequest.number}/merge`)
  assert.equal(await pages(), before)
})

test('conflicts are listed with their hunks and create nothing; resolutions of them are accepted', async () => {
  await space.commit({ ...start, 'b.md': '# B\n' })
  const path = await merged('Roman', { 'a.md': '# A\n\nI.\n\nTwo.\n' })
  await space.commit({ 'a.md': '# A\n\n1.\n\nTwo.\n' })
  const head = await space.head()
  const count = async () => (await editor.get(space.path)).body.count

  const { status, body } = await editor.post(`${path}/revert`)
  assert.is(status, 200)
  assert.is(body.result, 'conflicts')
  assert.is(body.revision, head)
  assert.not.ok('changeRequest' in body)
  const [conflict] = body.conflicts
  assert.is(conflict.path, 'a.md')
  assert.type(conflict.page, 'string')
  const { hunk, ...texts } = conflict.hunks[0]
  assert.equal(texts, {
    base: 'I.\n',
    ours: '1.\n',
    theirs: 'One.\n',
    lines: { base: 3, ours: 3, theirs: 3 },
  })
  const refused = await editor.post(`${path}/revert?conflict=409`)
  assert.is(refused.status, 409)
  assert.equal(refused.body.details.conflicts, body.conflicts)
  assert.is(await count(), 0)

  const strange = await editor.post(`${path}/revert`, {
    resolutions: [{ path: 'b.md', take: 'ours' }],
  })
  assert.is(strange.status, 409)
  assert.equal(strange.body.details, { missing: ['a.md'], extra: ['b.md'] })

  const resolutions = [{ path: 'a.md', hunks: [{ hunk, content: 'One again.\n' }] }]
  const done = await editor.post(`${path}/revert`, { resolutions, subject: 'Back' })
  assert.is(done.status, 200, done.text)
  assert.is(done.body.changeRequest.subject, 'Back')
  assert.is(fileOf(done.body.revision, 'a.md'), '# A\n\nOne again.\n\nTwo.')
  assert.is(await space.head(), head)
})

test('the table of contents is reverted by its entries', async () => {
  await space.commit({ ...start, 'b.md': '# B\n' })
  const path = await merged('C', { 'SUMMARY.md': `${summary}* [C](c.md)\n`, 'c.md': '# C\n' })
  await space.commit({ 'SUMMARY.md': `${summary}* [C](c.md)\n* [D](d.md)\n`, 'd.md': '# D\n' })
  const { body } = await editor.post(`${path}/revert`)
  assert.is(body.result, 'revert', JSON.stringify(body))
  assert.is(fileOf(body.revision, 'SUMMARY.md'), `${summary}* [D](d.md)`)
})

test('what is not merged, already reverted or no longer there is refused', async () => {
  await space.commit({ ...start, 'b.md': '# B\n' })
  const { body: open } = await space.open(editor, 'Open', { 'c.md': '# C\n' })
  const early = await editor.post(`${space.path}/${open.number}/revert`)
  assert.is(early.status, 409)
  assert.match(early.body.error.message, 'is not merged')

  const path = await merged('Words', { 'a.md': '# A\n\nI.\n\nTwo.\n' })
  const { body } = await editor.post(`${path}/revert`)
  await editor.post(`${space.path}/${body.changeRequest.number}/merge`)
  const again = await editor.post(`${path}/revert`)
  assert.is(again.status, 409)
  assert.match(again.body.error.message, 'Nothing to revert')

  // A revert is a change request like any other.
  const back = await editor.post(`${space.path}/${body.changeRequest.number}/revert`)
  assert.is(back.body.changeRequest.subject, 'Revert "Revert "Words""')
  assert.is(fileOf(back.body.revision, 'a.md'), '# A\n\nI.\n\nTwo.')

  const nothing = await merged('Nothing', {})
  assert.is((await editor.post(`${nothing}/revert`)).status, 409)
  const unknown = await editor.post(`${path}/revert`, { unknown: 1 })
  assert.is(unknown.status, 400)
  assert.is((await editor.post(`${space.path}/999/revert`)).status, 404)
  const reader = space.user(`reader-${users}`, 'comment')
  assert.is((await reader.post(`${path}/revert`)).status, 403)
})

test('long subjects are cut, and a request is repeated with its key', async () => {
  await space.commit({ ...start, 'b.md': '# B\n' })
  const path = await merged(`${'x'.repeat(89)}🎈🎈`, { 'a.md': '# A\n' })
  const key = { 'Idempotency-Key': `revert-${users}` }
  const first = await editor.post(`${path}/revert`, {}, key)
  const second = await editor.post(`${path}/revert`, {}, key)

  assert.is(first.body.changeRequest.subject, `Revert "${'x'.repeat(89)}…"`)
  assert.equal(second.body, first.body)
  assert.is((await editor.get(space.path)).body.count, 1)
})

test('the space is reverted to a revision as a change request, with the ids of its pages', async () => {
  await space.commit({ ...start, 'b.md': '# B\n' })
  const pages = async (at: string) =>
    (await editor.get(`/v1/spaces/${space.id}/${at}/pages`)).body.pages.map(
      ({ id, title, path, git }: Record<string, unknown>) => ({ id, title, path, git }),
    )
  const old = (await space.head())!
  const before = await pages('content')
  await editor.post(`/v1/spaces/${space.id}/content`, {
    changes: [
      { operation: 'update_page', page: before[2].id, slug: 'bee', title: 'Bee' },
      { operation: 'delete_page', page: before[1].id },
    ],
  })
  await space.commit({ 'z.md': '# Z\n', 'b.md': '# Another B\n' })
  assert.not.equal(await pages('content'), before)

  const revert = (revision: string, more = {}) =>
    editor.post(`/v1/spaces/${space.id}/content/revert`, { revision, ...more })
  const { status, body } = await revert(old)
  assert.is(status, 200)
  const { changeRequest } = body
  assert.match(changeRequest.subject, /^Revert to ".+"$/)
  assert.is(await treeOf(body.revision), await treeOf(old))
  assert.equal(await pages(`change-requests/${changeRequest.number}/content`), before)

  await editor.post(`${space.path}/${changeRequest.number}/merge`)
  assert.equal(await pages('content'), before)
  assert.is(await treeOf((await space.head())!), await treeOf(old))
  fsck(space.repo)

  const same = await revert(old)
  assert.is(same.status, 409)
  assert.match(same.body.error.message, 'Nothing to revert')
  assert.is((await revert('1'.repeat(40))).status, 404)
  assert.is((await revert('main')).status, 400)
  assert.is((await revert(old.slice(0, 10))).status, 400)
})

test.run()
