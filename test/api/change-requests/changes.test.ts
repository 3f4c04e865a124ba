import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Changes } from '../../../src/api/content/change-requests/changes-schema.ts'
import { movedAmong } from '../../../src/content/summary/moved-among.ts'
import { startApp } from '../../support/app.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { makeSpace } from './workbench.ts'

const app = await startApp()
const space = await makeSpace(app)
const editor = space.user('Ed', 'edit')
test.after(() => app.stop())

/**
 * Reads changes. The official document requires the attributes of an edited page to match exactly
 * one kind of page, but the common ones match several; so the server checks these answers against
 * its own schema.
 */
async function read(path: string, by = editor) {
  const response = await fetch(app.url + path, { headers: { authorization: `Bearer ${by.token}` } })
  return { status: response.status, body: Changes.parse(await response.json()) as Read }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read changes of every kind
type Read = { changes: any[]; more?: number; mergedFrom?: { id: string } }

type Told = { type: string; [key: string]: unknown }

const summary = (lines: string[]) => `# Table of contents\n\n${lines.join('\n')}\n`
const start = {
  'SUMMARY.md': summary([
    '* [Home](README.md)',
    '* [Guide](guide.md)',
    '* [Install](install.md)',
    '* [Gone](gone.md)',
    '',
    '## Reference',
    '',
    '* [Site](https://example.org/a)',
  ]),
  'guide.md': '# Guide\n\nwords\n',
  'install.md': '# Install\n\nsteps\n',
  'gone.md': '# Gone\n',
  '.gitbook/vars.yaml': 'version: "1"\nkept: true\n',
  '.gitbook/includes/note.md': '# Note\n\nread\n',
  '.gitbook/assets/a.txt': 'one\n',
  '.gitbook/assets/b.txt': 'two\n',
}
const edited = {
  'SUMMARY.md': summary([
    '* [Home](README.md)',
    '* [Guide](guide.md)',
    '  * [Install](install.md)',
    '* [New](new.md)',
    '',
    '## Reference',
    '',
    '* [Site](https://example.org/b)',
  ]),
  'guide.md': '---\ndescription: What it is\nvars:\n  a: 1\n---\n\n# The guide\n\nwords\n',
  'gone.md': null,
  'new.md': '# New\n',
  '.gitbook/vars.yaml': 'version: "2"\nkept: true\nadded: 3\n',
  '.gitbook/includes/note.md': '# Note\n\nread this\n',
  '.gitbook/assets/a.txt': 'one and more\n',
  '.gitbook/assets/b.txt': null,
  '.gitbook/assets/c.txt': 'three\n',
}

await space.commit(start)

test('the changes of a change request are listed as pages, files and content', async () => {
  const { body: made } = await space.open(editor, 'Much', edited)
  // Later changes of the primary content are not changes of the request.
  await space.commit({ 'README.md': '# Docs\n\nmeanwhile\n' })
  const { status, body } = await read(`${space.path}/${made.number}/changes`)
  assert.is(status, 200)
  assert.not('more' in body)
  const told = (body.changes as Told[]).map(change => {
    const thing = (change.page ?? change.file ?? change.reusableContent) as
      | { title?: string; name?: string }
      | undefined
    return [change.type, thing?.title ?? thing?.name]
  })

  assert.equal(told, [
    ['page_edited', 'Guide'],
    ['page_moved', 'Install'],
    ['page_created', 'New'],
    ['page_edited', 'Site'],
    ['page_deleted', 'Gone'],
    ['file_edited', 'a.txt'],
    ['file_created', 'c.txt'],
    ['file_deleted', 'b.txt'],
    ['variables_edited', undefined],
    ['reusable_content_edited', 'Note'],
  ])
  const [guide, install, , site, , a] = body.changes

  assert.not('title' in guide.attributes)
  assert.equal(guide.attributes.description, { after: 'What it is' })
  assert.equal(guide.attributes.variables, { after: { a: 1 } })
  assert.match(guide.attributes.document.before, /^[0-9a-f]{40}$/)
  assert.equal(install.parent, { after: guide.page })
  assert.equal(site.attributes.target, {
    before: { kind: 'url', url: 'https://example.org/a' },
    after: { kind: 'url', url: 'https://example.org/b' },
  })
  assert.equal(a.attributes.size, { before: 4, after: 13 })
  assert.equal(body.changes[8].variables, {
    version: { before: '1', after: '2' },
    added: { after: 3 },
  })
  const few = (await read(`${space.path}/${made.number}/changes?limit=3`)).body

  assert.is(few.changes.length, 3)
  assert.is(few.more, 7)
})

test('reordered pages are reported with as few moves as possible', async () => {
  const { body: made } = await space.open(editor, 'Order', {
    'SUMMARY.md': start['SUMMARY.md'].replace(
      '* [Guide](guide.md)\n* [Install](install.md)\n* [Gone](gone.md)',
      '* [Gone](gone.md)\n* [Guide](guide.md)\n* [Install](install.md)',
    ),
  })
  const { changes } = (await read(`${space.path}/${made.number}/changes`)).body
  assert.equal(
    changes.map((change: { type: string; page: { title: string } }) => [
      change.type,
      change.page.title,
    ]),
    [['page_moved', 'Gone']],
  )
})

test('an empty change request has no changes, and a merged one keeps its own', async () => {
  const { body: none } = await editor.post(space.path)
  assert.equal((await editor.get(`${space.path}/${none.number}/changes`)).body, { changes: [] })
  assert.is((await editor.get(`${space.path}/${none.number}/changes?format=diff`)).text, '')

  const { body: made } = await space.open(editor, 'Merged', { 'guide.md': '# Guided\n\nwords\n' })
  const before = (await read(`${space.path}/${made.number}/changes`)).body
  const { body: merge } = await editor.post(`${space.path}/${made.number}/merge`)
  const after = (await read(`${space.path}/${made.number}/changes`)).body

  assert.equal(after, before)
  const revision = (await read(`/v1/spaces/${space.id}/revisions/${merge.revision}/changes`)).body

  assert.equal(revision.changes, before.changes)
  assert.is(revision.mergedFrom?.id, made.id)
})

test('a revision has its changes against its first parent', async () => {
  const oid = await space.commit({ 'install.md': '# Install\n\nmore steps\n' })
  const path = `/v1/spaces/${space.id}/revisions/${oid}/changes`
  const { status, body } = await read(path)
  assert.is(status, 200)
  assert.is(body.changes.length, 1)
  assert.is(body.changes[0].page.title, 'Install')
  assert.not('mergedFrom' in body)
  const root = gitOutside(space.repo.dir, ['rev-list', '--max-parents=0', oid])
  const first = (await editor.get(`/v1/spaces/${space.id}/revisions/${root}/changes`)).body

  assert.equal(
    first.changes.map((change: Told) => change.type),
    ['page_created'],
  )

  assert.is(
    (await editor.get(`/v1/spaces/${space.id}/revisions/${'0'.repeat(40)}/changes`)).status,
    404,
  )
  assert.is((await editor.get(`/v1/spaces/${space.id}/revisions/main/changes`)).status, 400)
})

test('the diff equals that of git', async () => {
  const { body: made } = await space.open(editor, 'Diff', {
    'guide.md': '# Guide\n\nother words\n',
  })
  await space.commit({ 'README.md': '# Docs\n\nagain\n' })
  const reply = await editor.get(`${space.path}/${made.number}/changes?format=diff`)
  assert.is(reply.status, 200)
  assert.match(reply.headers.get('content-type') ?? '', 'text/x-diff')
  assert.match(reply.text, '+other words')
  assert.not.match(reply.text, 'again')
  const base = gitOutside(space.repo.dir, ['merge-base', 'main', made.revision])
  const expected = gitOutside(space.repo.dir, ['diff', '--full-index', '-M', base, made.revision])

  assert.is(reply.text.trimEnd(), expected)
  const etag = reply.headers.get('etag') ?? ''
  const again = await editor.get(`${space.path}/${made.number}/changes?format=diff`, {
    'if-none-match': etag,
  })

  assert.is(again.status, 304)
})

test('a diff that is too long is refused with an alternative', async () => {
  const { body: made } = await space.open(editor, 'Long', {
    'long.md': `${'x'.repeat(99)}\n`.repeat(120_000),
  })
  const reply = await editor.get(`${space.path}/${made.number}/changes?format=diff`)
  assert.is(reply.status, 413)
  assert.match(reply.body.error.message, 'git diff')
})

test('callers without a role are refused', async () => {
  const one = `${space.path}/1/changes`
  assert.is((await read(one, space.user('Rea', 'read'))).status, 200)
  assert.is((await app.user('Stranger').get(one)).status, 404)
  assert.is((await app.anonymous.get(one)).status, 401)
  assert.is((await editor.get(`${space.path}/999/changes`)).status, 404)
  assert.is((await editor.get(`${one}?limit=0`)).status, 400)
  assert.is((await editor.get(`${one}?format=html`)).status, 400)
})

test('removing the moved siblings leaves two equal orders', () => {
  const orders = fc
    .uniqueArray(fc.string(), { maxLength: 12 })
    .chain(ids => fc.tuple(fc.constant(ids), fc.shuffledSubarray(ids, { minLength: ids.length })))
  fc.assert(
    fc.property(orders, ([before, after]) => {
      const moved = new Set(movedAmong(before, after))
      assert.equal(
        after.filter(id => !moved.has(id)),
        before.filter(id => !moved.has(id)),
      )
      assert.is(moved.size === 0, before.join('\0') === after.join('\0'))
      assert.ok(moved.size < Math.max(1, before.length))
    }),
  )
})

test.run()
