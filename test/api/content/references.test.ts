import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { publishedSite, readerOf } from '../../support/sites.ts'

const app = await startApp()
const { admin } = app
test.after(() => app.stop())

const guide = `---
cover: ../.gitbook/assets/x.png
---

# Guide

[Home](../README.md#top) ![x](../.gitbook/assets/x.png) [gone](gone.md) [web](https://example.org)

{% include "../.gitbook/includes/note.md" %}

{% include "../.gitbook/includes/gone.md" %}
`
const files = {
  'README.md': '# Home\n',
  'SUMMARY.md':
    '# Summary\n\n* [Home](README.md)\n* [Guide](guides/guide.md)\n* [Plain](plain.md)\n',
  'guides/guide.md': guide,
  'plain.md': '# Plain\n',
  '.gitbook.yaml': 'variables: ./vars.yaml\n',
  '.gitbook/vars.yaml': 'company: Acme\n',
  '.gitbook/assets/x.png': 'png',
  '.gitbook/includes/note.md':
    '---\ntitle: Note\n---\n\nOf <code class="expression">space.vars.company</code>, see [Guide](../../guides/guide.md) and [plain](../../plain.md#a).\n\n{% include "deep.md" %}\n',
  '.gitbook/includes/deep.md': 'Deep.\n\n{% include "note.md" %}\n',
}
const { space, api } = await (async () => {
  const made = await makeSpace(app, files)
  return { space: made.space, api: `/v1/spaces/${made.space.id}/content` }
})()
const page = async (path: string, query = '', by = admin) => {
  const { status, text, body } = await by.get(`${api}/path/${path}${query}`)
  assert.is(status, 200, text)
  return body
}
const stable = 'format.markdown.refs=stable'
const readId = async (path: string): Promise<string> => (await page(path)).id

test('reusable content stands in place of its tags, with links that lead from the page', async () => {
  const { markdown } = await page('guides/guide', '?dereferenced=true')
  assert.is(
    markdown,
    guide.replace(
      '{% include "../.gitbook/includes/note.md" %}',
      'Of <code class="expression">space.vars.company</code>, see [Guide](guide.md) and [plain](../plain.md#a).\n\nDeep.\n\n{% include "note.md" %}',
    ),
  )
  const only = await page('guides/guide', '?dereferenced=reusable-contents')
  assert.is(only.markdown, markdown)
  for (const query of ['', '?dereferenced=false', '?format.markdown.refs=relative'])
    assert.is((await page('guides/guide', query)).markdown, guide, query)
  assert.is((await page('plain', '?dereferenced=true')).markdown, '# Plain\n')
})

test('links name pages and files by their ids, and are written back as they were', async () => {
  const [home, file] = [await readId('readme'), (await admin.get(`${api}/files`)).body.items[0].id]
  const { id, markdown } = await page('guides/guide', `?${stable}`)
  assert.is(
    markdown,
    guide
      .replaceAll('../.gitbook/assets/x.png', `/files/${file}`)
      .replace('../README.md#top', `/pages/${home}#top`),
  )
  const both = await page('guides/guide', `?${stable}&dereferenced=true`)
  assert.match(
    both.markdown,
    `see [Guide](/pages/${id}) and [plain](/pages/${await readId('plain')}#a)`,
  )

  const changes = [{ operation: 'update_page', page: id, document: { markdown } }]
  const edit = await admin.post(api, { changes })
  assert.is(edit.status, 200, edit.text)
  assert.is((await page('guides/guide')).markdown, guide)
})

test('readers get reusable content as it is shown to them', async () => {
  const site = await publishedSite(app, [space.id])
  const { markdown } = await page('guides/guide', '?dereferenced=true', readerOf(app, site.id))
  assert.match(markdown, 'Of Acme, see [Guide](guide.md)')
  const evaluated = await page('guides/guide', '?dereferenced=true&evaluated=true')
  assert.match(evaluated.markdown, 'Of Acme, see [Guide](guide.md)')
  assert.not.match(markdown, 'cover:')
})

test('other values are refused', async () => {
  for (const query of ['dereferenced=all', 'format.markdown.refs=absolute'])
    assert.is((await admin.get(`${api}/path/plain?${query}`)).status, 400, query)
})

test.run()
