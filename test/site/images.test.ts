import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { hasImagePackage } from '../../src/content/print/packages.ts'
import { chromiumPath, startChromium } from '../browser/chromium.ts'
import { inspect, openPage as openInBrowser } from '../browser/inspect.ts'
import { skip } from '../support/skip.ts'
import { inMinutes, insertPublicSite, openMade, openPage, siteApp } from './open-page.ts'

const app = await siteApp()
let browser: Browser | undefined
test.before(async () => {
  if (chromiumPath) browser = await startChromium()
})
test.after(async () => {
  await browser?.close()
  await app.stop()
})

/** Adds a test that needs the optional package for images. */
const withPackage = (title: string, run: () => Promise<void>): void =>
  test(title, async () => (hasImagePackage() ? run() : skip('sharp is not installed')))

const load = async () => (await import('sharp')).default

/** Returns a picture of noise with a red field in its upper left corner. */
async function picture(width: number, height: number) {
  const sharp = await load()
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  const red = { create: { width: 200, height: 200, channels: 3, background: '#f00' } } as const
  const field = await sharp(red).png().toBuffer()
  return sharp({ create: { width, height, channels: 3, background: '#888', noise } }).composite([
    { input: field, left: 0, top: 0 },
  ])
}

async function pictures(): Promise<Record<string, Buffer>> {
  const photo = await (await picture(2000, 1000))
    .jpeg({ quality: 90 })
    .withMetadata({ orientation: 6, exif: { IFD0: { Copyright: 'Secretword' } } })
    .toBuffer()
  const small = await (await picture(700, 400))
    .png({ compressionLevel: 9, palette: true, colours: 4 })
    .toBuffer()
  const sharp = await load()
  const frames = Buffer.alloc(800 * 1600 * 3, 9)
  const moving = await sharp(frames, {
    raw: { width: 800, height: 1600, channels: 3, pageHeight: 800 },
  })
    .gif({ effort: 1 })
    .toBuffer()

  return {
    '.gitbook/assets/photo.jpg': photo,
    '.gitbook/assets/small.png': small,
    '.gitbook/assets/moving.gif': Buffer.concat([moving, Buffer.alloc(60_000)]),
    '.gitbook/assets/broken.png': Buffer.concat([small.subarray(0, 200), Buffer.alloc(60_000, 1)]),
  }
}

async function insertPictures(set: Parameters<typeof insertPublicSite>[2] = {}) {
  const names = ['photo.jpg', 'small.png', 'moving.gif', 'broken.png']
  const text = names.map(name => `![A ${name}](.gitbook/assets/${name})\n`).join('\n')
  return insertPublicSite(app, { 'README.md': `# Pictures\n\n${text}`, ...(await pictures()) }, set)
}

const imageOf = (html: string, name: string): string =>
  new RegExp(`<img[^>]* src="[^"]*${name}"[^>]*>`).exec(html)?.[0] ?? ''
const versionsOf = (image: string): string[] =>
  (/ srcset="([^"]*)"/.exec(image)?.[1] ?? '').split(', ')

withPackage(
  'a large picture has versions in WebP, turned as it was taken, without what the file says',
  async () => {
    const { base, space } = await insertPictures()
    const { text } = await openPage(app, base)
    const image = imageOf(text, 'photo.jpg')
    assert.match(image, 'width="1000" height="2000"')
    const versions = versionsOf(image)

    assert.equal(
      versions.map(each => each.split(' ')[1]),
      ['640w', '960w', '1000w'],
    )
    const version = await openMade(app, versions[0]!.split(' ')[0]!)

    assert.equal([version.status, version.headers.get('content-type')], [200, 'image/webp'])
    assert.match(version.headers.get('cache-control') ?? '', /^public, .*immutable/)
    assert.match(version.headers.get('content-security-policy') ?? '', 'sandbox')
    assert.not.match(version.bytes.toString('latin1'), 'Secretword')
    const sharp = await load()
    const { width, height, format, orientation } = await sharp(version.bytes).metadata()

    assert.equal([width, height, format, orientation], [640, 1280, 'webp', undefined])

    // The field in the upper left corner is in the upper right one after a turn to the right.
    const [red, green] = await sharp(version.bytes)
      .extract({ left: 600, top: 10, width: 1, height: 1 })
      .removeAlpha()
      .raw()
      .toBuffer()

    assert.ok(red! > 200 && green! < 60, `${red} ${green}`)
    assert.is(readdirSync(join(app.dataDir, 'images', space)).length, 2)
    const etag = version.headers.get('etag') ?? ''

    assert.is(
      (await openPage(app, versions[0]!.split(' ')[0]!, { 'if-none-match': etag })).status,
      304,
    )
  },
)

withPackage('a version that could not be made is made some minutes later', async () => {
  const { base, space } = await insertPictures()
  const { text } = await openPage(app, base)
  const [address = ''] = versionsOf(imageOf(text, 'photo.jpg'))[0]!.split(' ')
  const folder = join(app.dataDir, 'images', space)
  const statusOf = async () => (await openPage(app, address)).status

  mkdirSync(dirname(folder), { recursive: true })
  writeFileSync(folder, 'in the way')
  assert.is(await statusOf(), 307)
  rmSync(folder)
  assert.is(await statusOf(), 307)
  const later = await inMinutes(app, 6, () => openMade(app, address))

  assert.is(later.status, 200)
})

withPackage(
  'small and moving pictures have no versions, and a broken one leads to itself',
  async () => {
    const { base } = await insertPictures()
    const { text } = await openPage(app, base)
    for (const name of ['small.png', 'moving.gif'])
      assert.not.match(imageOf(text, name), 'srcset', name)
    const broken = versionsOf(imageOf(text, 'broken.png'))[0]?.split(' ')[0]
    const address = broken || `${/ src="([^"]*broken\.png)"/.exec(text)?.[1]}?width=640`
    const answer = await openPage(app, address)

    assert.equal(
      [answer.status, answer.headers.get('location')],
      [307, address.replace(/\?.*/, '')],
    )
    const other = await openPage(app, address.replace(/width=\d+/, 'width=641'))

    assert.equal([other.status, other.headers.get('content-type')], [200, 'image/png'])
  },
)

withPackage('a version is sent only to those who may have the picture', async () => {
  const { base } = await insertPictures({ visibility: 'unlisted' })
  const [address = ''] = versionsOf(
    imageOf((await openPage(app, base)).text, 'photo.jpg'),
  )[0]!.split(' ')
  const guessed = address.replace(/\/[\w-]{22}\//, '/AAAAAAAAAAAAAAAAAAAAAA/')
  assert.is((await openPage(app, guessed)).status, 404)
})

withPackage('pictures are sent as they are where the server makes none', async () => {
  const plain = await siteApp({ STEMMA_MADE_IMAGES_MB: '0' })
  try {
    const { base } = await insertPublicSite(plain, {
      'README.md': '# Pictures\n\n![A](.gitbook/assets/photo.jpg)\n',
      ...(await pictures()),
    })
    assert.not.match((await openPage(plain, base)).text, 'srcset')
    assert.is(existsSync(join(plain.dataDir, 'images')), false)
  } finally {
    await plain.stop()
  }
})

withPackage(
  'a large picture opens in a dialog that Esc closes, and is a link without a script',
  async () => {
    if (!browser) return skip('there is no Chromium: set CHROME_PATH')
    const { base } = await insertPublicSite(app, {
      'README.md': '# Pictures\n\n![A photo](.gitbook/assets/photo.jpg)\n',
      ...(await pictures()),
    })
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    const { page, said } = await openInBrowser(context, app.url + base)

    assert.equal(await inspect(page), [])
    await page.locator('a.zoom').click()
    const dialog = page.locator('dialog[open] img')

    await dialog.waitFor()
    assert.is(
      await dialog.evaluate((image: HTMLImageElement) =>
        image.decode().then(() => image.naturalWidth),
      ),
      1000,
    )
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/zoom.png` })
    assert.equal(await inspect(page), [])
    await page.keyboard.press('Escape')
    assert.is(await page.locator('dialog[open]').count(), 0)
    assert.is(await page.evaluate(() => document.activeElement?.className), 'zoom')
    assert.equal(said, [])
    await context.close()
  },
)

withPackage(
  'the feed of a page has whole addresses of its pictures, and none below the feed',
  async () => {
    const update =
      '{% update date="2026-03-12" %}\n## News\n\n![A photo](.gitbook/assets/photo.jpg)\n{% endupdate %}'
    const { base } = await insertPublicSite(app, {
      'README.md': '# Home\n',
      'news.md': `# News\n\n{% updates format="full" %}\n${update}\n{% endupdates %}\n`,
      ...(await pictures()),
    })

    assert.match((await openPage(app, `${base}news`)).text, ' srcset="')
    const feed = (await openPage(app, `${base}news/rss.xml`)).text

    assert.match(feed, `src=&#34;${app.url}${base}~stemma/files/`)
    assert.not.match(feed, /srcset|sizes=/)
  },
)

test.run()
