import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { PrintImage } from '../../src/content/print/order.ts'
import { hasImagePackage } from '../../src/content/print/packages.ts'
import { scaleImages } from '../../src/threads/scale-image.ts'
import { png } from '../support/media/png.ts'
import { skip } from '../support/skip.ts'

const folder = mkdtempSync(join(tmpdir(), 'scale-'))
test.after(() => rmSync(folder, { recursive: true }))

const image = (name: string, bytes: Buffer, pixels: number): [string, PrintImage] => {
  writeFileSync(join(folder, name), bytes)
  return [name.slice(0, name.indexOf('.')), { name, pixels }]
}

test('recordings in GIF are scaled, and bitmaps that are not have a budget of pixels', async () => {
  if (!hasImagePackage()) return skip('sharp is not installed')
  const sharp = (await import('sharp')).default
  const plain = sharp({
    create: { width: 1920, height: 1080, channels: 3, background: '#0a6' },
  })
  const gif = await plain.clone().gif().toBuffer()
  const cut = png(1000, 1000).subarray(0, 60)
  const images = new Map([
    ...['a', 'b'].map(name => image(`${name}.gif`, gif, 1920 * 1080)),
    ...['c', 'd'].map(name => image(`${name}.png`, cut, 1_000_000)),
  ])

  const left = await scaleImages(folder, images, 1_500_000)

  assert.equal(
    [...images.values()].map(({ name }) => name),
    ['a.pdf', 'b.pdf', 'c.png'],
  )
  assert.is(readFileSync(join(folder, 'a.pdf'), 'latin1').slice(0, 5), '%PDF-')
  assert.equal(left, [{ blob: 'd', why: 'all images together are too large for one PDF' }])
})

test('few pixels stay as they are', async () => {
  const images = new Map([image('e.png', png(10, 10), 100)])
  assert.equal(await scaleImages(folder, images, 1_500_000), [])
  assert.equal(
    [...images.values()].map(({ name }) => name),
    ['e.png'],
  )
})

test.run()
