import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { openStage } from './stage.ts'

const app = await startApp()
test.after(() => app.stop())

const spec = (paths: object) =>
  JSON.stringify({ openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths }, null, 2)
const answer = (description: string) => ({ responses: { 200: { description } } })
const svg = (color: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><script>alert(1)</script><rect fill="${color}"/></svg>`
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const stage = await openStage(app, {
  'README.md': '# Home\n',
  'data/list.csv': 'a,b\n1,2\n',
  'logo.svg': svg('red'),
  'old.bin': Buffer.from([0, 1, 2]),
  'pets.json': spec({
    '/pets': { get: answer('All pets'), post: answer('A pet') },
    '/owners': { get: answer('Owners') },
  }),
})
const lea = await stage.member('Lea', 'edit')

test('files are shown as images, differences of a spec by operation, and lines', async () => {
  const { path } = await stage.request({
    'README.md': '# Home\n\nNew.\n',
    'data/list.csv': 'a,b\n1,<i>3</i>\n',
    'logo.svg': svg('blue'),
    'dot.png': dot,
    'old.bin': null,
    'pets.json': spec({
      '/pets': { get: answer('Every pet'), delete: answer('Gone') },
      '/owners': { get: answer('Owners') },
    }),
  })
  const html = await lea.open(`${path}/files`)
  assert.match(html, /Files<span class="count">5<\/span>/)
  assert.match(html, /<ins>&lt;/)
  assert.not.match(html, '<i>3')
  assert.not.match(html, '<script>alert')
  assert.match(html, /alt="Before: logo.svg"/)
  assert.match(html, /alt="After: logo.svg"/)
  assert.match(html, '30 × 20')
  assert.match(html, /alt="New: dot.png"[^>]* width="1"/)
  assert.match(html, 'This file is not text.')
  assert.match(html, '1 added, 1 changed, 1 removed')
  for (const [method, word] of [
    ['DELETE', 'added'],
    ['GET', 'changed'],
    ['POST', 'removed'],
  ])
    assert.match(
      html,
      new RegExp(`<b>${method}</b> <bdi>/pets</bdi></code> <span class="muted">${word}<`),
    )
  assert.not.match(html, '<bdi>/owners')
  assert.match(html, 'Every')

  const [, address = ''] = /<img src="([^"]+)" alt="After: logo.svg"/.exec(html) ?? []
  const image = await lea.browser.get(address.replaceAll('&amp;', '&').replace(app.url, ''))
  assert.is(image.status, 200)
  assert.match(image.headers.get('content-security-policy') ?? '', 'sandbox')

  assert.match(await lea.open(path), `href="${path}/files">And 5 other files`)
  const alone = await lea.open(`${path}/files?file=data%2Flist.csv`)
  assert.match(alone, 'All 5 files')
  assert.not.match(alone, 'alt="After: logo.svg"')
  await lea.open(`${path}/files?file=README.md`, 404)
  await lea.open(`${path}/files?from=-1`, 400)
  assert.match(await lea.open(`${path}/files?from=100`), 'There are 5 files')
})

test('a spec that cannot be read says why, and its lines stand below', async () => {
  const { path } = await stage.request({ 'pets.json': '{"openapi": "3.1.0", "info": {' })
  const html = await lea.open(`${path}/files`)
  assert.match(html, 'The new version cannot be read as a spec:')
  assert.match(html, '<summary>Source</summary>')
})

test('a change request without files says so', async () => {
  const { path } = await stage.request({ 'README.md': '# Home\n\nMore.\n' })
  assert.match(await lea.open(`${path}/files`), 'It changes no file besides its pages.')
})

test('500 files, long ones and odd names are shown in parts of bounded size', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`many/${String(at).padStart(3, '0')}.txt`, `${at}\n`]),
  )
  const odd = 'a/"><script>x&\u202e.txt'
  const long = `${'word '.repeat(400_000)}\n`
  const { path } = await stage.request({
    ...many,
    [odd]: 'text\n',
    'a/long.txt': long,
    'a/lines.txt': 'line\n'.repeat(60_000),
  })
  const html = await lea.open(`${path}/files`)
  assert.match(html, /Files<span class="count">503<\/span>/)
  assert.match(html, 'It is large: open the file alone')
  assert.not.match(html, '<script>x')
  assert.ok(html.length < 1_000_000, String(html.length))
  const next = await lea.open(`${path}/files?from=20`)
  assert.match(next, 'Files 21 to 40 of 503.')
  assert.ok(next.length < 1_000_000, String(next.length))
  const alone = await lea.open(`${path}/files?file=a%2Flines.txt`)
  assert.match(alone, 'compare it with “git diff”')
  assert.ok(alone.length < 2_000_000, String(alone.length))
  const longest = await lea.open(`${path}/files?file=a%2Flong.txt`)
  assert.ok(longest.length < 3_000_000, String(longest.length))
  assert.match(await lea.open(`${path}/files?file=${encodeURIComponent(odd)}`), 'text')
})

test.run()
