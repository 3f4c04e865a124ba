import { createHash } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'

const app = await startApp()
test.after(() => app.stop())

type Entry = { id: string; type: string; title: string; path?: string; pages?: Entry[] }

const blobOf = (text: string): string =>
  createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex')

/** Makes a space with these files. Returns its id. */
async function spaceWith(files: Record<string, string>): Promise<string> {
  const { body } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Docs', empty: true })
  const sent = await app.admin.post(`/v1/spaces/${body.id}/git/folder`, {
    files: Object.fromEntries(
      Object.entries(files).map(([path, text]) => [path, `100644 ${blobOf(text)}`]),
    ),
    contents: Object.values(files).map(text => Buffer.from(text).toString('base64')),
    message: 'Files',
  })
  assert.is(sent.status, 200, sent.text)
  return body.id
}

const listOf = async (space: string): Promise<Entry[]> =>
  (await app.admin.get(`/v1/spaces/${space}/content/pages`)).body.pages

const lines = (pages: readonly Entry[], indent = ''): string[] =>
  pages.flatMap(({ type, title, id, pages: below = [] }) => [
    `${indent}${type} ${title} ${id}`,
    ...lines(below, `${indent}  `),
  ])

test('an edit of the list of pages of another tool writes a table of contents', async () => {
  const space = await spaceWith({
    'docs.json': JSON.stringify({
      navigation: {
        groups: [
          { group: 'Start', pages: ['index', 'one', { group: 'More', pages: ['two'] }] },
          { group: 'End', pages: ['three'] },
        ],
        global: { anchors: [{ anchor: 'Blog', href: 'https://blog.example.org' }] },
      },
    }),
    'index.md': '# Home\n\n[One](one.md)\n',
    'one.md': '# One\n',
    'two.md': '# Two\n',
    'three.md': '# Three\n',
  })
  const before = lines(await listOf(space))
  const one = before.find(line => line.includes(' One '))
  const page = one?.split(' ').at(-1)
  const changes = [{ operation: 'delete_page', page }]
  const { status, text } = await app.admin.post(`/v1/spaces/${space}/content`, { changes })
  assert.is(status, 200, text)

  assert.equal(
    lines(await listOf(space)),
    before.filter(line => line !== one),
  )
})

test('a docs.json without a navigation is a file like any other', async () => {
  const space = await spaceWith({ 'docs.json': '{"name": "x"}', 'index.md': '[It](docs.json)\n' })
  const { body } = await app.admin.get(`/v1/spaces/${space}/links?status=broken`)
  assert.is(body.stats.broken.total, 0)
})

test.run()
