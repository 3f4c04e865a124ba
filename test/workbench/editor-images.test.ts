import { randomBytes } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'
import { asData, writersOf } from './image-writer.ts'

const app = await startApp({ STEMMA_MAX_UPLOAD_MB: '2' })
test.after(() => app.stop())

const writer = writersOf(app)

test('an image is shown before it is saved, and saved with the text', async () => {
  const { browser, path, fields, add, save, read } = await writer('Una')
  const bytes = randomBytes(1_500_000)
  const target = await add(bytes, { name: 'My "photo".png' })
  const body = `![A photo](${target})\n`

  const preview = await browser.post(`${path}/preview`, { ...fields, body }, asData)
  const [, src = ''] = /<img[^>]* src="([^"]+)"/.exec(JSON.parse(preview.text).html) ?? []
  const shown = await fetch(src.replaceAll('&amp;', '&'))
  assert.is(shown.status, 200)
  assert.equal(Buffer.from(await shown.arrayBuffer()), bytes)
  assert.match(shown.headers.get('content-security-policy') ?? '', /sandbox/)

  const saved = JSON.parse((await save(body)).text)
  assert.is(saved.fields.body, '![A photo](../.gitbook/assets/My-photo.png)\n')
  assert.equal(await read(saved.revision, '.gitbook/assets/My-photo.png'), bytes)
  assert.is((await fetch(src.replaceAll('&amp;', '&'))).status, 404)

  const again = await save(body)
  assert.is(again.status, 400)
  assert.match(JSON.parse(again.text).error.message, /no longer on the server/)
})

test('two images with one name stand side by side, also an SVG with a script as a file', async () => {
  const { add, save, read } = await writer('Dua')
  const one = await add(Buffer.from('one'), { name: 'image.png' })
  const two = await add(Buffer.from('two'), { name: 'image.png' })
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  const svg = await add(Buffer.from(drawing), { name: 'x.svg', type: 'image/svg+xml' })
  const body = `![1](${one}) <img src="${two}" alt="2">\n\n![3](${svg})\n`
  const saved = JSON.parse((await save(body)).text)
  assert.is(
    saved.fields.body,
    '![1](../.gitbook/assets/image.png) <img src="../.gitbook/assets/image-1.png" alt="2">\n\n![3](../.gitbook/assets/x.svg)\n',
  )
  assert.is(String(await read(saved.revision, '.gitbook/assets/image-1.png')), 'two')
  assert.is(String(await read(saved.revision, '.gitbook/assets/x.svg')), drawing)
})

test('a script in an image that is not saved is not run by the address that shows it', async () => {
  const { browser, path, fields, add } = await writer('Ina')
  const page = await add(Buffer.from('<script>alert(1)</script>'), { name: 'x.png' })
  const body = `![x](${page})`
  const preview = await browser.post(`${path}/preview`, { ...fields, body }, asData)
  const [, src = ''] = /<img[^>]* src="([^"]+)"/.exec(JSON.parse(preview.text).html) ?? []
  const shown = await fetch(src.replaceAll('&amp;', '&'))
  assert.is(shown.headers.get('content-type'), 'application/octet-stream')
  assert.match(shown.headers.get('content-disposition') ?? '', /^attachment/)
})

test('what is no image, is empty or too large is refused before it is sent', async () => {
  const { announce } = await writer('Tia')
  const cases: [number, Record<string, string | number>][] = [
    [400, { type: 'text/html' }],
    [400, { type: 'image/tiff' }],
    [400, { type: 'constructor' }],
    [400, { size: 0 }],
    [400, { size: 'x' }],
    [413, { size: 2 * 1024 ** 2 + 1 }],
    [400, { name: 'x'.repeat(2_001) }],
    [200, { name: '../../../x' }],
    [200, { name: '' }],
  ]
  for (const [status, image] of cases)
    assert.is((await announce(image)).status, status, JSON.stringify(image))
})

test('images of other users and texts that only look like images are not taken', async () => {
  const one = await writer('Kuno')
  const other = await writer('Quin')
  const target = await one.add(Buffer.from('secret'), {})
  const preview = await other.browser.post(
    `${other.path}/preview`,
    { ...other.fields, body: `![x](${target})` },
    asData,
  )
  assert.not.match(JSON.parse(preview.text).html, /\/uploads\/\w/)
  assert.is((await other.save(`![x](${target})\n`)).status, 400)
  assert.is((await other.save(`Write \`![x](${target})\`.\n`)).status, 200)
})

test.run()
