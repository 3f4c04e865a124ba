import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Page } from '../../../src/api/content/schema.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'

const app = await startApp()
const reader = app.user('Rita', 'read')
const guest = app.user('Gus', null)
const stranger = app.user('Sam')

const install = `---
description: How to install
icon: rocket
hidden: true
cover: ../.gitbook/assets/wave.png
coverY: -12.5
coverHeight: 5000
layout:
  width: wide
  cover:
    visible: true
    size: hero
  outline:
    visible: false
vars:
  port: 8443
---

# Install it

Text.\r\n`
const png = Buffer.from('89504e470d0a1a0a0000000d494844520000000300000002', 'hex')

const { api } = await makeSpace(app, {
  'README.md': '\ufeff# Welcome\n',
  'SUMMARY.md': `# Table of contents

* [Welcome](README.md)

## Guides

* [🚀 Install](guides/install.md "Setup")
  * [Deep](guides/deep.md)
* Old versions
* [Part](guides/install.md#part)
* [Again](guides/install.md)
* [Picture](.gitbook/assets/wave.png)
* [Status](https://status.example.org)
* [Bad](javascript:alert(1))
* \`\`\`yaml
  type: builtin:openapi
  props:
    models: true
  dependencies:
    spec:
      ref:
        kind: openapi
        spec: acme
  \`\`\`
`,
  'guides/install.md': install,
  'guides/deep.md': '# Deep\n',
  '.gitbook/assets/wave.png': png,
  '.gitbook/vars.yaml': 'product: Acme\nport: 80\n',
  '.gitbook/includes/note.md': '---\ntitle: A note\n---\n\nMind.\n',
})

test.after(() => app.stop())

const every = (pages: readonly Page[]): Page[] =>
  pages.flatMap(page => [page, ...every(page.pages ?? [])])
const find = async (title: string, path = '/content/pages') => {
  const { body } = await reader.get(api + path)
  const page = every(body.pages).find(page => page.title === title)
  if (!page) throw new Error(`no page ${title}`)
  return page as Page & Record<string, unknown>
}

test('readers can read; for guests and strangers the space does not exist', async () => {
  for (const path of [
    '/content',
    '/content/pages',
    '/content/files',
    '/content/path/readme',
    '/revisions',
  ]) {
    assert.is((await app.admin.get(api + path)).status, 200, path)
    assert.is((await reader.get(api + path)).status, 200, path)
    assert.is((await guest.get(api + path)).status, 404, path)
    assert.is((await stranger.get(api + path)).status, 404, path)
    assert.is((await app.anonymous.get(api + path)).status, 401, path)
  }
})

test('a document has the fields of its front matter and its text byte for byte', async () => {
  const { id } = await find('Install')
  const { status, body } = await reader.get(`${api}/content/page/${id}`)
  assert.is(status, 200)
  assert.is(body.markdown, install)
  const picture = (await reader.get(`${api}/content/files`)).body.items[0]

  assert.equal(body.cover, { ref: { kind: 'file', file: picture.id }, yPos: -12.5, height: 700 })
  assert.equal(body.layout, {
    width: 'wide',
    cover: true,
    coverSize: 'hero',
    coverMask: 'none',
    title: true,
    description: true,
    tableOfContents: true,
    outline: false,
    pagination: true,
    metadata: true,
    tags: true,
    actions: true,
    anchors: true,
  })
  assert.is(body.emoji, '🚀')
  assert.is(body.icon, 'rocket')
  assert.is(body.linkTitle, 'Setup')
  assert.is(body.description, 'How to install')
  assert.is(body.slug, 'install')
  assert.is(body.path, 'guides/install')
  assert.equal(body.variables, { port: 8443 })
  assert.equal([body.hidden, body.noIndex, body.noRobotsIndex], [true, false, false])
  assert.is(body.git.path, 'guides/install.md')
  assert.is(body.urls.app, `${app.url}/app/s/${api.split('/').at(-1)}/p/${id}`)
  assert.is(body.createdAt, '2023-11-14T22:13:20.000Z')
  assert.is(body.updatedAt, body.createdAt)
  assert.equal(
    body.pages.map((page: Page) => page.title),
    ['Deep'],
  )
  assert.is(body.pages[0].markdown, undefined)
})

test('a byte-order mark is preserved, and a page without a file is empty', async () => {
  const { body } = await reader.get(`${api}/content/path/readme`)
  assert.is(body.markdown, '\ufeff# Welcome\n')
  const old = await find('Old versions')
  const { body: page } = await reader.get(`${api}/content/page/${old.id}`)
  assert.is(page.markdown, '')
  assert.not('git' in page)
})

test('links have the id of their target, and never a script URL', async () => {
  const installed = await find('Install')
  const picture = (await reader.get(`${api}/content/files`)).body.items[0]
  const linkOf = async (title: string) => {
    const { target, href } = await find(title)
    return { target, href }
  }

  assert.equal(await linkOf('Part'), {
    target: { kind: 'anchor', anchor: 'part', page: installed.id },
    href: 'guides/install#part',
  })

  assert.equal(await linkOf('Again'), {
    target: { kind: 'page', page: installed.id },
    href: 'guides/install',
  })
  assert.equal((await linkOf('Picture')).target, { kind: 'file', file: picture.id })
  const url = 'https://status.example.org'

  assert.equal(await linkOf('Status'), { target: { kind: 'url', url }, href: url })
  assert.is((await linkOf('Bad')).href, undefined)
})

test('groups and computed pages are returned with their fields', async () => {
  const group = await find('Guides')
  assert.equal(
    [group.type, group.kind, group.slug, group.path],
    ['group', 'group', 'guides', 'guides'],
  )
  const { body } = await reader.get(`${api}/content/page/${group.id}`)
  assert.is(body.type, 'group')
  assert.is((await reader.get(`${api}/content/path/guides`)).body.id, group.id)
  const computed = await find('acme')

  assert.is(computed.type, 'computed')
  assert.equal(computed.computed, {
    type: 'builtin:openapi',
    props: { models: true },
    dependencies: { spec: { ref: { kind: 'openapi', spec: 'acme' } } },
  })
})

test('a path may have extra slashes, a suffix and a README', async () => {
  const { id } = await find('Install')
  for (const path of ['guides/install', 'guides/install.md', 'guides/install/', 'guides%2Finstall'])
    assert.is((await reader.get(`${api}/content/path/${path}`)).body.id, id, path)
  const welcome = await find('Welcome')
  for (const path of ['readme', 'README.md']) {
    assert.is((await reader.get(`${api}/content/path/${path}`)).body.id, welcome.id, path)
  }
  assert.is((await reader.get(`${api}/content/path/guides/nothing`)).status, 404)
  assert.is((await reader.get(`${api}/content/path/..%2f..%2fetc%2fpasswd`)).status, 404)
})

test('a revision is returned as a whole', async () => {
  const { body } = await reader.get(`${api}/content`)
  assert.is(body.object, 'revision')
  assert.is(body.type, 'edits')
  assert.equal(body.variables, { product: 'Acme', port: 80 })
  assert.is(body.files.length, 1)
  assert.is(body.git.oid, body.id)
  assert.is(body.git.createdByService, false)
  assert.is(body.git.createdByGitBook, false)
  assert.is(body.git.ref, 'refs/heads/main')
  assert.is(body.parents.length, 1)
  assert.equal(
    body.issues.map((issue: { path: string }) => issue.path),
    ['SUMMARY.md', 'SUMMARY.md', 'SUMMARY.md'],
  )
  const [note] = body.reusableContents

  assert.equal([note.title, note.git.path], ['A note', '.gitbook/includes/note.md'])
  const { body: read } = await reader.get(`${api}/content/reusable-contents/${note.id}`)

  assert.is(read.markdown, '---\ntitle: A note\n---\n\nMind.\n')
  assert.is((await reader.get(`${api}/content/reusable-contents/none`)).status, 404)
})

test('the text of all pages is included on request, and Git metadata can be left out', async () => {
  assert.is((await find('Install')).markdown, undefined)
  assert.is((await find('Install', '/content/pages?format=markdown')).markdown, install)
  assert.is((await find('Install', '/content?format=markdown')).markdown, install)
  assert.is((await find('Old versions', '/content/pages?format=markdown')).markdown, '')
  assert.not('git' in (await find('Install', '/content/pages?metadata=false')))
  const { body } = await reader.get(`${api}/content?metadata=false`)

  assert.not('git' in body)
  assert.not('git' in body.files[0])
  assert.not('git' in body.reusableContents[0])
  const { id } = await find('Install')

  assert.not('git' in (await reader.get(`${api}/content/page/${id}?metadata=false`)).body)
  assert.is(
    (await reader.get(`${api}/content/page/${id}?computed=false&evaluated=false`)).status,
    200,
  )
})

test('unsupported requests are refused with a message', async () => {
  const { id } = await find('Install')
  const refused = async (path: string, message: RegExp) => {
    const { status, body } = await reader.get(api + path)
    assert.is(status, 400, path)
    assert.match(body.error.message, message)
  }

  await refused(`/content/page/${id}?format=document`, /served as Markdown only/)
  await refused(`/content/page/${id}?evaluated=yes`, /evaluated/)
  await refused(`/content/page/${id}?metadata=maybe`, /true or false/)
  assert.is((await reader.get(`${api}/content/page/none`)).status, 404)
})

test.run()
