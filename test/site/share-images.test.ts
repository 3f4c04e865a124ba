import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { hasImagePackage } from '../../src/content/print/packages.ts'
import { updateSite } from '../../src/store/sites/sites.ts'
import { skip } from '../support/skip.ts'
import { insertPublicSite, openMade, openPage, siteApp } from './open-page.ts'

const app = await siteApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
test.after(() => app.stop())

const long =
  'Multi-process workers, high availability and everything else that you need to know before you put a collector of events into production'
const files = {
  'README.md': '---\ndescription: What to do first, and what after it\n---\n\n# Install\n',
  'long.md': `---\ndescription: ${long}\n---\n\n# ${long}\n`,
  'word.md': '# Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverleihung\n',
  'chinese.md':
    '---\ndescription: 事件丢失、延迟或重复时该怎么办。\n---\n\n# 故障排除与性能调优指南\n',
  'arabic.md':
    '---\ndescription: ماذا تفعل عندما تفقد الأحداث.\n---\n\n# استكشاف الأخطاء وإصلاحها 🚀\n',
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
  const image = await openMade(app, address)

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
    const { status, bytes } = await openMade(
      app,
      addressIn((await openPage(app, base + name)).text),
    )
    assert.is(status, 200, name)
    if (process.env.PICTURES)
      await writeFile(join(process.env.PICTURES, `share-${name || 'home'}.png`), bytes)
    sizes[name] = bytes.length
  }

  assert.ok(Math.max(...Object.values(sizes)) < 100_000, JSON.stringify(sizes))
})

withPackage(
  'another title has another address, and the image of the settings comes first',
  async () => {
    const before = addressIn((await openPage(app, base)).text)
    const { body } = await app.admin.get(`${path}/customization`)
    await app.admin.put(`${path}/customization`, { ...body, title: 'Other words' })
    const after = addressIn((await openPage(app, base)).text)
    assert.is.not(after, before)
    const url = 'https://example.org/card.png'
    await app.admin.put(`${path}/customization`, { ...body, socialPreview: { url } })
    assert.is(addressIn((await openPage(app, base)).text), url)
  },
)

/** Serves logos on a free port. */
async function serveLogos() {
  const sharp = (await import('sharp')).default
  const red = await sharp({
    create: { width: 300, height: 60, channels: 3, background: '#e01010' },
  })
    .png()
    .toBuffer()

  const files: Record<string, Buffer> = {
    '/red.png': red,
    '/drawing.svg': Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 24" width="90" height="24"><rect width="24" height="24" rx="6" fill="#e01010"/><circle cx="57" cy="12" r="11" fill="#fff"/></svg>',
    ),
    '/broken.png': Buffer.from('not an image'),
  }
  const asked: string[] = []
  const server = createServer((req, res) => {
    asked.push(req.url!)
    const bytes = files[req.url!]
    res.writeHead(bytes ? 200 : 404).end(bytes)
  })

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return { origin: `http://127.0.0.1:${port}`, asked, stop: () => server.close() }
}

withPackage('an image shows the logo of the site, which is fetched once', async () => {
  const logos = await serveLogos()
  const made = await insertPublicSite(app, { ...files, 'README.md': '# Home\n' })
  const settings = `/v1/orgs/acme/sites/${made.site}/customization`
  const { body } = await app.admin.get(settings)
  const setLogo = async (name: string, header: object = {}) => {
    const url = `${logos.origin}/${name}`
    const logo = { light: url, dark: url }
    const put = await app.admin.put(settings, {
      ...body,
      header: { ...body.header, ...header, logo },
    })
    assert.is(put.status, 200, put.text)
  }

  const imageOf = async (page: string): Promise<Buffer> => {
    const { status, bytes } = await openMade(
      app,
      addressIn((await openPage(app, made.base + page)).text),
    )
    assert.is(status, 200, page)
    return bytes
  }
  const sharp = (await import('sharp')).default
  const redIn = async (image: Buffer): Promise<number> => {
    const { data } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true })
    let count = 0
    for (let at = 0; at < data.length; at += 3)
      if (data[at]! > 190 && data[at + 1]! < 60 && data[at + 2]! < 60) count++
    return count
  }

  const picture = async (name: string, image: Buffer) => {
    if (process.env.PICTURES)
      await writeFile(join(process.env.PICTURES, `share-${name}.png`), image)
  }
  const plain = await imageOf('')

  assert.is(await redIn(plain), 0)
  await setLogo('red.png')
  const [first, second] = [await imageOf(''), await imageOf('long')]

  await picture('logo', second)
  for (const image of [first, second]) assert.ok(Math.abs((await redIn(image)) - 380 * 76) < 2_000)
  assert.equal(logos.asked.splice(0), ['/red.png'])
  await setLogo('drawing.svg', { preset: 'bold' })
  const drawing = await imageOf('arabic')

  await picture('logo-bold', drawing)
  assert.ok((await redIn(drawing)) > 4_000)

  // What is no image, and what is not there, is left out.
  for (const name of ['broken.png', 'none.png']) {
    await setLogo(name)
    assert.equal(await imageOf(''), plain, name)
  }

  logos.stop()
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

withPackage('the icon of a site is an SVG, and a PNG in a few sizes', async () => {
  const { text } = await openPage(app, base)
  assert.match(text, `<link rel="apple-touch-icon" href="${base}~gitbook/icon?size=180"`)
  const sharp = (await import('sharp')).default

  for (const size of [64, 180]) {
    const icon = await openMade(app, `${base}~gitbook/icon?size=${size}`)
    assert.equal([icon.status, icon.headers.get('content-type')], [200, 'image/png'])
    if (process.env.PICTURES)
      await writeFile(join(process.env.PICTURES, `icon-${size}.png`), icon.bytes)

    const { width, height } = await sharp(icon.bytes).metadata()

    assert.equal([width, height], [size, size])
    const { data, info } = await sharp(icon.bytes)
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    const corner = data[3]

    assert.is(corner, size === 180 ? 255 : 0, 'the screens of phones have no transparent icons')
    const colors = new Set<number>()

    for (let at = 0; at < data.length; at += info.channels) colors.add(data.readUIntBE(at, 3))
    assert.ok(colors.size > 2, 'the letter is drawn')
  }

  const { body } = await app.admin.get(`${path}/customization`)

  await app.admin.put(`${path}/customization`, { ...body, favicon: { emoji: '1f680' } })
  assert.not.match((await openPage(app, base)).text, 'apple-touch-icon')
  const other = await openMade(app, `${base}~gitbook/icon?size=180`)

  assert.equal([other.status, other.headers.get('content-type')], [200, 'image/svg+xml'])
})

test.run()
