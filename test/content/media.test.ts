import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { contentTypeOf, imageDimensions, safeForInline } from '../../src/content/media.ts'
import { cpuTime } from '../support/cpu-time.ts'
import { runs } from '../support/long-run.ts'

const hex = (text: string) => Buffer.from(text.replace(/\s/g, ''), 'hex')
const size = (width: number, height: number) => ({ width, height })

const png = hex('89504e470d0a1a0a 0000000d 49484452 00000280 000001e0 0806000000')
const gif = hex('474946383961 2c01 c800 800000')
const jpeg = (exif = '') =>
  hex(
    `ffd8 ffe0 0010 4a46494600010100000100010000 ${exif} ffc4 0004 0000 ffc0 0011 08 00f0 0140 03 012200`,
  )
const turned = 'ffe1 0022 457869660000 4d4d002a00000008 0001 0112 0003 00000001 0006 0000 00000000'
const riff = (kind: string, data: string) =>
  Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), Buffer.from(kind), hex(data), Buffer.alloc(20)])

test('the size of each kind of image is read from its head', () => {
  assert.equal(imageDimensions(png), size(640, 480))
  assert.equal(imageDimensions(gif), size(300, 200))
  assert.equal(imageDimensions(jpeg()), size(320, 240))
  assert.equal(imageDimensions(jpeg(turned)), size(240, 320))
  assert.equal(imageDimensions(riff('VP8 ', '00000000 300100 9d012a 4001 f000')), size(320, 240))
  assert.equal(imageDimensions(riff('VP8L', '00000000 2f 3fc13b00')), size(320, 240))
  assert.equal(imageDimensions(riff('VP8X', '0a000000 00000000 3f0100 ef0000')), size(320, 240))
})

const svgs: [string, ReturnType<typeof size> | undefined][] = [
  ['<svg width="24" height="16px" xmlns="x"/>', size(24, 16)],
  [
    "\ufeff<?xml version='1.0'?>\n<!-- a > b -->\n<!DOCTYPE svg [ <!ENTITY x '>'> ]>\n<svg viewBox='0 0 32 20.4'>",
    size(32, 20),
  ],
  ['<svg width="100%" height="100%" viewBox="0,0,10,20">', size(10, 20)],
  ['<svg width="1in" viewBox="0 0 2 1">', size(96, 48)],
  ['<svg data-width="9" viewBox="0 0 0 1">', undefined],
  ['<svg width="10"', undefined],
  ['<html><svg width="1" height="1">', undefined],
  ['words', undefined],
]
for (const [text, expected] of svgs)
  test(`the size of ${text.slice(0, 30).replace(/\s/g, ' ')}`, () =>
    assert.equal(imageDimensions(Buffer.from(text)), expected))

test('a head that is cut short or made up gives nothing and never throws', () => {
  for (const whole of [
    png,
    gif,
    jpeg(),
    jpeg(turned),
    riff('VP8X', '0a000000 00000000 3f0100 ef0000'),
  ])
    for (let length = 0; length < whole.length; length++) {
      const got = imageDimensions(whole.subarray(0, length))
      assert.ok(got === undefined || (got.width > 0 && got.height > 0))
    }

  const starts = [
    png.subarray(0, 12),
    gif.subarray(0, 6),
    jpeg(turned).subarray(0, 40),
    Buffer.from('RIFF\0\0\0\0WEBPVP8L'),
  ]

  fc.assert(
    fc.property(
      fc.constantFrom(...starts, Buffer.from('<svg ')),
      fc.uint8Array({ maxLength: 80 }),
      (start, rest) => {
        const got = imageDimensions(Buffer.concat([start, rest]))
        assert.ok(got === undefined || (got.width > 0 && got.height > 0))
      },
    ),
    { numRuns: runs(2000) },
  )
})

test('no bytes beyond the head are read', () => {
  const pool = Buffer.concat([Buffer.from('GIF89a'), Buffer.from([9, 0, 9, 0, 0, 0, 0, 0])])
  assert.equal(imageDimensions(pool), { width: 9, height: 9 })
  assert.is(imageDimensions(pool.subarray(0, 6)), undefined)
})

test('hostile heads take no time', () => {
  const started = cpuTime()
  for (const part of [
    '<!---->',
    '<!--',
    '<?',
    '<![',
    '<!x[',
    '<svg "',
    "<svg a='",
    '<svg width=',
    '\xff\xd8\xff\xe0\0\x02',
    ' ',
  ])
    imageDimensions(Buffer.from(part.repeat(65_536 / part.length), 'latin1'))

  assert.is(imageDimensions(Buffer.from(`<svg${' width'.repeat(10_000)}>`)), undefined)
  imageDimensions(Buffer.from(`<svg ${'viewBox="'.padEnd(60_000)}">`))
  assert.ok(cpuTime() - started < 5000)
})

test('types come from names', () => {
  assert.is(contentTypeOf('.gitbook/assets/a (1).PNG'), 'image/png')
  assert.is(contentTypeOf('x/y.svg'), 'image/svg+xml')
  assert.is(contentTypeOf('page.md'), 'text/markdown')
  assert.is(contentTypeOf('png'), 'application/octet-stream')
  assert.is(contentTypeOf('a.unknownthing'), 'application/octet-stream')
})

test('only what holds no script is shown in place', () => {
  for (const type of [
    'image/png',
    'IMAGE/JPEG',
    'video/mp4',
    'application/pdf',
    'text/plain; charset=utf-8',
  ])
    assert.ok(safeForInline(type), type)
  for (const type of [
    'image/svg+xml',
    'text/html',
    'application/xhtml+xml',
    'text/xml',
    'text/javascript',
    '',
    'application/octet-stream',
  ])
    assert.not(safeForInline(type), type)
})

test.run()
