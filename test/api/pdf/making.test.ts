import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { deleteSpace } from '../../../src/store/spaces/spaces.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { png } from '../../support/media/png.ts'
import { hasPoppler, textOfPdf } from '../../support/media/poppler.ts'
import { skip } from '../../support/skip.ts'
import { processed } from '../openapi/host.ts'

// Concurrent requests while a PDF is made, and content other than pages.

const app = await startApp()
test.after(() => app.stop({ damaged: true }))
const canRead = hasPoppler()

/**
 * Returns the reply of an address; asks again, as its 503 advises, while the PDF is still being
 * made.
 */
async function replyAt(url: string): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const reply = await fetch(url)
    if (reply.status !== 503 || tries >= 5) return reply
    await reply.text()
  }
}

const readAt = async (url: string) => {
  const reply = await replyAt(url)
  const bytes = Buffer.from(await reply.arrayBuffer())
  assert.is(reply.status, 200, bytes.toString().slice(0, 300))
  return { etag: reply.headers.get('etag'), text: canRead ? textOfPdf(bytes).join('\n') : '' }
}

const store = (summary: string) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Store', version: '1' },
    tags: [{ name: 'pets', description: 'Of *pets*' }],
    paths: {
      '/pets': {
        get: {
          summary,
          tags: ['pets'],
          parameters: [
            { name: 'limit', in: 'query', description: 'A|B', schema: { type: 'integer' } },
          ],
          responses: { 200: { description: 'Fine' } },
        },
      },
    },
    components: { schemas: { Pet: { type: 'object', properties: { name: { type: 'string' } } } } },
  })
const put = async (summary: string) => {
  const reply = await app.admin.put('/v1/orgs/acme/openapi/store', {
    source: { text: store(summary) },
  })
  assert.ok(reply.status < 300, reply.text)
  await processed(app, '/v1/orgs/acme/openapi/store')
}

test('computed pages of the latest spec are in the book', async () => {
  await put('List pets')
  const { api } = await makeSpace(app, {
    'README.md': '# Welcome\n\nHello.\n',
    'SUMMARY.md': `# Table of contents

* [Welcome](README.md)
* \`\`\`yaml
  type: builtin:openapi
  props: {models: true, downloadLink: true}
  dependencies: {spec: {ref: {kind: openapi, spec: store}}}
  \`\`\`
`,
  })
  const { url } = (await app.admin.get(`${api}/pdf`)).body
  const first = await readAt(url)

  if (canRead) {
    for (const said of ['Hello.', 'pets', 'List pets', '/pets', 'limit', 'A|B', 'Models', 'Pet'])
      assert.ok(first.text.includes(said), said)
    for (const absent of ['builtin:openapi', '{%']) assert.not(first.text.includes(absent), absent)
  }

  await put('List all of them')
  const second = await readAt(url)

  assert.is.not(second.etag, first.etag)
  if (!canRead) return skip('poppler-utils is not installed: the text is not checked')
  assert.ok(second.text.includes('List all of them') && !second.text.includes('List pets'))
})

test('a document that the compiler cannot tag is made without tags', async () => {
  const { api } = await makeSpace(app, {
    'README.md':
      '# Cards\n\n{% prompt %}<table data-view="cards"><tr><th><th data-card-cover><tr><td>Shown<td><a href="b.png">\n{% endprompt %}[^1]\n\n[^1]: Noted\n',
    'b.png': png(3, 3000),
  })
  const { text } = await readAt((await app.admin.get(`${api}/pdf`)).body.url)
  if (!canRead) return skip('poppler-utils is not installed: the text is not checked')
  assert.match(text, 'Noted')
})

test('one user cannot take all places, and losing access while the PDF is made is a 404', async () => {
  const rows = '| a | b |\n'.repeat(2_000)
  const { api } = await makeSpace(app, {
    'README.md': `# One\n\n| x | y |\n| - | - |\n${rows}`,
    ...Object.fromEntries(['2', '3', '4', '5'].map(name => [`${name}.md`, `# Page ${name}\n`])),
  })
  const { pages } = (await app.admin.get(`${api}/content/pages`)).body as {
    pages: { id: string }[]
  }
  const ask = (by: typeof app.admin, at: number) =>
    by.get(`${api}/pdf?page=${pages[at]?.id}&only=true`)

  // The long one first, so that the others wait for it.
  const first = [
    await ask(app.admin, 0),
    ...(await Promise.all([1, 2].map(at => ask(app.admin, at)))),
  ]

  assert.equal(
    first.map(({ status }) => status),
    [200, 200, 200],
  )
  const refused = await ask(app.admin, 3)

  assert.is(refused.status, 429, refused.text)
  assert.match(refused.body.error.message, /Other PDFs that you requested are still being made/)

  // Other users can still request PDFs, and anyone can wait for one that is being made.
  const rita = app.user('Rita', 'read')
  const hers = await ask(rita, 4)

  assert.is(hers.status, 200, hers.text)
  assert.is((await ask(app.admin, 4)).status, 200)
  const waiting = replyAt(hers.body.url)

  await ask(rita, 0)
  await app.admin.delete('/v1/orgs/acme/members/rita')
  const reply = await waiting

  assert.is(reply.status, 404, 'she was removed while it was made')
  await reply.text()
  await Promise.all(first.map(({ body }) => readAt(body.url)))
  assert.is((await ask(app.admin, 3)).status, 200)
})

test('a space that is purged while its PDF is made leaves no files', async () => {
  const { api, space } = await makeSpace(app, { 'README.md': '# Gone\n' })
  const { url } = (await app.admin.get(`${api}/pdf`)).body
  const waiting = replyAt(url)
  deleteSpace(app.ctx.store, space.id)
  assert.is((await waiting).status, 404)
  const { api: other } = await makeSpace(app, { 'README.md': '# Next\n' })
  await readAt((await app.admin.get(`${other}/pdf`)).body.url)
  assert.not(existsSync(join(app.dataDir, 'prints', space.id)))
})

test.run()
