import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { ContentReferenceStatus } from '../../node_modules/@gitbook/api/dist/client.d.ts'
import { startApp } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { clientFor, notDriven } from '../support/http/client.ts'

const app = await startApp()
test.after(() => app.stop())
const elsewhere = await makeSpace(app, {}, 'Elsewhere')
const { space } = await makeSpace(app, {
  'README.md': `# Home

[a](guide.md#x) ![dot](.gitbook/assets/dot.svg) [b](gone.md) [c](notes.md) [d](https://example.org)
[e](https://app.gitbook.com/s/${elsewhere.space.id})

{% include ".gitbook/includes/note.md" %}

{% openapi-operation spec="acme" path="/pets" method="get" %}
[OpenAPI acme](https://example.org/acme.json)
{% endopenapi-operation %}
`,
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [Guide](guide.md)\n* [Status](https://status.example.org)\n* [Lost](lost.md)\n',
  'guide.md': '# Guide\n\n[home](README.md)\n',
  'notes.md': '[home](README.md)\n',
  '.gitbook/assets/dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="4"/>\n',
  '.gitbook/includes/note.md': '# Note\n\n[home](../../README.md)\n',
})
const driven = clientFor(app, app.admin)
const source = { text: '{"openapi":"3.1.0","info":{"title":"Acme","version":"1"},"paths":{}}' }
await driven.client.orgs.createOrUpdateOpenApiSpecBySlug('acme', 'acme', { source })
const { spaces } = driven.client
const broken = 'broken' as ContentReferenceStatus
const request = (await spaces.createChangeRequest(space.id, { subject: 'Better' })).data.id

test('links', async () => {
  const all = (await spaces.listSpaceLinks(space.id, {})).data
  const kinds = new Set(all.items.map(item => item.targetReference?.kind))
  assert.equal([...kinds].sort(), ['file', 'openapi', 'page', 'reusable-content', 'space', 'url'])
  const places = new Set(
    all.items.flatMap(item => item.locationReferences.map(place => place.kind)),
  )

  assert.equal([...places].sort(), ['file', 'page', 'reusable-content'])
  const some = (await spaces.listSpaceLinks(space.id, { status: broken, limit: 1 })).data

  assert.is(some.stats.broken.total, 3)
  const options = { status: broken, brokenContext: 'change-request' as const }
  const own = (await spaces.listChangeRequestLinks(space.id, request, options)).data

  assert.is(own.stats.broken.changeRequest, 0)
  assert.is(
    (await spaces.listChangeRequestLinks(space.id, request, {})).data.stats.total,
    all.stats.total,
  )
})

test('those of a page, and what links to it and to a file', async () => {
  const page = (await spaces.getPageByPath(space.id, 'readme', {})).data.id
  const file = (await spaces.listFiles(space.id, {})).data.items.find(
    each => each.name === 'dot.svg',
  )!.id
  assert.ok((await spaces.listPageLinksInSpace(space.id, page, { status: broken })).data.count! > 0)
  assert.ok(
    (await spaces.listPageLinksInChangeRequest(space.id, request, page, {})).data.count! > 0,
  )
  assert.is((await spaces.listSpacePageBacklinks(space.id, page, {})).data.count, 3)
  assert.is(
    (await spaces.listChangeRequestPageBacklinks(space.id, request, page, {})).data.count,
    3,
  )
  assert.is((await spaces.listSpaceFileBacklinks(space.id, file, {})).data.count, 1)
  assert.is(
    (await spaces.listChangeRequestFileBacklinks(space.id, request, file, {})).data.count,
    1,
  )
})

test('where the newest revision is that of a merge', async () => {
  const document = { markdown: '[home](README.md)\n' }
  const changes = [{ operation: 'insert_page' as const, title: 'More', document }]
  await app.admin.post(`/v1/spaces/${space.id}/change-requests/${request}/content`, { changes })
  await spaces.mergeChangeRequest(space.id, request)
  const [link] = (await spaces.listSpaceLinks(space.id, { limit: 1 })).data.items
  const [place] = link!.locationReferences
  const context = place && 'versionContext' in place ? place.versionContext : undefined

  assert.is(
    context?.type === 'revision' &&
      'mergedFrom' in context.revision &&
      context.revision.mergedFrom.id,
    request,
  )
})

test('every operation that the client has for these was called', () => {
  assert.equal(notDriven(/^\/spaces\/.*links$/, driven.done), [])
})

test.run()
