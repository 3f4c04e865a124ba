import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { petstore, processed } from '../openapi/host.ts'

const app = await startApp()
const reader = app.user('Rita', 'read')
test.after(() => app.stop())

const guide = `---
title: Guide
vars:
  port: 8443
---
# Guide

Version <code class="expression">space.vars.version</code>, port <code class="expression">page.vars.port</code>.

{% if visitor.claims.unsigned.beta %}
Beta for <code class="expression">space.vars.version</code>.
{% endif %}

{% include "../.gitbook/includes/note.md" %}

{% openapi-operation spec="nowhere" path="/pets" method="get" %}
[OpenAPI](https://example.org)
{% endopenapi-operation %}
`
const { api, repo, space } = await makeSpace(app, {
  'README.md': '# Home\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [Guide](guide.md)\n* [Beta](beta.md)\n* [Old](old.md)\n* [Empty](empty.md)\n* [Made]()\n',
  'guide.md': guide,
  'beta.md': '---\nif: visitor.claims.unsigned.beta\n---\n# Beta\n',
  'old.md': '---\nif: space.vars.version === "1.0"\n---\n# Old\n',
  'empty.md': '---\nif: ""\n---\n# Shown\n',
  '.gitbook/vars.yaml': 'version: "2.0"\n',
  '.gitbook/includes/note.md': 'Note.\n',
})
const markdown = async (path: string) => (await reader.get(`${api}${path}`)).body.markdown

test('a page is returned as in Git unless it is requested evaluated', async () => {
  assert.is(await markdown('/content/path/guide'), guide)
  assert.is(await markdown('/content/path/guide?evaluated=false'), guide)
  const lines = (await markdown('/content/path/guide?evaluated=true')).split('\n')
  assert.equal(lines.slice(0, 6), guide.split('\n').slice(0, 6))
  assert.is(lines[7], 'Version 2.0, port 8443.')
  assert.not.match(lines.join('\n'), /Beta|if /)
  assert.match(lines.join('\n'), /\{% include "\.\.\/\.gitbook\/includes\/note\.md" %\}/)
  assert.match(lines.join('\n'), /\{% openapi-operation spec="nowhere"/)
  const fixed = await markdown('/content/path/guide?evaluated=deterministic-only')

  assert.match(fixed, /Version 2\.0, port 8443\./)
  assert.match(fixed, /\{% if visitor\.claims\.unsigned\.beta %\}\nBeta for 2\.0\.\n\{% endif %\}/)
})

test('a page is evaluated alike by id, in a revision and in a change request', async () => {
  const { id } = (await reader.get(`${api}/content/path/guide`)).body
  const wanted = await markdown('/content/path/guide?evaluated=true')
  const { body: revision } = await reader.get(`${api}/content`)
  const { body: request } = await app.admin.post(`${api}/change-requests`, { subject: 'More' })
  const places = ['/content', `/revisions/${revision.id}`, `/change-requests/${request.id}/content`]

  for (const place of places) {
    assert.is(await markdown(`${place}/page/${id}?evaluated=true`), wanted, place)
    assert.is(await markdown(`${place}/path/guide?evaluated=true`), wanted, place)
  }
})

test('a page whose condition is not met is not found, and the error says why', async () => {
  for (const path of ['beta', 'old', 'empty'])
    assert.is((await reader.get(`${api}/content/path/${path}`)).status, 200)
  const { status, body } = await reader.get(`${api}/content/path/old?evaluated=true`)
  assert.is(status, 404)
  assert.match(
    body.error.message,
    /condition of the page .* is not met: `space\.vars\.version === "1\.0"`/,
  )
  assert.is((await reader.get(`${api}/content/path/beta?evaluated=true`)).status, 404)
  assert.is((await reader.get(`${api}/content/path/old?evaluated=deterministic-only`)).status, 404)
  assert.is((await reader.get(`${api}/content/path/beta?evaluated=deterministic-only`)).status, 200)
  assert.is((await reader.get(`${api}/content/path/empty?evaluated=true`)).status, 200)
  assert.is((await reader.get(`${api}/content/path/made?evaluated=true`)).status, 200)
})

test('an evaluated page follows the variables and has its own ETag', async () => {
  const asked = `${api}/content/path/guide?evaluated=true`
  const first = await reader.get(asked)
  const etag = first.headers.get('etag') ?? ''
  assert.is.not(etag, (await reader.get(`${api}/content/path/guide`)).headers.get('etag'))
  assert.is((await reader.get(asked, { 'if-none-match': etag })).status, 304)
  const before = (await reader.get(`${api}/content`)).body.id

  await commitFiles(repo, { '.gitbook/vars.yaml': 'version: "3.0"\n' })
  const second = await reader.get(asked)

  assert.match(second.body.markdown, /Version 3\.0/)
  assert.is.not(second.headers.get('etag'), etag)
  const old = await reader.get(
    `/v1/spaces/${space.id}/revisions/${before}/path/guide?evaluated=true`,
  )

  assert.match(old.body.markdown, /Version 2\.0/)
})

test('blocks of a description are expanded and follow its versions', async () => {
  const block =
    '{% openapi-operation spec="pets" path="/pets" method="get" %}\n[Pets](x)\n{% endopenapi-operation %}\n'
  const text = `# Guide\n\n<code class="expression">1 + 1</code>\n\n${block}`
  await commitFiles(repo, { 'guide.md': text })
  const asked = '/content/path/guide?evaluated=true'

  assert.is(await markdown(asked), `# Guide\n\n2\n\n${block}`)
  const describe = async (summary: string) => {
    const spec = '/v1/orgs/acme/openapi/pets'
    await app.admin.put(spec, { source: { text: petstore('Pets').replace('List pets', summary) } })
    await processed(app, spec)
  }

  await describe(`List <code class='expression'>1 + 1</code>`)
  const first = await reader.get(`${api}${asked}`)

  assert.match(first.body.markdown, /^# Guide\n\n2\n\n[\s\S]*List /)
  assert.not.match(first.body.markdown, /\{% openapi|List 2/)
  assert.not.match(
    await markdown('/content/path/guide?evaluated=deterministic-only'),
    /\{% openapi/,
  )
  await describe('Find pets')
  const second = await reader.get(`${api}${asked}`)

  assert.match(second.body.markdown, /Find pets/)
  assert.is.not(second.headers.get('etag'), first.headers.get('etag'))
  assert.is(await markdown('/content/path/guide'), text)
})

test('a page with many expressions is evaluated in one response', async () => {
  const many = Array.from(
    { length: 20_000 },
    (_, i) => `<code class="expression">${i} + 1</code>\n`,
  ).join('\n')
  await commitFiles(repo, { 'guide.md': many })
  const { status, body } = await reader.get(`${api}/content/path/guide?evaluated=true`)
  assert.is(status, 200)
  assert.match(body.markdown, /^1\n\n2\n\n3\n/)
})

test.run()
