import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pick } from '../../../src/access/fields.ts'
import { api } from '../../../src/api/routes.ts'
import { fieldsIn } from '../../../src/http/fields.ts'
import { parseQuery } from '../../../src/http/input/parse-query.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { runs } from '../../support/long-run.ts'
import { readerOf } from '../../support/sites.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Json = any

const app = await startApp()
const { admin } = app
test.after(() => app.stop())

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const { space, api: base } = await makeSpace(app, {
  '.gitbook.yaml': 'redirects:\n  old: gone.md\n',
  '.gitbook/vars.yaml': 'product: Stemma\n',
  '.gitbook/includes/note.md': '# A note\n\nMind the gap.\n',
  'README.md': '---\ndescription: The start\n---\n\n# Home\n\nA [bicycle](missing.md).\n',
  'guides/README.md': '---\nicon: book\n---\n\n# Guides\n\nRide a bicycle.\n',
  'guides/deep/far.md':
    '---\nvars:\n  speed: 7\n---\n\n# Far\n\n![](../../.gitbook/assets/dot.png)\n',
  '.gitbook/assets/dot.png': pixel,
  'SUMMARY.md':
    '# Contents\n\n* [Home](README.md)\n* [Guides](guides/README.md)\n  * [Far](guides/deep/far.md)\n\n## More\n\n* [Elsewhere](https://example.org)\n',
})
const { number } = (await admin.post(`${base}/change-requests`, { subject: 'Faster' })).body
const request = `${base}/change-requests/${number}`
const edited = await admin.post(`${request}/content`, {
  changes: [{ operation: 'insert_page', title: 'Fast bicycle', document: { markdown: 'Go.\n' } }],
})
assert.is(edited.status, 200, edited.text)
const { id: head, pages } = (await admin.get(`${base}/content`)).body
const guides = pages.find((page: Json) => page.title === 'Guides')
const { id: site } = (await admin.post('/v1/orgs/acme/sites', { spaces: [space.id] })).body

/** What is read of an operation that takes `fields`, and the body of a search. */
const reads: Record<string, string | [path: string, body: object]> = {}
for (const [scope, path] of [
  ['GET /spaces/:spaceId/content', `${base}/content`],
  ['GET /spaces/:spaceId/change-requests/:changeRequestId/content', `${request}/content`],
  ['GET /spaces/:spaceId/revisions/:revisionId', `${base}/revisions/${head}`],
] as const)
  Object.assign(reads, {
    [scope]: path,
    [`${scope}/pages`]: `${path}/pages?format=markdown`,
    [`${scope}/files`]: `${path}/files`,
    [`${scope}/page/:pageId`]: `${path}/page/${guides.id}`,
    [`${scope}/path/*pagePath`]: `${path}/path/guides/far`,
  })
Object.assign(reads, {
  'GET /spaces/:spaceId/content/findings': `${base}/content/findings`,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/content/findings': `${request}/content/findings`,
  'GET /spaces/:spaceId/revisions/:revisionId/content/findings': `${base}/revisions/${head}/content/findings`,
  'GET /spaces/:spaceId/revisions': `${base}/revisions`,
  'GET /spaces/:spaceId/revisions/:revisionId/changes': `${base}/revisions/${head}/changes`,
  'GET /spaces/:spaceId/revisions/:revisionId/search': `${base}/revisions/${head}/search?query=bicycle`,
  'GET /spaces/:spaceId/search': `${base}/search?query=bicycle`,
  'GET /spaces/:spaceId/change-requests': `${base}/change-requests`,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/changes': `${request}/changes`,
  'GET /spaces/:spaceId/change-requests/:changeRequestId/search': `${request}/search?query=bicycle`,
  'GET /orgs/:organizationId/search': '/v1/orgs/acme/search?query=bicycle',
  'GET /orgs/:organizationId/change-requests': '/v1/orgs/acme/change-requests',
  'POST /orgs/:organizationId/sites/:siteId/search': [
    `/v1/orgs/acme/sites/${site}/search`,
    { query: 'bicycle', scope: { mode: 'all' } },
  ],
})

const endpoints = Object.entries(api).filter(([, { query }]) => {
  const shape = (query as Json)?.shape
  return shape?.fields && 'fields' in Object(parsed(query, 'x'))
})

/** Returns the query of an operation with `fields`; the names do not matter. */
function parsed(query: Json, fields: string): unknown {
  try {
    return parseQuery(query, { fields, query: 'x' }).query
  } catch (error) {
    return / names "x", but /.test(String(error)) ? { fields } : undefined
  }
}

/** Returns the paths of the fields of an answer, those of a tree as those of its first level. */
function pathsOf(value: Json, at = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap(item => pathsOf(item, at)))]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = at === '' ? name : `${at}.${name}`
    return [path, ...pathsOf(inner, path.replace(/\bpages(\.pages)+/, 'pages'))]
  })
}

const withFields = (path: string, fields: string) =>
  `${path}${path.includes('?') ? '&' : '?'}fields=${encodeURIComponent(fields)}`

test('every operation that takes fields is read here', () => {
  assert.equal(endpoints.map(([key]) => key).sort(), Object.keys(reads).sort())
})

test('an answer with fields is the wanted part of the whole answer', async () => {
  // Addresses of files change every hour.
  const { time } = app.ctx.store
  Object.defineProperty(app.ctx.store, 'time', { get: () => time })

  for (const [key, { query }] of endpoints) {
    const read = reads[key]
    const [path = '', body = undefined] = typeof read === 'string' ? [read] : (read ?? [])
    const ask = (path: string) => (body ? admin.post(path, body) : admin.get(path))
    const whole = await ask(path)
    assert.is(whole.status, 200, `${key}: ${whole.text}`)
    const paths = [...new Set(pathsOf(whole.body))]

    await fc.assert(
      fc.asyncProperty(
        fc.subarray(paths, { minLength: 1, maxLength: Math.min(4, paths.length) }),
        async names => {
          const fields = names.join(',')
          const { status, text, headers, body } = await ask(withFields(path, fields))
          assert.is(status, 200, `${key} ${fields}: ${text}`)
          const given = { ...Object.fromEntries(new URL(path, app.url).searchParams), fields }
          assert.equal(
            body,
            pick(fieldsIn(parseQuery(query, given).query), whole.body),
            `${key} ${fields}`,
          )
          if (headers.get('etag') !== null && text !== whole.text)
            assert.is.not(headers.get('etag'), whole.headers.get('etag'), `${key} ${fields}`)
        },
      ),
      { numRuns: runs(32), endOnFailure: true },
    )
  }
})

test('304 is for the same fields, whatever their order, and If-Match takes the ETag of each', async () => {
  const path = `${base}/content/pages`
  const first = await admin.get(`${path}?fields=pages.id,pages.title`)
  const etag = first.headers.get('etag') ?? ''
  const has = async (query: string) =>
    (await admin.get(path + query, { 'if-none-match': etag })).status

  assert.is(await has('?fields=pages.title,pages.id'), 304)
  assert.is(await has('?fields=pages.id'), 200)
  assert.is(await has(''), 200)
  const other = (await admin.get(path)).headers.get('etag') ?? ''
  assert.is((await admin.get(`${path}?fields=pages.id`, { 'if-none-match': other })).status, 200)

  const { number } = (await admin.post(`${base}/change-requests`, { subject: 'Checked' })).body
  const content = `${base}/change-requests/${number}/content`
  const seen = (await admin.get(`${content}?fields=id`)).headers.get('etag') ?? ''
  const write = (title: string) =>
    admin.request(
      'POST',
      content,
      { changes: [{ operation: 'insert_page', title, document: {} }] },
      { 'if-match': seen },
    )
  assert.is((await write('One')).status, 200)
  assert.is((await write('Two')).status, 412)
})

test('readers of a site take fields as well, and get none that they may not see', async () => {
  const published = await admin.post(`/v1/orgs/acme/sites/${site}/publish`)
  assert.is(published.status, 200, published.text)
  const reader = readerOf(app, site)
  const { body } = await reader.get(`${base}/content/pages?fields=pages.title,pages.git`)
  assert.equal(body.pages[0], { title: 'Home', pages: [] })
  const { body: page } = await reader.get(`${base}/content/path/guides?fields=markdown,git`)
  assert.equal(Object.keys(page), ['markdown'])
})

test('unknown fields are refused, and operations without fields ignore the parameter', async () => {
  const wrong = await admin.get(`${base}/content/pages?fields=pages.titel`)
  assert.is(wrong.status, 400)
  assert.match(wrong.body.error.message, /names "pages\.titel", but "pages" has only id, title,/)
  const { headers } = await admin.get(`${base}?fields=id`)
  assert.is(headers.get('stemma-ignored'), 'fields')
})

test.run()
