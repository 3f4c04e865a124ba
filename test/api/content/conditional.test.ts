import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'

const app = await startApp()
const { api, repo } = await makeSpace(app, {
  'README.md': '# One\n',
  'SUMMARY.md': '# Table of contents\n\n* [One](README.md)\n* [Two](two.md)\n',
  'two.md': '# Two\n',
  'a.txt': 'a',
})

test.after(() => app.stop())

const etag = async (path: string) => (await app.admin.get(api + path)).headers.get('etag') ?? ''
const again = async (path: string, tag: string) => {
  const { status, text } = await app.admin.get(api + path, { 'if-none-match': tag })
  if (status === 304) assert.is(text, '')
  return status
}

test('an unchanged response is not sent again', async () => {
  for (const path of ['/content', '/content/pages', '/content/files', '/content/path/two']) {
    const tag = await etag(path)
    assert.match(tag, /^"[0-9a-f-]+"$/, path)
    assert.is(await again(path, tag), 304, path)
    assert.is(await again(path, `"x", W/${tag}`), 304, path)
    assert.is(await again(path, '"x"'), 200, path)
  }
})

test('the ETag of the page tree is the revision', async () => {
  const { body } = await app.admin.get(`${api}/content`)
  assert.is(await etag('/content/pages'), `"${body.id}"`)
  assert.ok((await etag('/content')).startsWith(`"${body.id}-`))
})

test('a page keeps its ETag when other pages change, the page tree does not', async () => {
  const [page, other, tree] = [
    await etag('/content/path/readme'),
    await etag('/content/path/two'),
    await etag('/content/pages'),
  ]

  await commitFiles(repo, { 'two.md': '# Two\n\nMore.\n' }, { at: 1_700_000_100 })
  assert.is(await again('/content/path/readme', page), 304)
  assert.is(await again('/content/path/two', other), 200)
  assert.is(await again('/content/pages', tree), 200)
  const { body } = await app.admin.get(`${api}/content/path/two`)

  assert.is(body.markdown, '# Two\n\nMore.\n')
  assert.is(body.createdAt, '2023-11-14T22:13:20.000Z')
  assert.is(body.updatedAt, '2023-11-14T22:15:00.000Z')
})

test('a revision can be cached forever, one with file URLs for an hour', async () => {
  const { id } = (await app.admin.get(`${api}/content`)).body
  const kept = async (path: string) =>
    (await app.admin.get(api + path)).headers.get('cache-control') ?? ''
  for (const path of ['/pages', '/path/two'])
    assert.is(await kept(`/revisions/${id}${path}`), 'private, max-age=31536000, immutable', path)

  for (const path of ['', '/files']) {
    const seconds = Number(
      /^private, max-age=(\d+)$/.exec(await kept(`/revisions/${id}${path}`))?.[1],
    )
    assert.ok(seconds > 0 && seconds <= 3600, path)
  }

  for (const path of ['', '/pages', '/files', '/path/two'])
    assert.is(await kept(`/content${path}`), 'private, no-cache', path)
})

test('responses for different paths and queries are not mixed up', async () => {
  const { id } = (await app.admin.get(`${api}/content`)).body
  const app1 = async (path: string) => (await app.admin.get(api + path)).body.pages[0].urls.app
  assert.match(await app1('/content/pages'), /\/app\/s\/\w+\/p\//)
  assert.match(await app1(`/revisions/${id}/pages`), new RegExp(`/history/${id}/p/`))
  assert.match(await app1('/content/pages'), /\/app\/s\/\w+\/p\//)
  assert.ok((await app.admin.get(`${api}/content/pages`)).body.pages[0].git)
  assert.not((await app.admin.get(`${api}/content/pages?metadata=false`)).body.pages[0].git)
  assert.ok((await app.admin.get(`${api}/content/pages`)).body.pages[0].git)
})

test.run()
