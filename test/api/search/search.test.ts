import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { forgetDerived, reindexSpace } from '../../../src/actions/upkeep/reindex.ts'
import { readRef } from '../../../src/git/refs/refs.ts'
import { jobs } from '../../../src/jobs/all.ts'
import { deleteSomeOfSearch, findSearchSpace } from '../../../src/store/search/search-index.ts'
import { type App, startApp } from '../../support/app.ts'
import { makeSpace, type TestSpace } from '../../support/corpus/corpus.ts'
import { commitFiles, gitOutside, main } from '../../support/git/repo.ts'
import { holdSearch } from '../../support/hold-search.ts'
import { processed } from '../openapi/host.ts'

let app: App
let guide: TestSpace

const files = {
  'SUMMARY.md': `# Table of contents

* [Welcome](README.md)
* [Install](install.md)
  * [On Linux](linux.md)
* [Secret plans](plans.md)
* [Hidden corner](hidden.md)
* [函數呼叫](calls.md)
* [Old words]()
`,
  'README.md': '# Welcome\n\nHow to install this is told elsewhere.\n',
  'install.md':
    '---\ndescription: Where to begin\n---\n# Install it\n\nRun it.\n\n## Requirements\n\nZürich and a *quantum* computer.\n\n## Windows <a href="#win" id="win"></a>\n\nNothing special, but a long walk. '.concat(
      'Words and words. '.repeat(40),
      'Then comes the marzipan. ',
      'More words. '.repeat(40),
    ),
  'linux.md':
    '# On Linux\n\n{% hint style="info" %}\nUse the package manager.\n{% endhint %}\n\n```sh\napt install nimbus\n```\n',
  'plans.md': '---\nnoIndex: true\n---\n# Secret plans\n\nquantum marzipan\n',
  'hidden.md': '---\nhidden: true\n---\n# Hidden corner\n\nA zeppelin.\n',
  'calls.md': '# 函數呼叫\n\n這一節說明函數\n的呼叫語法。ภาษาไทยง่าย 설치하기\n',
}

test.before(async () => {
  app = await startApp()
  holdSearch(app.ctx)
  guide = await makeSpace(app, files)
})
test.after(() => app.stop())

const search = (words: string, more = '', api = guide.api) =>
  app.admin.get(`${api}/search?query=${encodeURIComponent(words)}${more}`)
const titles = async (words: string, api = guide.api): Promise<string[]> => {
  const { status, body, text } = await search(words, '', api)
  assert.is(status, 200, text)
  return body.items.map((item: { title: string }) => item.title)
}
const index = (spaceId: string) =>
  jobs['index-search']!(app.ctx, { spaceId }, { signal: new AbortController().signal, attempt: 1 })

test('a page found by its title ranks first, with its matching sections', async () => {
  const { body, headers } = await search('install')
  assert.equal(
    body.items.map((item: { title: string }) => item.title),
    ['Install', 'On Linux', 'Welcome'],
  )
  assert.is(headers.get('stemma-revision'), (await app.admin.get(guide.api)).body.revision)
  const [first, linux] = body.items

  assert.is(first.description, 'Where to begin')
  assert.is(first.path, 'install')
  assert.equal(linux.ancestors, [{ title: 'Install' }])
  assert.match(linux.urls.app, /\/app\/s\/\w+\/p\/\w+$/)
  assert.is(linux.sections[0].body, 'Use the package manager. apt install nimbus')
  const page = await app.admin.get(`${guide.api}/content/page/${linux.id}`)

  assert.is(page.body.title, 'On Linux')
})

test('a section has its heading and an excerpt around the match', async () => {
  const { body } = await search('marzipan')
  const [page] = body.items
  assert.is(body.count, 1)
  assert.is(page.sections.length, 1)
  const [section] = page.sections

  assert.is(section.title, 'Windows')
  assert.is(section.id, 'win')
  assert.is(section.path, 'install#win')
  assert.match(section.urls.app, /#win$/)
  assert.match(section.body, /^….{20,80}marzipan\. More.*…$/)
  assert.ok(section.body.length < 260)
})

test('all words have to be on one page if there is such a page, and the last may be a prefix', async () => {
  assert.equal(await titles('windows install'), ['Install'])
  assert.equal(await titles('quant'), ['Install'])
  assert.equal(await titles('quantum tractor'), ['Install'])
  assert.equal((await search('quantum tractor')).body.without, ['tractor'])
  assert.is((await search('windows install')).body.without, undefined)
  assert.equal(await titles('ZURICH'), ['Install'])
  assert.equal(await titles('old wor'), ['Old words'])
  assert.equal(await titles('nothing-of-the-kind'), [])
})

test('scripts without spaces match any part', async () => {
  for (const words of ['函', '函數', '數呼', '函數呼叫', '函數的呼叫', '語法', 'ไทย', '치하'])
    assert.equal(await titles(words), ['函數呼叫'], words)
  assert.equal(await titles('叫函'), [])
})

test('noIndex pages are not found, hidden pages are', async () => {
  assert.equal(await titles('secret plans'), [])
  assert.equal(await titles('zeppelin'), ['Hidden corner'])
})

test('any query is treated as words', async () => {
  for (const words of ['"', 'install"', '*', '(((', 'NEAR(', '^', 'a:b', '-', '\0', '{title}'])
    assert.is((await search(words)).status, 200, words)
  assert.equal((await titles('quantum AND zeppelin')).sort(), ['Hidden corner', 'Install'])
  assert.equal(await titles('in*stall'), [])
  const empty = await search('  ')

  assert.is(empty.status, 400)
  assert.match(empty.body.error.message, /query.*words to search for/)
  assert.is((await app.admin.get(`${guide.api}/search`)).status, 400)
  assert.is((await search('a'.repeat(513))).status, 400)
  assert.is((await search('ab '.repeat(170))).status, 200)
})

test('results are paged, each once', async () => {
  const seen: string[] = []
  for (let page = ''; ; ) {
    const { body } = await search('install', `&limit=1${page}`)
    assert.is(body.count, 1)
    seen.push(body.items[0].title)
    if (!body.next) break
    page = `&page=${encodeURIComponent(body.next.page)}`
  }

  assert.equal(seen, ['Install', 'On Linux', 'Welcome'])
  const { body } = await search('install', '&limit=1')
  const other = await search('linux', `&page=${encodeURIComponent(body.next.page)}`)

  assert.is(other.status, 400)
})

test('new text is found immediately, and old text no longer', async () => {
  const space = await makeSpace(app, {
    'README.md': '# Start\n\nalpha\n',
    'b.md': '# Bee\n\nbeta\n',
  })

  assert.equal(await titles('alpha', space.api), ['Start'])
  await commitFiles(space.repo, { 'README.md': '# Start\n\ngamma\n' })
  assert.equal(await titles('gamma', space.api), ['Start'])
  assert.equal(await titles('alpha', space.api), [])
  await commitFiles(space.repo, { 'b.md': null, 'c.md': '# Sea\n\nbeta\n' })
  assert.equal(await titles('beta', space.api), ['Sea'])
  await commitFiles(space.repo, { 'c.md': '---\nnoIndex: true\n---\n# Sea\n\nbeta\n' })
  assert.equal(await titles('beta', space.api), [])
  await commitFiles(space.repo, { 'c.md': '# Ocean\n\nbeta\n' })
  assert.equal(await titles('ocean', space.api), ['Ocean'])
})

test('a change request is searched in its own version, and the space is unaffected', async () => {
  const path = `${guide.api}/change-requests`
  const { body: request } = await app.admin.post(path, { subject: 'Words' })
  const { body: found } = await search('zeppelin')
  const markdown = '# Hidden corner\n\nA submarine.\n'
  const edited = await app.admin.post(`${path}/${request.id}/content`, {
    changes: [
      { operation: 'update_page', page: found.items[0].id, document: { markdown } },
      {
        operation: 'insert_page',
        title: 'Harbour',
        document: { markdown: 'For every submarine.\n' },
      },
    ],
  })

  assert.is(edited.status, 200, edited.text)
  const api = `${path}/${request.number}`

  assert.equal((await titles('submarine', api)).sort(), ['Harbour', 'Hidden corner'])
  assert.equal(await titles('zeppelin', api), [])
  assert.equal(await titles('submarine'), [])
  assert.equal(await titles('zeppelin'), ['Hidden corner'])
  const { body } = await search('harbour', '', api)

  assert.match(body.items[0].urls.app, new RegExp(`/app/s/\\w+/changes/${request.number}/pages/`))
  const merged = await app.admin.post(`${api}/merge`)

  assert.is(merged.status, 200, merged.text)
  assert.equal(await titles('harbour'), ['Harbour'])
  assert.equal(await titles('zeppelin'), [])
})

test('a search of an organization covers the spaces that the caller may read', async () => {
  const other = await makeSpace(app, { 'README.md': '# Other\n\nA xylophone.\n' }, 'Other')
  const open = await makeSpace(app, { 'README.md': '# Xylophone\n\nPlayed.\n' }, 'Open')
  for (const { space } of [guide, other, open]) await index(space.id)
  const asked = '/v1/orgs/acme/search?query=xylophone'
  const { body } = await app.admin.get(asked)

  assert.equal(
    body.items.map((item: { title: string; pages: { title: string }[] }) => [
      item.title,
      item.pages.map(page => page.title),
    ]),
    [
      ['Open', ['Xylophone']],
      ['Other', ['Other']],
    ],
  )
  const first = await app.admin.get(`${asked}&limit=1`)

  assert.is(first.body.count, 1)
  const second = await app.admin.get(
    `${asked}&limit=1&page=${encodeURIComponent(first.body.next.page)}`,
  )

  assert.equal([...first.body.items, ...second.body.items], body.items)
  assert.is(second.body.next, undefined)
  const guest = app.user('Gus', null)

  assert.equal((await guest.get(asked)).body.items, [])
  await app.admin.post(`/v1/spaces/${other.space.id}/permissions`, {
    role: 'read',
    users: [guest.id],
  })
  const seen = await guest.get(asked)

  assert.equal(
    seen.body.items.map((item: { title: string }) => item.title),
    ['Other'],
  )
  assert.is((await app.user('Stranger').get(asked)).status, 404)
  await app.admin.delete(`/v1/spaces/${open.space.id}`)
  const after = await app.admin.get(asked)

  assert.equal(
    after.body.items.map((item: { title: string }) => item.title),
    ['Other'],
  )
})

test('a change too large to index during a search is left to the job', async () => {
  const pages = Object.fromEntries(
    Array.from({ length: 250 }, (_, n) => [
      `page-${n}.md`,
      `# Page ${n}\n\nOne of many, number ${n}.\n`,
    ]),
  )
  const space = await makeSpace(app, { 'README.md': '# Many\n', ...pages })
  const busy = await search('many', '', space.api)
  assert.is(busy.status, 503)
  assert.match(busy.body.error.message, /Search again/)
  await index(space.space.id)
  const { body, headers } = await search('many', '&limit=1000', space.api)

  assert.is(body.count, 251)
  const revision = headers.get('stemma-revision')
  const more = Object.fromEntries(
    Array.from({ length: 250 }, (_, n) => [`other-${n}.md`, `# Other ${n}\n\nOne of many more.\n`]),
  )
  const head = await commitFiles(space.repo, more)
  const before = await search('many', '&limit=1000', space.api)

  assert.is(before.headers.get('stemma-revision'), revision)
  await index(space.space.id)
  const after = await search('many', '&limit=1000', space.api)

  assert.is(after.headers.get('stemma-revision'), head)
  assert.is(after.body.count, 300)
})

test('a change that is reverted while it is indexed leaves no page out', async () => {
  const saying = (word: string) =>
    Object.fromEntries(
      Array.from({ length: 250 }, (_, n) => [`page-${n}.md`, `# Page ${n}\n\n${word}\n`]),
    )
  const space = await makeSpace(app, { 'README.md': '# Many\n', ...saying('tangerine') })
  const first = readRef(space.repo, main)!
  await index(space.space.id)
  const count = async (word: string) => (await search(word, '&limit=1000', space.api)).body.count

  assert.is(await count('tangerine'), 250)
  const second = await commitFiles(space.repo, saying('clementine'))

  assert.ok((await count('clementine')) < 250, 'too much for a search')
  await commitFiles(space.repo, saying('tangerine'))
  await index(space.space.id)
  assert.is(await count('tangerine'), 250)
  gitOutside(space.repo.dir, ['update-ref', main, second])
  assert.ok((await count('clementine')) < 250)
  gitOutside(space.repo.dir, ['update-ref', main, first])
  await index(space.space.id)
  assert.is(await count('tangerine'), 250)
})

test('reindexing rebuilds the index, and deleting a space removes it', async () => {
  const { space, api } = await makeSpace(app, { 'README.md': '# Kept\n\nmandolin\n' })
  assert.equal(await titles('mandolin', api), ['Kept'])
  forgetDerived(app.ctx)
  assert.is(findSearchSpace(app.ctx.store, space.id), undefined)
  await reindexSpace(app.ctx, space)
  assert.equal(await titles('mandolin', api), ['Kept'])
  assert.is(deleteSomeOfSearch(app.ctx.store, space.id, 10), 1)
  assert.is(deleteSomeOfSearch(app.ctx.store, space.id, 10), 0)
  assert.is(findSearchSpace(app.ctx.store, space.id), undefined)
  assert.equal(await titles('mandolin', api), ['Kept'])
})

test('pages computed from a spec are found in their current version', async () => {
  const { space, api } = await makeSpace(app, {
    'README.md': '# Start\n\nHere.\n',
    'SUMMARY.md':
      '# Table of contents\n\n* [Start](README.md)\n* ```yaml\n  type: builtin:openapi\n  props: {models: false}\n  dependencies: {spec: {ref: {kind: openapi, spec: zoo}}}\n  ```\n',
  })

  const put = async (summary: string) => {
    const get = { summary, tags: ['animals'], responses: { 200: { description: 'Fine' } } }
    const text = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Zoo', version: '1' },
      paths: { '/animals': { get } },
    })
    const reply = await app.admin.put('/v1/orgs/acme/openapi/zoo', { source: { text } })
    assert.ok(reply.status < 300, reply.text)
    await processed(app, '/v1/orgs/acme/openapi/zoo')
  }

  assert.equal(await titles('okapi', api), [])
  await put('List every okapi')
  const { body } = await search('okapi', '', api)

  assert.is(body.count, 1)
  assert.match(body.items[0].sections[0].title, /okapi/)
  const page = await app.admin.get(`${api}/content/page/${body.items[0].id}`)

  assert.match(page.body.markdown, /okapi/)
  await put('List every tapir')
  await index(space.id)
  const found = await app.admin.get('/v1/orgs/acme/search?query=tapir')

  assert.is(found.body.items[0]?.id, space.id)
  assert.equal(await titles('okapi', api), [])
  assert.is((await titles('tapir', api)).length, 1)
  assert.equal(await titles('start', api), ['Start'])
})

test('a long page is found by its first and last words', async () => {
  const long = `# Long\n\n${'Some filling that says nothing much. '.repeat(2_000)}\n\n## End\n\nThe armadillo.\n`
  const { api, space } = await makeSpace(app, { 'README.md': long })
  assert.equal(await titles('filling', api), ['Long'])
  const { body } = await search('long armadillo', '', api)
  assert.is(body.items[0].sections[0].title, 'End')
  let gone = 0
  while (deleteSomeOfSearch(app.ctx.store, space.id, 10) > 0) gone++
  assert.is(gone, 1)
})

test.run()
