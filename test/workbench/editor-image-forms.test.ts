import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'
import { multipartOf, multipartType, type Part, type SentFile } from '../support/http/multipart.ts'
import { until } from '../support/until.ts'
import { formIn } from './forms.ts'
import { writersOf } from './image-writer.ts'

const megabyte = 1024 ** 2
const app = await startApp({ STEMMA_MAX_UPLOAD_MB: '2' })
test.after(() => app.stop())
const writer = writersOf(app)

const picture = (bytes: Uint8Array, more: Partial<SentFile> = {}): SentFile => ({
  ...{ name: 'A photo.png', type: 'image/png', bytes },
  ...more,
})

const filesIn = (folder: string): string[] =>
  existsSync(join(app.dataDir, folder)) ? readdirSync(join(app.dataDir, folder)) : []

/** Returns what checks that nothing remains of refused images, besides what is there now. */
const watchFiles = () => {
  const before = filesIn('uploads')
  return (more: readonly string[] = []) => {
    assert.equal(filesIn('tmp'), [])
    assert.equal(filesIn('uploads').sort(), [...before, ...more].sort())
  }
}

test('the editor has a field for an image, with the kinds and the limit in words', async () => {
  const { browser, path } = await writer('Vera')
  const { text } = await browser.get(path)
  assert.match(text, /<input type="file" id="image" name="image" accept="image\/png,image\/jpeg,/)
  assert.match(text, /PNG, JPEG, GIF, WebP, AVIF or SVG, up to 2 MB\./)
  assert.match(text, /<form method="post" action="[^"]*" enctype="multipart\/form-data"/)
})

test('an image stands at the end of what was typed, and is saved with it', async () => {
  const nothingLeft = watchFiles()
  const { path, browser, send, read, latest } = await writer('Wolf')
  const bytes = randomBytes(1_500_000)
  const reply = await send(picture(bytes), { body: 'Half a sentence', title: 'Käse €' })
  assert.is(reply.status, 200, reply.text)
  const fields = formIn(reply.text, path)
  assert.match(fields.body!, /^Half a sentence\n\n!\[A photo\]\(\.\/uploads-\w{20}\)\n$/)
  assert.is(fields.title, 'Käse €')
  assert.match(reply.text, /The image was added at the <a href="#body">end of the text<\/a>/)
  assert.match(reply.text, /<img[^>]* src="[^"]*\/uploads\/\w{20}\?signature=/)
  nothingLeft([/uploads-(\w{20})/.exec(fields.body!)![1]!])

  const saved = await browser.post(path, { ...fields, to: 'new', do: 'save' })
  assert.is(saved.status, 303, saved.text)
  const head = await latest()
  assert.equal(await read(head, '.gitbook/assets/A-photo.png'), bytes)
  const text = String(await read(head, 'guide/install.md'))
  assert.match(text, /Half a sentence\n\n!\[A photo\]\(\.\.\/\.gitbook\/assets\/A-photo\.png\)\n/)
  nothingLeft()
})

test('a chosen image is not lost when another button is pressed', async () => {
  for (const [name, button] of [
    ['Xena', 'save'],
    ['Xavi', 'review'],
    ['Xeno', 'publish'],
  ] as const) {
    const { send, read, latest, space } = await writer(name)
    const bytes = randomBytes(1_000)
    const reply = await send(picture(bytes), { do: button, body: 'Text.\n' })
    assert.is(reply.status, 303, reply.text)
    const head = button === 'publish' ? await space.head() : await latest()
    assert.equal(await read(head!, '.gitbook/assets/A-photo.png'), bytes)
  }
  const { send, path } = await writer('Xaver')
  const shown = await send(picture(randomBytes(10)), { do: 'preview', body: 'One.\n\n' })
  assert.match(formIn(shown.text, path).body!, /^One\.\n\n!\[A photo\]\(/)
})

test('without a chosen image, the form does what its button says', async () => {
  const { send, path, fields, browser } = await writer('Yara')
  const none = { name: '', type: 'application/octet-stream', bytes: Buffer.alloc(0) }
  const saved = await send(none, { do: 'save', body: 'New.\n' })
  assert.is(saved.status, 303, saved.text)
  for (const reply of [
    await send(none, { body: 'Typed.' }),
    await browser.post(path, { ...fields, body: 'Typed.', do: 'image' }),
  ]) {
    assert.is(reply.status, 400, reply.text)
    assert.match(reply.text, /No image was chosen/)
    assert.is(formIn(reply.text, path).body, 'Typed.')
  }
})

test('what is no image, empty or too large is refused, and what was typed stays', async () => {
  const nothingLeft = watchFiles()
  const { send, path } = await writer('Zeno')
  const cases: [number, RegExp, SentFile][] = [
    [400, /is not an image that pages show: PNG, /, picture(randomBytes(9), { type: 'text/html' })],
    [400, /is not an image/, picture(randomBytes(9), { type: 'image/tiff' })],
    [400, /is not an image/, picture(randomBytes(9), { type: 'constructor' })],
    [400, /The file is empty/, picture(Buffer.alloc(0))],
    [413, /larger than 2 MB/, picture(randomBytes(2 * megabyte + 1))],
    [413, /larger than 2 MB/, picture(randomBytes(3 * megabyte))],
  ]
  for (const [status, why, image] of cases) {
    const reply = await send(image, { body: 'Typed <b> here.', do: 'save' })
    assert.is(reply.status, status, `${why} ${reply.text.slice(-2000)}`)
    assert.match(reply.text, why)
    assert.is(formIn(reply.text, path).body, 'Typed <b> here.')
    nothingLeft()
  }
  const largest = await send(picture(randomBytes(2 * megabyte)), { do: 'save' })
  assert.is(largest.status, 303, largest.text)
})

test('the name of an image is only a name, whatever it contains', async () => {
  const { send, read, latest, path, browser } = await writer('Abel')
  const names: [string, string, RegExp][] = [
    ['../../etc/passwd.png', 'passwd.png', /!\[passwd\]/],
    ['C:\\Users\\me\\shot.png', 'shot.png', /!\[shot\]/],
    ['a\u0001\u202Eb\nc.png', 'a', /!\[a b/],
    ['{% hint %}`<x>`](y).png', '', /!\[/],
    ['"quoted" ü.JPG', 'quoted', /!\[/],
    ['.gitattributes', 'gitattributes', /!\[/],
    ['ß'.repeat(3_000), 'ß', /!\[ß/],
  ]
  for (const [name, starts, line] of names) {
    const reply = await send(picture(Buffer.from('x'), { name }), { body: '' })
    assert.is(reply.status, 200, `${name} ${reply.text.slice(-2000)}`)
    const fields = formIn(reply.text, path)
    assert.match(fields.body!, line)
    assert.is(fields.body!.trim().split('\n').length, 1)
    const saved = await browser.post(path, { ...fields, to: 'new', do: 'save' })
    assert.is(saved.status, 303, saved.text.slice(-2000))
    const head = await latest()
    const text = String(await read(head, 'guide/install.md'))
    assert.match(text, /\]\(\.\.\/\.gitbook\/assets\/[^/()]+\.(?:png|jpg)\)/)
    assert.ok(text.includes(`assets/${starts}`), text)
  }
})

test('malformed forms are refused with a sentence, and leave nothing', async () => {
  const nothingLeft = watchFiles()
  const { fields, browser, path } = await writer('Bela')
  const { image: _, ...typed } = fields
  const all: Part[] = Object.entries(typed)
  const file: Part = ['image', picture(randomBytes(1_000))]
  const whole = multipartOf([...all, file, ['do', 'image']])
  const changed = (one: string, other: string) =>
    Buffer.from(whole.toString('latin1').replace(one, other), 'latin1')
  const post = (body: Buffer, type = multipartType) => sendRaw(path, browser.cookie, body, type)
  const cases: [number, Buffer, string?][] = [
    [400, multipartOf([...all, file, ['image', picture(randomBytes(5))]])],
    [400, multipartOf([...all, ['cover', picture(randomBytes(5))]])],
    [400, multipartOf([...all, file, ['title', 'Again']])],
    [400, multipartOf([...all, ...Array.from({ length: 60 }, (_, n): Part => [`x${n}`, 'x'])])],
    [400, whole.subarray(0, whole.length - 4)],
    [400, whole.subarray(0, 1_500)],
    [400, whole.subarray(0, 200)],
    [400, Buffer.from('nothing')],
    [400, whole, 'multipart/form-data'],
    [400, whole, 'multipart/form-data; boundary='],
    [400, whole, `multipart/form-data; boundary=${'x'.repeat(300)}`],
    [400, whole, 'multipart/form-data; boundary=other'],
    [415, whole, 'multipart/mixed; boundary=x'],
    [415, whole, 'text/plain'],
    [413, multipartOf([...all, ['y', 'x'.repeat(17_000_000)], file])],
    [400, multipartOf([...all, file, ['do', 'nonsense']])],
    [400, multipartOf([...all.filter(([name]) => name !== 'revision'), file, ['do', 'image']])],
    [415, changed('name="title"', 'name="x"\r\nContent-Transfer-Encoding: base64')],
    [400, changed('name="title"\r\n\r\n', 'name="title"\r\n\r\n\xff')],
  ]
  for (const [at, [status, body, type]] of cases.entries()) {
    const reply = await post(body, type)
    assert.is(reply.status, status, `${at} ${reply.text.slice(-1500)}`)
    nothingLeft()
  }
  assert.is((await post(whole)).status, 200)
})

test('a form whose connection is cut leaves nothing', async () => {
  const { fields, browser, path } = await writer('Cleo')
  const { image: _, ...typed } = fields
  const kept = filesIn('uploads')
  const whole = multipartOf([...Object.entries(typed), ['image', picture(randomBytes(megabyte))]])
  const outgoing = request(app.url + path, {
    method: 'POST',
    agent: false,
    headers: {
      ...{ 'content-type': multipartType, 'content-length': whole.length },
      ...{ cookie: browser.cookie, origin: app.url },
    },
  })
  outgoing.on('error', () => {}).write(whole.subarray(0, megabyte / 2))
  await until('a part', () => filesIn('tmp').length === 1 || undefined)
  outgoing.destroy()
  await until('no part', () => filesIn('tmp').length === 0 || undefined)
  assert.equal(filesIn('uploads'), kept)
})

test('an image is taken only after the token against forged requests', async () => {
  const { fields, browser, path } = await writer('Dora')
  const { image: _, csrf, ...typed } = fields
  const file: Part = ['image', picture(randomBytes(1_000))]
  const kept = filesIn('uploads')
  const rest: Part[] = [...Object.entries(typed), ['do', 'image']]
  for (const [parts, headers, status] of [
    [[...rest, file], {}, 403],
    [[['csrf', 'x'.repeat(43)], ...rest, file], {}, 403],
    [[file, ['csrf', csrf!], ...rest], {}, 403],
    [[['csrf', csrf!], ...rest, file], { origin: 'https://evil.example' }, 403],
    [[['csrf', csrf!], ...rest, file], { cookie: '' }, 401],
  ] as [Part[], Record<string, string>, number][]) {
    const reply = await browser.postParts(path, parts, headers)
    assert.is(reply.status, status, reply.text.slice(-1500))
    assert.equal(filesIn('uploads'), kept)
    assert.equal(filesIn('tmp'), [])
  }
})

test('what was typed is kept for a form that is signed out, and sent again without the image', async () => {
  const { fields, browser, path, send } = await writer('Egon')
  await browser.post('/sso/sign-out', { csrf: fields.csrf! })
  const lost = await send(picture(randomBytes(100)), { body: 'Typed.' })
  assert.is(lost.status, 401)
  const kept = formIn(lost.text, path)
  assert.is(kept.body, 'Typed.')
  assert.is(kept.image, undefined)
})

type Reply = { status: number; text: string }

const sendRaw = (path: string, cookie: string, body: Buffer, type: string): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const headers = { cookie, origin: app.url, 'content-type': type, 'content-length': body.length }
    const outgoing = request(app.url + path, { method: 'POST', agent: false, headers })
    outgoing.on('response', async reply => {
      let text = ''
      for await (const chunk of reply) text += chunk
      resolve({ status: reply.statusCode ?? 0, text })
    })
    outgoing.on('error', reject).end(body)
  })

test.run()
