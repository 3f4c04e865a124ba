import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type App, startApp } from '../../support/app.ts'
import { openPage } from '../open-page.ts'

let app: App
test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

/** The addresses that a search finds, best first. */
async function found(query: string, more = ''): Promise<string[]> {
  const { status, text } = await openPage(
    app,
    `/docs/~search?part=1&q=${encodeURIComponent(query)}${more}`,
  )
  assert.is(status, 200)
  return [...text.matchAll(/role="option"[^>]* href="([^"]+)"/g)].map(([, href]) => href!)
}

test('a search finds an operation by its title, id, path, parameter, and a word about it', async () => {
  const get = '/docs/spaces/get-a-space'
  assert.is((await found('get a space', '&in=reference'))[0], get)
  assert.is((await found('getSpaceById'))[0], get)
  assert.ok(
    (await found('/v1/spaces/{spaceId}/restore')).includes('/docs/spaces/restore-a-deleted-space'),
  )
  assert.ok((await found('shareKey space', '&in=reference')).includes(get))
  // Of its description: "Admins can also get a deleted space that can still be restored."
  assert.ok((await found('admins deleted still restored', '&in=reference')).includes(get))
})

test('a search covers the manual, or one of the two', async () => {
  assert.ok((await found('reverse proxy')).some(href => href.startsWith('/docs/manual/')))
  const reference = await found('webhook', '&in=reference')
  const manual = await found('webhook', '&in=manual')
  assert.ok(reference.length > 0 && reference.every(href => !href.startsWith('/docs/manual/')))
  assert.ok(manual.length > 0 && manual.every(href => href.startsWith('/docs/manual/')))
})

test('without a page that has all words, those with the most are found, and the rest is named', async () => {
  const { text } = await openPage(app, '/docs/~search?q=webhook+qqqqq')
  assert.match(text, 'qqqqq')
  assert.match(text, /<ol class="plain hits"><li>/)
  const nothing = await openPage(app, '/docs/~search?q=qqqqq')
  assert.not.match(nothing.text, '<ol class="plain hits"><li>')
})

test('what is searched for is text, and the answer is the same for everybody', async () => {
  const { text, headers } = await openPage(
    app,
    `/docs/~search?q=${encodeURIComponent('<script>alert(1)</script>')}&in=%22%3E`,
  )
  assert.not.match(text, '<script>alert')
  assert.is(headers.get('x-robots-tag'), 'noindex')
  for (const query of ['', '   ', '(((', '\\', 'a'.repeat(5_000)])
    assert.is((await openPage(app, `/docs/~search?q=${encodeURIComponent(query)}`)).status, 200)
})

test.run()
