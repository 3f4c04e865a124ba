import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Actor, type App, startApp } from '../../support/app.ts'
import { fsck, gitOutside, readIndependently } from '../../support/git/repo.ts'
import { makeSpace, type Space } from '../change-requests/workbench.ts'

let app: App
let space: Space
let editor: Actor

const files = {
  'README.md': '# Docs\r\n\r\nWelcome.\r\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Docs](README.md)\n* [Guides](guides/README.md)\n  * [Install](guides/install.md)\n  * [Old words]()\n\n## Reference\n\n* [API](reference/api.md)\n',
  'guides/README.md':
    '---\ndescription: All guides # keep\n---\n\n# Guides\n\nSee [how](install.md) and [api](../reference/api.md#top).\n',
  'guides/install.md':
    '# Install\n\nOne.\n\nTwo.\n\nThree.\n\nBack to [guides](./) or [the guides](README.md).\n',
  'reference/api.md': '# API\n\n[Install](<../guides/install.md>)\n',
  'notes.txt': 'left alone\r\n',
}

test.before(async () => {
  app = await startApp()
  space = await makeSpace(app)
  await space.commit(files)
  editor = space.user('Eva', 'edit')
})
test.after(() => app.stop())

const content = () => `/v1/spaces/${space.id}/content`
const edit = (...changes: object[]) => editor.post(content(), { changes })
const show = (path: string) => gitOutside(space.repo.dir, ['show', `main:${path}`])
const idOf = async (path: string) =>
  (await editor.get(`${content()}/path/${path}`)).body.id as string
const tree = () => gitOutside(space.repo.dir, ['rev-parse', 'main^{tree}'])
const changedFiles = () =>
  gitOutside(space.repo.dir, ['diff-tree', '-r', '-M', '--name-status', 'main~1', 'main'])

test('a body is replaced in one commit that changes one file', async () => {
  const page = await editor.get(`${content()}/path/guides/install`)
  const before = await space.head()
  const same = await edit({
    operation: 'update_page',
    page: page.body.id,
    document: { markdown: page.body.markdown },
  })

  assert.is(same.status, 200, same.text)
  assert.is(same.body.revision, before)
  assert.is(await space.head(), before)
  const reply = await edit({
    operation: 'update_page',
    page: page.body.id,
    document: { markdown: page.body.markdown.replace('Two.', 'Two and a half.') },
  })

  assert.is(reply.status, 200, reply.text)
  assert.equal(reply.body.changes, [
    {
      object: 'updated_page',
      page: {
        object: 'page',
        id: page.body.id,
        urls: { location: `${app.url}${content()}/page/${page.body.id}` },
      },
    },
  ])
  assert.is(reply.body.revision, await space.head())
  assert.is(changedFiles(), 'M\tguides/install.md')
  assert.match(
    gitOutside(space.repo.dir, ['log', '-1', '--format=%an|%cn|%B', 'main']),
    /^Eva\|Stemma\|Update Install\n\nStemma-Space: /,
  )
  const again = await editor.get(`${content()}/page/${page.body.id}`)

  assert.match(again.body.markdown, 'Two and a half.')
  fsck(space.repo)
  assert.match(
    (await readIndependently(space.repo, reply.body.revision, 'guides/install.md')).toString(),
    'half',
  )
})

test('a page is added, found and deleted without a trace', async () => {
  const before = tree()
  const into = await idOf('guides')
  const reply = await edit({
    operation: 'insert_page',
    title: 'Über uns: [1]',
    into,
    at: 1,
    description: 'Who we are',
    document: {
      markdown: `Text with [a link](/pages/${await idOf('reference/api')}#top) and [none](/pages/nowhere).`,
    },
  })

  assert.is(reply.status, 200, reply.text)
  const [made] = reply.body.changes
  const page = (await editor.get(`${content()}/page/${made.page.id}`)).body

  assert.is(page.title, 'Über uns: [1]')
  assert.is(page.path, 'guides/ueber-uns-1')
  assert.is(
    page.markdown,
    '---\ndescription: Who we are\n---\n\n# Über uns: \\[1\\]\n\nText with [a link](../reference/api.md#top) and none.',
  )

  assert.match(
    show('SUMMARY.md'),
    '  * [Install](guides/install.md)\n  * [Über uns: \\[1\\]](guides/ueber-uns-1.md)\n  * [Old words]()',
  )
  const gone = await edit({ operation: 'delete_page', page: made.page.id })

  assert.equal(gone.body.changes, [{ object: 'deleted_page', page: made.page.id }])
  assert.is(tree(), before)
})

test('a new title changes the entry and the heading, and a page without a file keeps its id', async () => {
  const install = await idOf('guides/install')
  const words = await idOf('guides/old-words')
  const reply = await edit(
    { operation: 'update_page', page: install, title: 'Set up' },
    { operation: 'update_page', page: words, title: 'New words' },
  )

  assert.is(reply.status, 200, reply.text)
  assert.match(show('SUMMARY.md'), '  * [Set up](guides/install.md)\n  * [New words]()\n')
  assert.match(show('guides/install.md'), /^# Set up\n/)
  assert.is(await idOf('guides/new-words'), words)
  assert.is(await idOf('guides/install'), install)
  await edit({ operation: 'update_page', page: install, title: 'Install' })
})

test('a new slug renames the file, keeps the id and rewrites links in their spelling', async () => {
  const install = await idOf('guides/install')
  const guides = await idOf('guides')
  const reply = await edit({ operation: 'update_page', page: install, slug: 'set-up' })
  assert.is(reply.status, 200, reply.text)
  assert.match(show('guides/README.md'), '[how](set-up.md)')
  assert.match(show('reference/api.md'), '(<../guides/set-up.md>)')
  assert.is(await idOf('guides/set-up'), install)
  assert.match(changedFiles(), 'R100\tguides/install.md\tguides/set-up.md')
  const folder = await edit({ operation: 'update_page', page: guides, slug: 'manual' })

  assert.is(folder.status, 200, folder.text)
  assert.is(
    show('manual/README.md'),
    '---\ndescription: All guides # keep\n---\n\n# Guides\n\nSee [how](../guides/set-up.md) and [api](../reference/api.md#top).',
  )

  assert.match(
    show('guides/set-up.md'),
    'Back to [guides](../manual/) or [the guides](../manual/README.md).',
  )
  assert.is(await idOf('manual'), guides)
  assert.is(await idOf('manual/set-up'), install)
})

test('two edits of one page are merged, and a conflict refuses the second', async () => {
  const page = (await editor.get(`${content()}/path/manual/set-up`)).body
  const base = await space.head()
  const change = (from: string, to: string) => ({
    operation: 'update_page',
    page: page.id,
    baseRevision: base,
    document: { markdown: page.markdown.replace(from, to) },
  })

  assert.is((await edit(change('One.', '1.'))).status, 200)
  assert.is((await edit(change('Three.', '3.'))).status, 200)
  assert.match(show('guides/set-up.md'), /1\.\n\nTwo and a half\.\n\n3\./)
  const head = await space.head()
  const refused = await edit(change('One.', 'I.'))

  assert.is(refused.status, 409)
  assert.is(refused.body.details.page, page.id)
  assert.is(refused.body.details.index, 0)
  assert.equal(refused.body.details.hunks, [
    {
      base: 'One.\n',
      ours: 'I.\n',
      theirs: '1.\n',
      lines: { base: 3, ours: 3, theirs: 3 },
    },
  ])
  assert.is(await space.head(), head)
  const stale = await editor.post(
    content(),
    { changes: [change('x', 'y')] },
    { 'if-match': `"${base}"` },
  )

  assert.is(stale.status, 412)
  assert.is(stale.body.details.revision, head)
  const fresh = await editor.post(
    content(),
    { changes: [change('x', 'y')] },
    { 'if-match': `"${head}"` },
  )

  assert.is(fresh.status, 200)
})

test('a deleted page is replaced by another one in links and redirects, in the same commit', async () => {
  const made = await edit(
    { operation: 'insert_page', title: 'Old way', document: { markdown: 'Words.' }, ref: 'old' },
    { operation: 'insert_page', title: 'New way', document: { markdown: 'Words.' }, ref: 'new' },
    {
      operation: 'insert_page',
      title: 'Teller',
      document: { markdown: 'Go the [old way](./old.md).' },
    },
  )

  assert.is(made.status, 200, made.text)
  const [old, fresh] = made.body.changes.map((change: { page: { id: string } }) => change.page.id)
  const before = await space.head()
  const reply = await edit({
    operation: 'delete_page',
    page: old,
    replaceWith: fresh,
    redirect: true,
  })

  assert.is(reply.status, 200, reply.text)
  assert.is(gitOutside(space.repo.dir, ['rev-parse', 'main~1']), before)
  assert.is(show('teller.md'), '# Teller\n\nGo the [old way](new-way.md).')
  assert.is(show('.gitbook.yaml'), 'redirects:\n  old-way: new-way.md')
  assert.equal(changedFiles().split('\n'), [
    'A\t.gitbook.yaml',
    'M\tSUMMARY.md',
    'D\told-way.md',
    'M\tteller.md',
  ])
  assert.is(await idOf('old-way'), fresh)
  const renamed = await edit({ operation: 'update_page', page: fresh, slug: 'best-way' })

  assert.is(renamed.status, 200, renamed.text)
  assert.is(show('.gitbook.yaml'), 'redirects:\n  old-way: best-way.md')
  assert.is(await idOf('old-way'), fresh)
  const both = { operation: 'delete_page', page: fresh, rewriteLinks: false, replaceWith: old }

  assert.is((await edit(both)).status, 400)
  const gone = await edit({ operation: 'delete_page', page: fresh, rewriteLinks: true })

  assert.is(gone.status, 200, gone.text)
  assert.is(show('teller.md'), '# Teller\n\nGo the old way.')
})

test.run()
