import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Actor, type Reply, startApp } from '../../support/app.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { hasPoppler, textOfPdf } from '../../support/media/poppler.ts'
import { readerOf } from '../../support/sites.ts'
import { makeHouse } from './house.ts'

const app = await startApp()
test.after(() => app.stop())
const { api, repo, site } = await makeHouse(app)

const whole = (await app.admin.get(`${api}/content`)).body
type Listed = { id: string; type: string; path?: string; title: string; pages?: Listed[] }
const flat = (pages: Listed[]): Listed[] => pages.flatMap(page => [page, ...flat(page.pages ?? [])])
const pages = flat(whole.pages)
const addressed = pages.filter(({ path }) => path !== undefined)
const head = `/revisions/${whole.id}`
const words = [
  'secreta',
  'secretb',
  'nevershown',
  'bicycles',
  'secreta plans',
  'secretb heading',
  'mixed',
  'note',
]

const modes = [
  '',
  '?evaluated=false',
  '?evaluated=deterministic-only',
  '?metadata=true',
  '?format=markdown',
]

/**
 * Every way of reading content: a name, the paths to request, and whether all of them are found.
 */
const operations: readonly [name: string, paths: readonly string[], all: boolean][] = [
  ['getSpaceById', [''], true],
  ...['/content', head].flatMap((at): [string, string[], boolean][] => [
    [
      `revision ${at}`,
      [at, `${at}?metadata=true`, `${at}?format=markdown`, `${at}?computed=false`],
      true,
    ],
    [
      `pages ${at}`,
      [`${at}/pages`, `${at}/pages?format=markdown`, `${at}/pages?metadata=true`],
      true,
    ],
    [`files ${at}`, [`${at}/files`, `${at}/files?metadata=true`, `${at}/files?limit=1`], true],
    [`file ${at}`, whole.files.map(({ id }: Listed) => `${at}/files/${id}`), false],
    [`page ${at}`, pages.flatMap(({ id }) => modes.map(mode => `${at}/page/${id}${mode}`)), false],
    [
      `path ${at}`,
      ['', 'readme', ...addressed.map(({ path }) => path)].map(path => `${at}/path/${path}`),
      false,
    ],
    [
      `reusable ${at}`,
      whole.reusableContents.map(({ id }: Listed) => `${at}/reusable-contents/${id}`),
      false,
    ],
  ]),
  ['search', words.map(word => `/search?query=${encodeURIComponent(word)}`), true],
]

const readers = {
  a: {
    reader: readerOf(app, site.id, { claims: { team: 'a' } }),
    own: 'SECRETA',
    other: 'SECRETB',
  },
  b: {
    reader: readerOf(app, site.id, { claims: { team: 'b' } }),
    own: 'SECRETB',
    other: 'SECRETA',
  },
  none: { reader: readerOf(app, site.id), own: 'Bicycles', other: 'SECRET' },
}

const never = /NEVERSHOWN/i
const seen = async (by: Actor, path: string): Promise<Reply> => by.get(`${api}${path}`)
const headersOf = ({ headers }: Reply) => JSON.stringify([...headers])

for (const [who, { reader, own, other }] of Object.entries(readers)) {
  const others = new RegExp(other, 'i')
  for (const [name, paths, all] of operations)
    test(`nothing of another team is in any answer of ${name} to the reader ${who}`, async () => {
      const texts: string[] = []
      for (const path of paths) {
        const reply = await seen(reader, path)
        if (all) assert.is(reply.status, 200, `${path} ${reply.text}`)

        // A refusal repeats what was asked.
        if (reply.status !== 200) {
          assert.is(reply.status, 404, `${path} ${reply.text}`)
          assert.is(reply.headers.get('etag'), null)
          continue
        }

        const text = `${reply.text} ${headersOf(reply)}`

        texts.push(text)
        assert.not.match(text, others, path)
        assert.not.match(text, never, path)
        assert.not.match(text, /visitor\.claims|\{%-?\s*if|"oid"|"git"/, path)
        assert.match(reply.headers.get('cache-control') ?? '', /private|no-store/, path)
        assert.not.match(reply.headers.get('cache-control') ?? '', /immutable/, path)
      }

      if (who !== 'none' && name !== 'getSpaceById')
        assert.match(texts.join('\n'), new RegExp(own, 'i'))
    })
}

test('a hidden page, file or piece of reusable content is refused like one that does not exist', async () => {
  const { reader } = readers.a
  const missing: Record<string, number> = {}
  for (const at of ['/content', head])
    for (const [kind, ids] of [
      ['page', pages.map(({ id }) => id)],
      ['files', whole.files.map(({ id }: Listed) => id)],
      ['reusable-contents', whole.reusableContents.map(({ id }: Listed) => id)],
      ['path', addressed.map(({ path }) => path)],
    ] as [string, string[]][]) {
      const unknown = kind === 'path' ? 'nothing/there' : 'x'.repeat(20)
      const none = await seen(reader, `${at}/${kind}/${unknown}`)
      assert.is(none.status, 404)

      for (const id of ids) {
        const reply = await seen(reader, `${at}/${kind}/${id}`)
        if (reply.status === 200) continue
        missing[kind] = (missing[kind] ?? 0) + 1
        assert.is(reply.text.replace(id, ''), none.text.replace(unknown, ''))
        const names = (of: Reply) => [...of.headers.keys()].sort()
        assert.equal(names(reply), names(none))
      }
    }

  // For each of two places: four of the other team and one for nobody among pages, and so on.
  for (const kind of ['page', 'files', 'reusable-contents', 'path'])
    assert.ok((missing[kind] ?? 0) >= 4, kind)
})

test('each reader is shown the own pages with their texts, files and reusable content', async () => {
  const { reader } = readers.a
  const { body } = await seen(reader, '/content')
  const titles = flat(body.pages).map(({ title }) => title)
  assert.equal(titles, [
    'Home',
    'Mixed',
    'SECRETA plans',
    'SECRETA child',
    'SECRETA covered',
    'SECRETA link',
    'SECRETA shelf',
    'SECRETA link again',
    'SECRETA group',
    'SECRETA grouped',
  ])

  assert.equal(body.files.map(({ name }: { name: string }) => name).sort(), [
    'SECRETA-cover.png',
    'SECRETA-deep.png',
    'SECRETA.png',
  ])

  assert.equal(body.reusableContents.map(({ title }: Listed) => title).sort(), [
    'SECRETA note',
    'shared',
  ])
  assert.equal([body.variables, body.parents, body.type, body.issues], [{}, [], 'edits', undefined])
  const { markdown } = (await seen(reader, '/content/path/mixed')).body

  assert.match(
    markdown,
    /^# Mixed\n\nYou are in SECRETA\.\nNothing fails: \.\n\n## SECRETA heading/,
  )
  assert.match(markdown, /\{% include ".gitbook\/includes\/SECRETA.md" %\}/)
  const shared = body.reusableContents.find(({ title }: Listed) => title === 'shared')
  const { body: text } = await seen(reader, `/content/reusable-contents/${shared.id}`)

  assert.is(text.markdown, 'Shared words.\n\nSECRETA shared.\n')
})

test('the texts of a tree are those of its pages', async () => {
  for (const { reader } of Object.values(readers)) {
    const tree = flat(
      (await seen(reader, '/content/pages?format=markdown')).body.pages,
    ) as (Listed & {
      markdown?: string
    })[]
    for (const { id, type, markdown } of tree)
      if (type === 'document')
        assert.is(markdown ?? '', (await seen(reader, `/content/page/${id}`)).body.markdown)
  }
})

test('redirects lead to pages that the reader is shown only', async () => {
  for (const [path, a, b] of [
    ['old-a', 200, 404],
    ['old-b', 404, 200],
  ] as const) {
    assert.is((await seen(readers.a.reader, `/content/path/${path}`)).status, a)
    assert.is((await seen(readers.b.reader, `/content/path/${path}`)).status, b)
  }
})

test('a page is found by the text that the reader is shown', async () => {
  const found = async (by: Actor, query: string): Promise<string[]> =>
    (await seen(by, `/search?query=${query}`)).body.items.map(({ title }: Listed) => title).sort()
  assert.equal(await found(readers.a.reader, 'aside'), ['Home'])
  assert.equal(await found(readers.b.reader, 'aside'), [])
  assert.equal(await found(readers.none.reader, 'bicycles'), ['Home'])
  assert.equal(await found(readers.a.reader, 'bicycles'), ['Home', 'Mixed', 'SECRETA plans'])
  assert.equal(await found(readers.b.reader, 'bicycles'), ['Home', 'Mixed', 'SECRETB plans'])
  const { items } = (await seen(readers.b.reader, '/search?query=secretb%20heading')).body

  assert.equal([items[0].title, items[0].sections[0].title], ['Mixed', 'SECRETB heading'])
})

test('a reader gets the files at the addresses of the answers, while the site admits the reader', async () => {
  const { items } = (await seen(readers.a.reader, '/content/files')).body
  assert.is(items.length, 3)
  for (const { downloadURL, size } of items) {
    const reply = await fetch(downloadURL)
    assert.is(reply.status, 200, downloadURL)
    assert.is((await reply.arrayBuffer()).byteLength, size)
  }
})

test('a PDF has what the reader is shown, and its address is of no use to make another', async function pdf() {
  for (const { reader, own, other } of [readers.a, readers.b]) {
    const { status, body, text } = await seen(reader, '/pdf')
    assert.is(status, 200, text)
    const reply = await fetch(body.url)
    assert.is(reply.status, 200)
    const bytes = Buffer.from(await reply.arrayBuffer())
    if (!hasPoppler()) continue

    const printed = textOfPdf(bytes).join('\n')

    assert.match(printed, new RegExp(own))
    assert.match(printed, new RegExp(`Said to ${own}`))
    assert.not.match(printed, new RegExp(other, 'i'))
    assert.not.match(printed, never)
  }

  const { body } = await seen(readers.a.reader, '/pdf')
  const url = new URL(body.url)
  const other = new URL((await seen(readers.b.reader, '/pdf')).body.url)

  url.searchParams.set('reader', other.searchParams.get('reader') ?? '')
  assert.is((await fetch(url)).status, 404)
  const hidden = pages.find(({ title }) => title === 'SECRETB plans')
  const refused = await seen(readers.a.reader, `/pdf?page=${hidden?.id}`)

  assert.is(refused.status, 404)
  assert.is(
    refused.text.replace(hidden?.id ?? '', ''),
    (await seen(readers.a.reader, '/pdf?page=q')).text.replace('q', ''),
  )

  // The signature is random: it may contain these letters by chance.
  assert.not.match(body.url.replace(/(?<=[?&]signature=)[\w-]+/, ''), /eyJ/)
})

test('only the published revision and the own space are read with a reading token', async () => {
  const { reader } = readers.a
  const { body } = await app.admin.get(`${api}/content/path/readme`)
  const elsewhere = await makeHouse(app)
  assert.is((await reader.get(`${elsewhere.api}/content`)).status, 404)
  assert.is((await reader.get('/v1/spaces/nothing/content')).status, 404)
  await commitFiles(repo, { 'README.md': '# Home\n\nNow new.\n' })
  const now = (await reader.get(`${api}/content`)).body.id

  assert.is.not(now, whole.id)
  const old = await reader.get(`${api}/revisions/${whole.id}`)
  const unknown = await reader.get(`${api}/revisions/${'0'.repeat(40)}`)

  assert.is(old.status, 404)
  assert.is(old.text.replace(whole.id, ''), unknown.text.replace('0'.repeat(40), ''))
  assert.is(
    (await reader.get(`${api}/revisions/${now}/path/readme`)).body.markdown,
    '# Home\n\nNow new.\n',
  )

  for (const path of [
    '/revisions',
    '/change-requests',
    '/git/info',
    '/comments',
    '/links',
    '/content/links',
    `/revisions/${now}/changes`,
    `/content/page/${body.id}/backlinks`,
    '/permissions/aggregate',
  ]) {
    const reply = await reader.get(`${api}${path}`)
    assert.ok(reply.status === 403 || reply.status === 404, `${path} ${reply.status}`)
    assert.not.match(reply.text, /SECRET/)
  }
})

test.run()
