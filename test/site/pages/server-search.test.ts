import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Browser } from '../../support/http/browser.ts'
import { until } from '../../support/until.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'

const app = await siteApp()
test.after(() => app.stop())

const handbook = (title: string, words: string) => ({
  'README.md': `# ${title}\n\nWelcome.\n`,
  'install.md': `# Install ${title}\n\nInstallword ${words}.\n`,
})
const router = await insertPublicSite(app, handbook('Router', 'with a cable'), { title: 'Router' })
const camera = await insertPublicSite(app, handbook('Camera', 'with a lens'), { title: 'Camera' })
const inside = await insertPublicSite(app, handbook('Wages', 'with a form'), { title: 'Wages' })
await app.admin.patch(`/v1/orgs/acme/sites/${inside.site}`, { membersOnly: true })

const member = new Browser(app.url)
await member.signIn(app.user('Mia', 'read').token)

const hrefs = (text: string) =>
  [...text.matchAll(/href="(\/sites\/[^"]*install)"/g)].map(([, to]) => to)
const search = (query: string, headers: Record<string, string> = {}) =>
  openPage(app, `/?${query}`, { accept: 'text/html', ...headers })

await until('the index has the three sites', async () => {
  const { text } = await search('q=installword', { cookie: member.cookie })
  return hrefs(text).length === 3 || undefined
})

test('the dialog of the list of sites gets the hits of all public sites', async () => {
  const { status, text, headers } = await search('q=installword&part=1')
  assert.is(status, 200)
  assert.not.match(text, '<html')
  assert.equal(hrefs(text), [`${router.base}install`, `${camera.base}install`])
  assert.match(text, '<small class="where">Router</small>')
  assert.match(headers.get('cache-control') ?? '', 'public')
})

test('without a script, the search is a page with the same hits', async () => {
  const { text } = await search('q=installword')
  assert.match(text, '<html')
  assert.match(text, 'value="installword"')
  assert.equal(hrefs(text), [`${router.base}install`, `${camera.base}install`])
  assert.match((await search('q=qqxxqq')).text, 'qqxxqq')
  assert.equal(hrefs((await search('q=lens')).text), [`${camera.base}install`])
})

test('members also search the sites that they may read, and nobody else learns of them', async () => {
  const { text, headers } = await search('q=wages', { cookie: member.cookie })
  assert.equal(hrefs(text), [`${inside.base}install`])
  assert.is(headers.get('cache-control'), 'private, no-store')
  assert.not.match((await search('q=wages')).text, inside.base)
})

test.run()
