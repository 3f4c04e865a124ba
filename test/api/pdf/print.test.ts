import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { removePrints } from '../../../src/actions/made-files/print-files.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { png } from '../../support/media/png.ts'
import { factsOfPdf, hasPoppler, textOfPdf, urlsOfPdf } from '../../support/media/poppler.ts'
import { skip } from '../../support/skip.ts'

/** A path that must not be requested. */
let asked = 0
const listener = createServer((_, res) => {
  asked++
  res.end()
}).listen(0, '127.0.0.1')
await once(listener, 'listening')
const elsewhere = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`

const svg = (inside: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80"><rect width="40" height="40"/>${inside}</svg>`

const app = await startApp()
const { api, space } = await makeSpace(
  app,
  {
    'SUMMARY.md': [
      '# Table of contents\n',
      '* [Start](README.md)\n',
      '## Guides\n',
      '* [Install](guide/install.md)',
      '  * [中文页面](guide/chinese.md)',
      '* [Secret plans](hidden.md)',
      '* [For some](some.md)',
      '* [Elsewhere](https://example.org)\n',
    ].join('\n'),
    'README.md': [
      '# Start\n',
      'Welcome 😀 to **docs**: [how to](guide/install.md#linux), [the web](https://example.org/a).\n',
      `[bad](javascript:alert(1)) [file](file:///etc/passwd) ![far away](${elsewhere}/x.png)\n`,
      '![A picture](.gitbook/assets/picture.png) ![Cut short](.gitbook/assets/cut.png)\n',
      '![Reads files](.gitbook/assets/file.svg) ![Asks others](.gitbook/assets/far.svg)\n',
      '![Too wide](.gitbook/assets/wide.png)\n',
      '| Name | Value |\n| --- | --- |\n| cell one | cell two |\n',
      '```js\nconst code = "#import"\n```\n',
      '{% include ".gitbook/includes/note.md" %}\n',
      'Made by <code class="expression">space.vars.maker</code>.\n',
    ].join('\n'),
    'guide/install.md': '# Install\n\n## Linux\n\nBack to [start](../README.md).\n',
    'guide/chinese.md': '# 中文页面\n\n你好，世界。**粗体**\n',
    'hidden.md': '---\nhidden: true\n---\n\n# Secret plans\n\nNot for all.\n',
    'some.md': '---\nif: visitor.claims.unsigned.beta\n---\n\n# For some\n\nNot for us.\n',
    '.gitbook/vars.yaml': 'maker: Quux Works\n',
    '.gitbook/includes/note.md': 'Said everywhere.\n',
    '.gitbook/assets/picture.png': png(60, 40),
    '.gitbook/assets/cut.png': png(60, 40).subarray(0, 60),
    // A few kilobytes that decode to more than a gigabyte.
    '.gitbook/assets/wide.png': Buffer.concat([
      png(1, 1).subarray(0, 16),
      Buffer.from('00004e2000004e20', 'hex'),
      png(1, 1).subarray(24),
    ]),
    '.gitbook/assets/file.svg': svg('<image href="file:///etc/passwd" width="9" height="9"/>'),
    '.gitbook/assets/far.svg': svg(`<image href="${elsewhere}/y.png" width="9" height="9"/>`),
  },
  'The Handbook',
)
test.after(async () => {
  listener.close()
  await app.stop()
})

const canRead = hasPoppler()
const addressOf = async (query = '', by = app.admin): Promise<string> => {
  const { status, body } = await by.get(`${api}/pdf${query}`)
  assert.is(status, 200, JSON.stringify(body))
  return body.url
}
const pdfAt = async (url: string): Promise<Buffer> => {
  const reply = await fetch(url)
  const bytes = Buffer.from(await reply.arrayBuffer())
  assert.is(reply.status, 200, bytes.toString().slice(0, 300))
  return bytes
}
const pageId = async (path: string): Promise<string> =>
  (await app.admin.get(`${api}/content/path/${path}`)).body.id

test('the PDF of a space has its pages in order, with images, code, tables and links', async () => {
  const pdf = await pdfAt(await addressOf())
  assert.is(pdf.toString('latin1', 0, 5), '%PDF-')
  assert.is(asked, 0)
  if (!canRead) return skip('poppler-utils is not installed: the text is not checked')

  const pages = textOfPdf(pdf)
  const text = pages.join('\n')

  assert.match(pages[0] ?? '', /The Handbook/)

  for (const said of [
    'Welcome',
    'cell two',
    'const code = "#import"',
    'Said everywhere.',
    '你好，世界',
    'Linux',
  ])
    assert.ok(text.includes(said), said)

  for (const absent of ['Secret plans', 'For some', 'space.vars'])
    assert.not(text.includes(absent), absent)
  assert.ok(text.indexOf('Back to') < text.indexOf('你好'))

  // An image that cannot be shown is replaced by its text.
  for (const alt of ['far away', 'Cut short', 'Reads files', 'Asks others', 'Too wide'])
    assert.ok(text.includes(alt), alt)
  assert.not(text.includes('A picture'))
  assert.equal([...new Set(urlsOfPdf(pdf))], ['https://example.org/a'])
  assert.match(factsOfPdf(pdf), /JavaScript:\s+no/)
  assert.match(factsOfPdf(pdf), /CreationDate:\s+Tue Nov 14 \S+ 2023/)
})

test('a PDF is made once, and sent like any file', async () => {
  const url = await addressOf()
  const [first, second] = await Promise.all([pdfAt(url), pdfAt(await addressOf())])
  assert.ok(first.equals(second))
  const made = readdirSync(join(app.dataDir, 'prints', space.id))

  assert.is(made.filter(name => name.endsWith('.pdf')).length, 1)
  const { headers } = await fetch(url, { method: 'HEAD' })

  assert.is(headers.get('content-type'), 'application/pdf')
  assert.is(headers.get('content-length'), String(first.length))
  assert.match(headers.get('content-disposition') ?? '', /^inline; filename="The Handbook.pdf"/)
  const etag = headers.get('etag') ?? ''

  assert.is((await fetch(url, { headers: { 'if-none-match': etag } })).status, 304)
  const part = await fetch(url, { headers: { range: 'bytes=5-9' } })

  assert.is(part.status, 206)
  assert.ok(Buffer.from(await part.arrayBuffer()).equals(first.subarray(5, 10)))
  assert.is((await fetch(url, { headers: { range: 'bytes=99999999-' } })).status, 416)

  // A new PDF of the same revision has the same bytes.
  await removePrints(app.ctx, space.id)
  assert.ok((await pdfAt(url)).equals(first))
})

test('a single page can be printed, even a hidden one', async () => {
  const install = await pageId('guides/install')
  const hidden = await pageId('guides/hidden')
  const [alone, secret] = await Promise.all([
    addressOf(`?page=${install}&only=true`).then(pdfAt),
    addressOf(`?page=${hidden}`).then(pdfAt),
  ])
  if (!canRead) return skip('poppler-utils is not installed: the text is not checked')

  const [one, plans] = [alone, secret].map(pdf => textOfPdf(pdf).join('\n'))

  assert.ok(one?.includes('Linux') && !one.includes('你好'))
  assert.ok(plans?.includes('Not for all.'))
})

test('a change request has its own PDF', async () => {
  const { number } = (await app.admin.post(`${api}/change-requests`, { subject: 'More' })).body
  const page = await pageId('guides/install')
  const document = { markdown: '# Install\n\nProposed words.\n' }
  const changes = [{ operation: 'update_page', page, document }]
  const { status, body } = await app.admin.post(`${api}/change-requests/${number}/content`, {
    changes,
  })

  assert.is(status, 200, JSON.stringify(body))
  const reply = await app.admin.get(`${api}/change-requests/${number}/pdf?page=${page}&only=true`)

  assert.is(reply.status, 200)
  const pdf = await pdfAt(reply.body.url)
  if (!canRead) return skip('poppler-utils is not installed: the text is not checked')
  assert.ok(textOfPdf(pdf).join('\n').includes('Proposed words.'))
})

test.run()
