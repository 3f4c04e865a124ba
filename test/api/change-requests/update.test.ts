import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readCommit } from '../../../src/git/objects/objects.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { startApp } from '../../support/app.ts'
import { fsck, gitOutside, readIndependently } from '../../support/git/repo.ts'
import { makeSpace } from './workbench.ts'

const app = await startApp()
const space = await makeSpace(app)
const editor = space.user('Ed', 'edit')
test.after(() => app.stop())

const update = (number: number, body?: unknown, by = editor) =>
  by.post(`${space.path}/${number}/update`, body)
const parentsOf = async (oid: string) => (await readCommit(space.repo, oid as Oid))!.parents
const fileAt = async (oid: string, path: string) =>
  (await readIndependently(space.repo, oid, path)).toString()

test('an update merges the primary content with a commit of two parents', async () => {
  const { body: made } = await space.open(editor, 'Behind', { 'mine.md': 'mine\n' })
  const present = await update(made.number)
  assert.equal(present.body, { revision: made.revision, result: 'update' })
  const head = await space.commit({ 'theirs.md': 'theirs\n' })

  assert.is((await editor.get(`${space.path}/${made.id}`)).body.outdated, true)
  const { status, body } = await update(made.number)

  assert.is(status, 200)
  assert.is(body.result, 'update')
  assert.is(body.revision, await space.head(made.number))
  assert.equal(await parentsOf(body.revision), [made.revision, head])
  assert.is(await fileAt(body.revision, 'mine.md'), 'mine\n')
  assert.is(await fileAt(body.revision, 'theirs.md'), 'theirs\n')
  const { body: after } = await editor.get(`${space.path}/${made.id}`)

  assert.is(after.revision, body.revision)
  assert.is(after.revisionMergedAncestor, head)
  assert.is(after.outdated, false)
  assert.equal((await update(made.number)).body, body)
  const { body: who } = await editor.get(`${space.path}/${made.id}/contributors`)

  assert.equal(
    who.items.map((item: { user: { id: string }; count: number }) => [item.user.id, item.count]),
    [
      [editor.id, 1],
      [app.admin.id, 1],
    ],
  )
})

test('a change request without commits is fast-forwarded', async () => {
  const { body: made } = await space.open(editor, 'Empty')
  const head = await space.commit({ 'forward.md': 'x\n' })
  const { body } = await update(made.number)
  assert.equal(await parentsOf(body.revision), [made.revision, head])
})

/** A change request whose branch conflicts with the primary content in three files. */
async function conflicting() {
  await space.commit({ 'a.md': 'a\n', 'b.md': 'b\n', 'c.md': 'c\n', 'd.md': 'd\n' })
  const { body: made } = await space.open(editor, 'Conflicts', {
    'a.md': 'branch a\n',
    'b.md': 'branch b\n',
    'c.md': null,
    'mine.md': 'kept\n',
  })

  const head = await space.commit({
    'a.md': 'main a\n',
    'b.md': 'main b\n',
    'c.md': 'main c\n',
    'd.md': 'new d\n',
  })

  return { made, head: head as string }
}

test('conflicts are listed and nothing moves', async () => {
  const { made } = await conflicting()
  const { status, body } = await update(made.number)
  assert.is(status, 200)
  assert.is(body.result, 'conflicts')
  assert.is(body.revision, made.revision)
  assert.equal(
    body.conflicts.map(({ path, type }: { path: string; type: string }) => [path, type]),
    [
      ['a.md', 'content'],
      ['b.md', 'content'],
      ['c.md', 'modify/delete'],
    ],
  )
  const refused = await editor.post(`${space.path}/${made.number}/update?conflict=409`)

  assert.is(refused.status, 409)
  assert.match(refused.body.error.message, /: a\.md, b\.md, c\.md\./)
  assert.equal(refused.body.details, { conflicts: body.conflicts })
  assert.is(await space.head(made.number), made.revision)
})

test('resolutions for every conflict make the merge on the branch', async () => {
  const { made, head } = await conflicting()
  const { status, body } = await update(made.number, {
    resolutions: [
      { path: 'a.md', take: 'ours' },
      { path: 'b.md', content: 'both b\r\nwithout an end' },
      { path: 'c.md', take: 'theirs' },
    ],
  })

  assert.is(status, 200)
  assert.is(body.result, 'update')
  assert.equal(await parentsOf(body.revision), [made.revision, head])
  assert.is(await fileAt(body.revision, 'a.md'), 'branch a\n')
  assert.is(await fileAt(body.revision, 'b.md'), 'both b\r\nwithout an end')
  assert.is(await fileAt(body.revision, 'c.md'), 'main c\n')
  assert.is(await fileAt(body.revision, 'd.md'), 'new d\n')
  assert.is(await fileAt(body.revision, 'mine.md'), 'kept\n')
  const merged = await editor.post(`${space.path}/${made.number}/merge`)

  assert.is(merged.body.result, 'merge')
})

test('the side that deleted a file can win', async () => {
  const { made } = await conflicting()
  const { body } = await update(made.number, {
    resolutions: [
      { path: 'a.md', take: 'theirs' },
      { path: 'b.md', take: 'theirs' },
      { path: 'c.md', take: 'ours' },
    ],
  })

  assert.is(await fileAt(body.revision, 'a.md'), 'main a\n')
  const files = gitOutside(space.repo.dir, ['ls-tree', '-r', '--name-only', body.revision])

  assert.not.match(files, /^c\.md$/m)
})

test('unsuitable resolutions are refused and named', async () => {
  const { made } = await conflicting()
  const [a, b, c] = ['a.md', 'b.md', 'c.md'].map(path => ({ path, take: 'ours' }))
  const missing = await update(made.number, { resolutions: [a] })
  assert.is(missing.status, 409)
  assert.equal(missing.body.details, { missing: ['b.md', 'c.md'], extra: [] })
  assert.match(missing.body.error.message, '"b.md"')
  const extra = await update(made.number, {
    resolutions: [a, b, c, { path: 'd.md', take: 'ours' }],
  })

  assert.is(extra.status, 409)
  assert.equal(extra.body.details, { missing: [], extra: ['d.md'] })
  assert.is((await update(made.number, { resolutions: [a, a, b, c] })).status, 400)
  const mine = await update(made.number, { resolutions: [{ path: 'a.md', take: 'mine' }] })

  assert.is(mine.status, 400)
  assert.match(
    mine.body.error.message,
    /^"resolutions\.0" in the body: takes .*"ours" or "theirs".*"content"/,
  )
  assert.is((await update(made.number, { resolutions: [{ path: 'a.md' }] })).status, 400)
  assert.is((await update(made.number, { resolution: [] })).status, 400)
  assert.is(await space.head(made.number), made.revision)
})

test('a merge pushed with git resolves the conflicts', async () => {
  const { made, head } = await conflicting()
  const tree = gitOutside(space.repo.dir, ['rev-parse', `${head}^{tree}`])
  const merge = gitOutside(
    space.repo.dir,
    ['commit-tree', tree, '-p', made.revision, '-p', head],
    'Resolved by hand\n',
  )

  gitOutside(space.repo.dir, ['update-ref', `refs/heads/change-requests/${made.number}`, merge])
  const { body } = await editor.get(`${space.path}/${made.number}`)

  assert.is(body.revision, merge)
  assert.is(body.outdated, false)
  assert.is((await editor.post(`${space.path}/${made.number}/merge`)).body.result, 'merge')
})

test('renames on both sides are reported path by path, and can be resolved', async () => {
  const text = `${'some words\n'.repeat(10)}`
  await space.commit({ 'from.md': text })
  const { body: made } = await space.open(editor, 'Renames', { 'from.md': null, 'branch.md': text })
  await space.commit({ 'from.md': null, 'main.md': text })
  const { body } = await update(made.number)
  const paths = body.conflicts.map((conflict: { path: string }) => conflict.path).sort()

  assert.equal(paths, ['branch.md', 'from.md', 'main.md'])
  const resolutions = paths.map((path: string) => ({ path, take: 'ours' }))
  const { body: done } = await update(made.number, { resolutions })
  const files = gitOutside(space.repo.dir, ['ls-tree', '-r', '--name-only', done.revision]).split(
    '\n',
  )

  assert.ok(files.includes('branch.md'))
  assert.not.ok(files.includes('main.md') || files.includes('from.md'))
})

test('callers without a role are refused', async () => {
  const { body: made } = await space.open(editor, 'Rights')
  assert.is((await update(made.number, undefined, space.user('Com', 'comment'))).status, 403)
  assert.is((await update(made.number, undefined, app.user('Stranger'))).status, 404)
  assert.is((await update(made.number, undefined, app.anonymous)).status, 401)
  assert.is((await update(999)).status, 404)
  fsck(space.repo)
})

test.run()
