import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { plainSettings } from '../../content/customization/settings.ts'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'

const app = await siteApp()
test.after(() => app.stop())

const { base, site } = await insertPublicSite(app, {
  'README.md': '# Home\n\n![](https://example.org/a.png)\n',
})
const customization = `/v1/orgs/acme/sites/${site}/customization`

async function policyOf(address: string): Promise<string> {
  const { headers } = await openPage(app, address)
  return headers.get('content-security-policy') ?? ''
}

/** Returns where the policy of the page allows images from. */
const imageSources = async (): Promise<string | undefined> =>
  /; img-src ([^;]*)/.exec(await policyOf(base))?.[1]

test('a site closes images of other hosts, but for those of its settings', async () => {
  assert.is(await imageSources(), "'self' data: https:")
  const both = {
    light: 'https://cdn.example.org/logo.svg',
    dark: 'https://cdn.example.org/dark.svg',
  }
  const { header, ...settings } = plainSettings()
  const closed = { ...settings, header, externalImages: { enabled: false } }
  const put = await app.admin.put(customization, closed)

  assert.equal([put.status, put.body.externalImages], [200, { enabled: false }], put.text)
  assert.is(await imageSources(), "'self' data:")
  assert.match(await policyOf(base), /; media-src 'self';/)
  await app.admin.put(customization, { ...closed, header: { ...header, logo: both } })
  assert.is(await imageSources(), "'self' data: https://cdn.example.org")
  await app.admin.put(customization, { ...closed, externalImages: { enabled: true } })
  assert.is(await imageSources(), "'self' data: https:")
  await app.admin.put(customization, { ...settings, header })
  assert.is(await imageSources(), "'self' data: https:")
})

test('a site space has no policy of its own', async () => {
  const { body } = await app.admin.get(`/v1/orgs/acme/sites/${site}/site-spaces`)
  const id = body.items[0].id
  const { status, text } = await app.admin.patch(
    `/v1/orgs/acme/sites/${site}/site-spaces/${id}/customization`,
    { externalImages: { enabled: false } },
  )
  assert.is(status, 400)
  assert.match(text, 'cannot be overridden')
})

test.run()
