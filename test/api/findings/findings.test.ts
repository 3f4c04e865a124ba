import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'

const app = await startApp()
const files = {
  'README.md': '# Home\n\n[a](gone.md) [b](#nowhere)\n\n{% hint %}\n',
  'SUMMARY.md': '* [Home](README.md)\n\nText\n',
  '.gitbook.yaml': 'redirects:\n  old: gone.md\n',
  'old.md': '# Old\n',
  'logo.png': `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 1\n`,
}
const { space, repo, api } = await makeSpace(app, files)
test.after(() => app.stop())

type Item = { file?: string; line?: number; kind: string; severity: string; message: string }
type Reply = {
  items: (Item & { advice: string })[]
  count: number
  next?: { page: string }
  stats: { total: number; kinds: Record<string, number> }
}

async function list(path: string): Promise<Reply> {
  const reply = await app.admin.get(api + path)
  assert.is(reply.status, 200, reply.text)
  return reply.body as Reply
}

const places = ({ items }: Reply) => items.map(({ file, line, kind }) => `${file}:${line} ${kind}`)

const all = [
  '.gitbook.yaml:2 dead-redirect',
  'README.md:3 broken-link',
  'README.md:3 missing-anchor',
  'README.md:5 unclosed-block',
  'SUMMARY.md:3 contents-line',
  'logo.png:undefined lfs-pointer',
  'old.md:undefined unlisted-page',
]

test('the findings of a space are listed by file and line, with counts by kind', async () => {
  const found = await list('/content/findings')
  assert.equal(places(found), all)
  assert.is(found.count, 7)
  assert.is(found.stats.total, 7)
  assert.is(found.stats.kinds['dead-redirect'], 1)
  assert.equal(found.items[0], {
    file: '.gitbook.yaml',
    line: 2,
    kind: 'dead-redirect',
    severity: 'warning',
    message: 'The redirect of "old" leads to "gone.md", which is no page.',
    advice: 'Write the path of the file of a page, or remove the redirect.',
  })
})

test('kinds filter the list, and the counts stay those of all', async () => {
  const found = await list('/content/findings?kind=lfs-pointer,missing-anchor')
  assert.equal(places(found), [all[2], all[5]])
  assert.is(found.stats.total, 7)
  const { status, text } = await app.admin.get(`${api}/content/findings?kind=broken`)
  assert.is(status, 400)
  assert.match(text, 'broken-link')
  const ignored = await app.admin.get(`${api}/content/findings?added=true`)
  assert.is(ignored.headers.get('stemma-ignored'), 'added')
})

test('the list has pages', async () => {
  const first = await list('/content/findings?limit=4')
  assert.equal(places(first), all.slice(0, 4))
  const page = encodeURIComponent(first.next?.page ?? '')
  const second = await list(`/content/findings?limit=4&page=${page}`)
  assert.equal(places(second), all.slice(4))
  assert.is(second.next, undefined)
  const other = await app.admin.get(`${api}/content/findings?kind=draft&page=${page}`)
  assert.is(other.status, 400)
})

test('a revision keeps its findings, and a change request tells those that it adds', async () => {
  const { body: before } = await app.admin.get(`${api}/content?metadata=false`)
  const { body: request } = await app.admin.post(`${api}/change-requests`, { subject: 'More' })
  const ref = `refs/heads/change-requests/${request.number}`
  const text = `# Home\n\nMoved down.\n${files['README.md'].slice(7)}\n[c](lost.md) [a](gone.md)\n`
  await commitFiles(repo, { 'README.md': text }, { ref })
  const scope = `/change-requests/${request.number}/content/findings`
  assert.is((await list(scope)).stats.total, 9)
  const added = await list(`${scope}?added=true`)
  assert.equal(
    added.items.map(({ line, message }) => `${line} ${message}`),
    ['9 "lost.md" does not exist.', '9 "gone.md" does not exist.'],
  )
  assert.equal(added.stats, { total: 2, kinds: { 'broken-link': 2 } })
  assert.equal(places(await list(`/revisions/${before.id}/content/findings`)), all)
})

test('users without access learn nothing', async () => {
  const guest = app.user('Gus', null)
  const { status } = await guest.get(`/v1/spaces/${space.id}/content/findings`)
  assert.is(status, 404)
})

test('the counts and what a change request adds are those of all findings, listed or not', async () => {
  const links = Array.from({ length: 4_000 }, (_, at) => `[a](gone${at}.md)\n`).join('')
  const large = await makeSpace(app, {
    'a.md': links,
    'b.md': links,
    'c.md': links,
    'z.md': '# Z\n',
  })
  const of = async (path: string): Promise<Reply> => {
    const { status, body, text } = await app.admin.get(large.api + path)
    assert.is(status, 200, text)
    return body as Reply
  }
  const before = await of('/content/findings?limit=1')
  assert.is(before.stats.total, 12_000)
  const { body: request } = await app.admin.post(`${large.api}/change-requests`, { subject: 'z' })
  const { body: page } = await app.admin.get(`${large.api}/content/path/z`)
  const edited = await app.admin.post(`${large.api}/change-requests/${request.number}/content`, {
    changes: [
      { operation: 'update_page', page: page.id, document: { markdown: '# Z\n\n[a](gone.md)\n' } },
    ],
  })
  assert.is(edited.status, 200, edited.text)
  const scope = `/change-requests/${request.number}/content/findings`
  const added = await of(`${scope}?added=true`)
  assert.equal(places(added), ['z.md:3 broken-link'])
  assert.equal(added.stats, { total: 1, kinds: { 'broken-link': 1 } })
  assert.is((await of(`${scope}?limit=1`)).stats.total, 12_001)
})

test.run()
