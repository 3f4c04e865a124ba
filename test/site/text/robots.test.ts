import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { updateSite } from '../../../src/store/sites/sites.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'
import { changeAudience } from '../visitors.ts'

const app = await siteApp()
test.after(() => app.stop())

const files = { 'README.md': '# Home\n' }

test('crawlers are told without a sign-in, also those that may read nothing', async () => {
  const made = await insertPublicSite(app, files)
  const robots = (headers = {}) => openPage(app, `${made.base}robots.txt`, headers)
  await changeAudience(app, made, 'visitor-auth')
  assert.is((await openPage(app, made.base)).status, 401)
  const closed = await robots()

  assert.equal([closed.status, closed.text], [200, `User-agent: *\nDisallow: ${made.base}\n`])
  await changeAudience(app, made, 'public')
  updateSite(app.ctx.store, made.site, { agents_context: 'excluded' })
  const asAgent = await robots({ 'user-agent': 'GPTBot/1.2' })

  assert.is(asAgent.status, 200)
  assert.match(asAgent.text, `User-agent: GPTBot\nDisallow: ${made.base}\n`)
  const base = await changeAudience(app, made, 'share-link')

  assert.is((await robots()).status, 404)
  assert.is((await openPage(app, `${base}robots.txt`)).text, `User-agent: *\nDisallow: ${base}\n`)
  updateSite(app.ctx.store, made.site, { visibility: 'public', published: 0 })
  assert.is((await robots()).status, 404)
})

test('the server names the site maps of its public sites alone', async () => {
  const [open, unlisted, closed, shared, excluded] = [
    await insertPublicSite(app, files),
    await insertPublicSite(app, files, { visibility: 'unlisted' }),
    await insertPublicSite(app, files, { visibility: 'visitor-auth' }),
    await insertPublicSite(app, files, { visibility: 'share-link' }),
    await insertPublicSite(app, files, { agents_context: 'excluded' }),
  ]
  const { status, text, headers } = await openPage(app, '/robots.txt')
  assert.is(status, 200)
  assert.is(headers.get('content-type'), 'text/plain; charset=utf-8')
  const own = app.ctx.publicUrl()

  for (const { base } of [open, excluded]) assert.match(text, `Sitemap: ${own}${base}sitemap.xml\n`)
  for (const { base } of [unlisted, closed, shared])
    assert.not.match(text, new RegExp(`${base}(?:\\s|\\w)`))
  const [all = '', agents = ''] = text.split('\n\n')

  assert.match(all, 'User-agent: *\n')
  assert.match(all, 'Disallow: /*/~\n')
  assert.match(all, 'Allow: /*/~stemma/files\n')
  assert.match(all, 'Disallow: /v1/')
  assert.not.match(all, excluded.base)
  assert.match(agents, 'User-agent: GPTBot\n')
  assert.match(agents, `Disallow: ${excluded.base}`)
  const other = await openPage(app, '/robots.txt', { host: 'other.example.org' })

  assert.is(other.status, 404)
})

test.run()
