import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'

const app = await startApp()
test.after(() => app.stop())

type Page = { title: string; path: string; pages?: Page[] }

const pagesOf = async (api: string): Promise<string[]> => {
  const reply = await app.admin.get(`${api}/content/pages`)
  assert.is(reply.status, 200, reply.text)
  const walk = (pages: readonly Page[] = []): string[] =>
    pages.flatMap(({ title, path, pages: below }) => [`${title} = ${path}`, ...walk(below)])
  return walk((reply.body as { pages: Page[] }).pages)
}

test('the languages of LANGS.md are groups, and follow changes of their lists', async () => {
  const { api, repo } = await makeSpace(app, {
    'LANGS.md': '* [English](en)\n* [Français](fr)\n',
    'en/README.md': '# Introduction\n',
    'en/SUMMARY.md': '* [Introduction](README.md)\n* [Two](two.md)\n',
    'en/two.md': '# Two\n',
    'fr/README.md': '# Introduction\n',
    'fr/SUMMARY.md': '* [Introduction](README.md)\n',
    'fr/deux.md': '# Deux\n',
  })
  assert.equal(await pagesOf(api), [
    'English = english',
    'Introduction = en',
    'Two = en/two',
    'Français = francais',
    'Introduction = fr',
  ])
  await commitFiles(repo, { 'fr/SUMMARY.md': '* [Introduction](README.md)\n* [Deux](deux.md)\n' })
  assert.equal((await pagesOf(api)).slice(-2), ['Introduction = fr', 'Deux = fr/deux'])
  const found = await app.admin.get(`${api}/content/findings`)
  const items = (found.body as { items: { file: string; message: string }[] }).items
  assert.equal(
    items.map(({ file, message }) => `${file} ${message}`),
    [
      'LANGS.md LANGS.md: each language is a group of pages in this space, not a variant of its site.',
    ],
  )
})

test('book.json counts until .gitbook.yaml names the places of the pages', async () => {
  const { api, repo } = await makeSpace(app, {
    'README.md': '# Home\n',
    'book.json': '{"root": "docs", "structure": {"summary": "LIST.md"}}',
    'docs/README.md': '# Docs\n',
    'docs/LIST.md': '* [Docs](README.md)\n* [A](a.md)\n',
    'docs/a.md': '# A\n',
    'docs/other.md': '# Other\n',
  })
  assert.equal(await pagesOf(api), ['Docs = readme', 'A = a'])
  await commitFiles(repo, { '.gitbook.yaml': 'root: .\n' })
  assert.ok((await pagesOf(api)).includes('Home = readme'))
})

test('the tables of contents at the top and in the root of book.json come and go', async () => {
  const { api, repo } = await makeSpace(app, {
    'book.json': '{"root": "docs"}',
    'SUMMARY.md': '* [Top](docs/a.md)\n',
    'docs/a.md': '# A\n',
  })
  assert.equal(await pagesOf(api), ['Top = a'])
  await commitFiles(repo, { 'docs/summary.md': '* [Own](a.md)\n' })
  assert.equal(await pagesOf(api), ['Own = a'])
  await commitFiles(repo, { 'docs/summary.md': null })
  assert.equal(await pagesOf(api), ['Top = a'])
})

test.run()
