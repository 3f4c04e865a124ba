import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type App, startApp } from '../../support/app.ts'
import { openPage } from '../open-page.ts'

let app: App
test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

type Operation = { operationId: string; tags: string[] }

/** Returns the operations of the document, those of webhooks included. */
async function operationsOfDocument(): Promise<Operation[]> {
  const { body } = await app.anonymous.get('/v1/openapi.json')
  return Object.values({ ...body.paths, ...body.webhooks }).flatMap(item =>
    Object.values(item as Record<string, Operation>),
  )
}

const hrefsIn = (html: string): string[] =>
  [...html.matchAll(/ href="([^"]*)"/g)].map(([, href]) => href!)

/** The addresses in the list of pages, with those of its shut entries. */
async function listed(): Promise<Map<string, string[]>> {
  const { text } = await openPage(app, '/docs')
  const list = /<nav class="side".*?<\/nav>/s.exec(text)?.[0] ?? ''
  const below = new Map<string, string[]>()
  for (const [, href, fragment] of list.matchAll(
    /<a href="([^"]+)"[^>]*>(?:(?!<a ).)*?data-fragment="([^"]+)"/gs,
  )) {
    const opened = await openPage(app, fragment!)
    assert.is(opened.status, 200, fragment)
    below.set(href!, hrefsIn(opened.text))
  }
  return below
}

test('every operation is on a page that the list of pages leads to, below its tag', async () => {
  const below = await listed()
  const operations = await operationsOfDocument()
  const tags = new Set(operations.flatMap(operation => operation.tags))
  assert.is([...below.keys()].filter(href => href !== '/docs/models').length, tags.size)

  const found = new Set<string>()
  for (const [tag, pages] of below) {
    const { status, text } = await openPage(app, tag)
    assert.is(status, 200, tag)
    for (const page of pages) {
      assert.ok(text.includes(` href="${page}"`), `${tag} does not lead to ${page}`)
      if (tag === '/docs/models') continue
      const opened = await openPage(app, page)
      assert.is(opened.status, 200, page)
      const [, id = ''] = /<code>(\w+)<\/code><\/p>/.exec(opened.text) ?? []
      found.add(id)
    }
  }

  assert.equal([...found].sort(), operations.map(({ operationId }) => operationId).sort())
})

test('the id of an operation leads to its page', async () => {
  for (const id of ['getSpaceById', 'getspacebyid']) {
    const opened = await openPage(app, `/docs/${id}`)
    assert.equal([opened.status, opened.headers.get('location')], [302, '/docs/spaces/get-a-space'])
  }
})

test('the page of an operation has its parameters, body, answers and example', async () => {
  const { text } = await openPage(app, '/docs/spaces/create-a-space')
  for (const part of ['Parameters', 'Request body', 'Example request', 'Responses'])
    assert.match(text, new RegExp(`<h\\d[^>]*>${part}`), part)
  assert.match(text, '/v1/orgs/default/spaces')
  assert.match(
    text,
    /<strong>Role<\/strong>: .*<strong>Scope<\/strong>: <code>spaces:write<\/code>/,
  )
  for (const title of ['curl', 'JavaScript', 'Python']) assert.match(text, `data-tab="${title}"`)
  // The form stands below the tabs, whichever is open.
  assert.match(text, /<\/details>\n<\/div>\n<div class="try with-script" data-call=/)
})

test('a page is Markdown at its address with ".md"', async () => {
  const { headers, text } = await openPage(app, '/docs/spaces/get-a-space.md')
  assert.is(headers.get('content-type'), 'text/markdown; charset=utf-8')
  assert.match(text, /^# Get a space\n/)
})

test('pages name their ETag, load nothing from other origins, and hold for all readers', async () => {
  for (const path of [
    '/docs',
    '/docs/',
    '/docs/spaces/get-a-space',
    '/docs/manual',
    '/docs/manual/concepts',
  ]) {
    const { status, headers, text } = await openPage(app, path)
    assert.is(status, 200, path)
    assert.match(headers.get('content-type') ?? '', /^text\/html/)
    assert.match(
      headers.get('content-security-policy') ?? '',
      /^default-src 'none'; script-src 'self'/,
    )
    assert.is(headers.get('cache-control'), 'public, max-age=0, must-revalidate')
    assert.is(headers.get('set-cookie'), null)
    const again = await openPage(app, path, { 'If-None-Match': headers.get('etag')! })
    assert.equal([again.status, again.text], [304, ''])
    for (const [, source] of text.matchAll(
      /<(?:script|link rel="stylesheet"|img)[^>]* (?:src|href)="([^"]*)"/g,
    ))
      assert.match(source!, /^\/(?!\/)/)
  }
})

test('the addresses of pages have one spelling', async () => {
  for (const [path, to] of [
    ['/docs/spaces/', '/docs/spaces'],
    ['/docs/spaces/get-a-space/', '/docs/spaces/get-a-space'],
    ['/docs/manual/writing/git/', '/docs/manual/writing/git'],
    ['/docs/manual/git', '/docs/manual/writing/git'],
  ] as const) {
    const opened = await openPage(app, path)
    assert.equal([opened.status, opened.headers.get('location')], [302, to], path)
  }
})

test('a path without a page gets a page that searches for its words', async () => {
  const { status, headers, text } = await openPage(app, '/docs/spaces/restore-space')
  assert.is(status, 404)
  assert.is(headers.get('cache-control'), 'no-store')
  assert.match(text, 'href="/docs/spaces/restore-a-deleted-space"')

  for (const path of [
    'package.json',
    'index.html',
    '../package.json',
    '..%2fpackage.json',
    '%2e%2e/%2e%2e/package.json',
    'manual/..%2fpackage.json',
    'manual/.gitbook/assets/..%2f..%2fapi.md.svg',
    'SUMMARY.md',
    'manual/SUMMARY.md',
    '%00',
    '~nav',
    '~nav/reference',
    '~nav/other/spaces',
    '~session/x',
    'constructor',
    '__proto__',
    'x'.repeat(5_000),
  ])
    assert.is((await openPage(app, `/docs/${path}`)).status, 404, path)
})

test('the manual has its pages, their images and reusable content, and links among them', async () => {
  const { status, text } = await openPage(app, '/docs/manual/writing/blocks')
  assert.is(status, 200)
  const [, image = ''] =
    /<img[^>]* src="([^"]+\.svg)"[^>]* width="\d+" height="\d+"/.exec(text) ?? []
  assert.match(image, /^\/docs\/manual\//)
  const { headers, bytes } = await openPage(app, image)
  assert.is(headers.get('content-type'), 'image/svg+xml')
  assert.match(headers.get('content-security-policy') ?? '', /sandbox/)
  assert.ok(bytes.length > 100)

  const first = await openPage(app, '/docs/manual')
  const pages = hrefsIn(first.text).filter(href => href.startsWith('/docs/manual/'))
  assert.ok(pages.length > 25)
  for (const page of new Set(pages))
    assert.is((await openPage(app, page.split('#')[0]!)).status, 200, page)
})

test('below the path of a proxy, the addresses of pages begin with it', async () => {
  const other = await startApp({ STEMMA_PUBLIC_URL: 'https://docs.example.org/stemma/' })
  const { text } = await openPage(other, '/docs/spaces')
  for (const href of hrefsIn(text))
    assert.match(href, /^(?:\/stemma\/|#|data:|https:\/\/docs\.example\.org\/stemma\/)/)
  const moved = await openPage(other, '/docs/getSpaceById')
  assert.is(moved.headers.get('location'), '/stemma/docs/spaces/get-a-space')
  const example = await openPage(other, '/docs/spaces/get-a-space.md')
  assert.match(example.text, "curl 'https://docs.example.org/stemma/v1/spaces/")
  await other.stop()
})

test.run()
