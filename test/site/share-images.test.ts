import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { hasImagePackage } from '../../src/actions/images/sized-image.ts'
import { updateSite } from '../../src/store/sites/sites.ts'
import { skip } from '../support/skip.ts'
import { insertPublicSite, openPage, siteApp } from './open-page.ts'

const app = await siteApp()
test.after(() => app.stop())

const long =
  'Multi-process workers, high availability and everything else that you need to know before you put a collector of events into production'
const files = {
  'README.md': '---\ndescription: What to do first, and what after it\n---\n\n# Install\n',
  'long.md': `---\ndescription: ${long}\n---\n\n# ${long}\n`,
  'word.md': '# Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverleihung\n',
  'chinese.md': '---\ndescription: 事件丢失、延迟或重复时该怎么办。\n---\n\n# 故障排除与性能调优指南\n',
  'arabic.md': '---\ndescription: ماذا تفعل عندما تفقد الأحداث.\n---\n\n# استكشاف الأخطاء وإصلاحها 🚀\n',
  'code.md': '# 🚀 #let $x$ = "hello" & <world> \\\\\n',
  'beta.md': '---\nif: visitor.claims.beta === true\n---\n\n# Beta\n',
}
const { base, site, space } = await insertPublicSite(app, files)
const path = `/v1/orgs/acme/sites/${site}`

/** Adds a test that needs the optional package for images. */
const withPackage = (title: string, run: () => Promise<void>): void =>
  test(title, async () => (hasImagePackage() ? run() : skip('sharp is not installed')))

const addressIn = (html: string): string => {
  const url = /<meta property="og:image" content="([^"]+)"/.exec(html)?.[1] ?? ''
  return url.startsWith(app.url) ? url.slice(app.url.length) : url
}

withPackage('a page names an image of 1200 × 630 pixels, which is made once', async () => {
  const page = await openPage(app, base)
  assert.match(page.text, '<meta name="twitter:card" content="summary_large_image"')
  const address = addressIn(page.text)
  assert.match(address, `${base}~gitbook/ogimage/`)
  const image = await openPage(app, address)
  assert.equal([image.status, image.headers.get('content-type')], [200, 'image/png'])
  assert.match(image.headers.get('cache-control') ?? '', /^public, .*immutable/)
  const sharp = (await import('sharp')).default
  const { width, height } = await sharp(image.bytes).metadata()
  assert.equal([width, height], [1200, 630])
  const folder = join(app.dataDir, 'images', space)
  assert.is(readdirSync(folder).length, 1)
  assert.equal((await openPage(app, address)).bytes, image.bytes)
  const etag = image.headers.get('etag') ?? ''
  assert.is((await openPage(app, address, { 'if-none-match': etag })).status, 304)
  assert.match(
    (await openPage(app, address.replace(/\?.*/, ''))).headers.get('cache-control') ?? '',
    'max-age=300',
  )
})

withPackage('titles of any length and script have an image', async () => {
  const sizes: Record<string, number> = {}
  for (const name of ['', 'long', 'word', 'chinese', 'arabic', 'code']) {
    const { status, bytes } = await openPage(app, addressIn((await openPage(app, base + name)).text))
    assert.is(status, 200, name)
    if (process.env.PICTURES)
      await writeFile(join(process.env.PICTURES, `share-${name || 'home'}.png`), bytes)
    sizes[name] = bytes.length
  }
  assert.ok(Math.max(...Object.values(sizes)) < 100_000, JSON.stringify(sizes))
})

withPackage('another title has another address, and the image of the settings comes first', async () => {
  const before = addressIn((await openPage(app, base)).text)
  const { body } = await app.admin.get(`${path}/customization`)
  await app.admin.put(`${path}/customization`, { ...body, title: 'Other words' })
  const after = addressIn((await openPage(app, base)).text)
  assert.is.not(after, before)
  const url = 'https://example.org/card.png'
  await app.admin.put(`${path}/customization`, { ...body, socialPreview: { url } })
  assert.is(addressIn((await openPage(app, base)).text), url)
})

withPackage(
  'there is no image of a page that the reader is not shown, nor for visitors who sign in',
  async () => {
    const pages = (await app.admin.get(`/v1/spaces/${space}/content`)).body.pages as {
      id: string
      title: string
    }[]
    const hidden = pages.find(({ title }) => title === 'Beta')?.id
    assert.ok(hidden)
    assert.is((await openPage(app, `${base}~gitbook/ogimage/${hidden}`)).status, 404)
    assert.is((await openPage(app, `${base}~gitbook/ogimage/none`)).status, 404)
    const own = await insertPublicSite(app, { 'README.md': '# Own\n' })
    assert.match(addressIn((await openPage(app, own.base)).text), 'ogimage')
    updateSite(app.ctx.store, own.site, { visibility: 'visitor-auth' })
    assert.is((await openPage(app, `${own.base}~gitbook/ogimage/none`)).status, 401)
  },
)

test.run()
