import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles, gitOutside, main } from '../../support/git/repo.ts'

const app = await startApp()
const reader = app.user('Rita', 'read')
const stranger = app.user('Sam')
const { api, repo, space } = await makeSpace(app, {
  'README.md': '# One\n',
  'two.md': '# Two\n',
  'a.txt': 'a',
  '.gitbook/includes/note.md': 'Mind.\n',
})
const other = await makeSpace(app)
const first = gitOutside(repo.dir, ['rev-parse', main])
await commitFiles(repo, { 'two.md': '# Two\n\nMore.\n' }, { at: 1_700_000_100 })
const second = gitOutside(repo.dir, ['rev-parse', main])
const tree = gitOutside(repo.dir, ['rev-parse', `${main}^{tree}`])
const loose = gitOutside(repo.dir, ['commit-tree', '-m', 'Loose', tree])

test.after(() => app.stop())

test('a revision has everything that the head has', async () => {
  const { body } = await reader.get(`${api}/revisions/${first}`)
  assert.is(body.id, first)
  const page = (await reader.get(`${api}/revisions/${first}/path/two`)).body
  assert.is(page.markdown, '# Two\n')
  assert.is(page.updatedAt, '2023-11-14T22:13:20.000Z')
  assert.is((await reader.get(`${api}/content/path/two`)).body.markdown, '# Two\n\nMore.\n')
  const paths = [
    '',
    '/pages',
    '/files',
    `/files/${body.files[0].id}`,
    `/page/${page.id}`,
    `/reusable-contents/${body.reusableContents[0].id}`,
  ]

  for (const path of paths) {
    assert.is((await reader.get(`${api}/revisions/${first}${path}`)).status, 200, path)
    assert.is((await stranger.get(`${api}/revisions/${first}${path}`)).status, 404, path)
    assert.is((await app.anonymous.get(`${api}/revisions/${first}${path}`)).status, 401, path)
    assert.is(
      (await reader.get(`/v1/spaces/${other.space.id}/revisions/${first}${path}`)).status,
      404,
      path,
    )
  }

  assert.is((await reader.get(`${api}/revisions/${second}/path/two`)).body.id, page.id)
})

test('only ids of commits of the space are revisions', async () => {
  const status = async (id: string) => (await reader.get(`${api}/revisions/${id}`)).status
  for (const id of [
    'HEAD',
    'main',
    'main%5E',
    first.slice(0, 12),
    `${first}0`,
    first.toUpperCase(),
    '--all',
  ])
    assert.is(await status(id), 400, id)

  const tag = gitOutside(repo.dir, ['tag', '-a', '-m', 'T', 'v1', first]) || 'v1'
  const tagged = gitOutside(repo.dir, ['rev-parse', tag])

  for (const id of ['0'.repeat(40), tree, loose, tagged]) assert.is(await status(id), 404, id)
  gitOutside(repo.dir, ['update-ref', 'refs/stemma/remotes/x/main', loose])
  assert.is(await status(loose), 404, 'what was only fetched')
  gitOutside(repo.dir, ['update-ref', 'refs/heads/topic', loose])
  assert.is(await status(loose), 200, 'a commit of any branch')
})

test('a commit that a row names is kept and found', async () => {
  const kept = gitOutside(repo.dir, ['commit-tree', '-m', 'Kept', tree])
  assert.is((await reader.get(`${api}/revisions/${kept}`)).status, 404)
  gitOutside(repo.dir, ['update-ref', `refs/stemma/keep/${kept}`, kept])
  const { status, body } = await reader.get(`${api}/revisions/${kept}`)

  assert.is(status, 200)
  assert.equal(body.parents, [])
  const page = (await reader.get(`${api}/revisions/${kept}/path/two`)).body

  assert.is(page.markdown, '# Two\n\nMore.\n')
  assert.is(page.createdAt, '2023-11-14T22:13:20.000Z')
})

test('revisions of a change request can be read, merged or not', async () => {
  const { body: request } = await app.admin.post(`${api}/change-requests`, { subject: 'More' })
  const branch = `refs/heads/change-requests/${request.number}`
  for (const id of [request.id, request.number]) {
    const scope = `${api}/change-requests/${id}/content`
    assert.is((await reader.get(`${scope}/path/two`)).body.markdown, '# Two\n\nMore.\n')
    assert.is((await stranger.get(scope)).status, 404)
    assert.is((await app.anonymous.get(scope)).status, 401)
  }

  const scope = `${api}/change-requests/${request.number}/content`

  await commitFiles(repo, { 'two.md': '# Two\n\nMost.\n' }, { ref: branch, at: 1_700_000_200 })
  const { body: page } = await reader.get(`${scope}/path/two`)

  assert.is(page.markdown, '# Two\n\nMost.\n', 'what was pushed to the branch')
  assert.is(page.updatedAt, '2023-11-14T22:16:40.000Z')
  assert.is(page.createdAt, '2023-11-14T22:13:20.000Z')
  assert.is(
    page.urls.app,
    `${app.url}${api.replace('/v1/spaces', '/app/s')}/changes/${request.number}/pages/${page.id}`,
  )
  const { body: revision } = await reader.get(scope)

  assert.is(revision.git.ref, branch)
  for (const path of ['/pages', '/files', `/files/${revision.files[0].id}`, `/page/${page.id}`])
    assert.is((await reader.get(scope + path)).status, 200, path)
  assert.is((await reader.get(`${api}/change-requests/99/content`)).status, 404)
  assert.is(
    (await reader.get(`/v1/spaces/${other.space.id}/change-requests/${request.id}/content`)).status,
    404,
  )
  assert.is((await reader.get(`${api}/content/path/two`)).body.markdown, '# Two\n\nMore.\n')

  await commitFiles(repo, { 'README.md': '# One and a half\n' }, { at: 1_700_000_300 })
  const { body: updated } = await app.admin.post(`${api}/change-requests/${request.id}/update`)

  assert.is(updated.result, 'update')
  const { body: brought } = await reader.get(scope)

  assert.equal([brought.id, brought.type], [updated.revision, 'update'])
  assert.is((await reader.get(`${scope}/path/readme`)).body.markdown, '# One and a half\n')

  const { body: merged } = await app.admin.post(`${api}/change-requests/${request.id}/merge`)

  assert.is(merged.result, 'merge')
  assert.is((await reader.get(`${scope}/path/two`)).body.markdown, '# Two\n\nMost.\n')
  assert.is((await reader.get(scope)).body.id, updated.revision, 'what it proposed last')
  const { body: head } = await reader.get(`${api}/content`)

  assert.equal([head.id, head.type, head.mergedFrom.id], [merged.revision, 'merge', request.id])
  assert.is(head.git.createdByService, true)
  assert.is(head.git.createdByGitBook, true)
  const [newest] = (await reader.get(`${api}/revisions`)).body.items

  assert.equal([newest.id, newest.type], [merged.revision, 'merge'])
  const kept = (await reader.get(`${api}/revisions/${merged.revision}`)).headers.get(
    'cache-control',
  )

  assert.is(kept, 'private, no-cache')
  assert.is(space.id, head.mergedFrom.space)
})

test('a revision lists all of its many files', async () => {
  const names = Array.from({ length: 1_203 }, (_, i) => `file-${String(i).padStart(4, '0')}.txt`)
  const many = await makeSpace(app, {
    'README.md': '# R\n',
    ...Object.fromEntries(names.map(name => [name, 'x'])),
  })
  const oid = gitOutside(many.repo.dir, ['rev-parse', main])
  const { body } = await reader.get(`${many.api}/revisions/${oid}`)
  const listed: unknown[] = []

  for (let page = ''; ; ) {
    const list = (await reader.get(`${many.api}/revisions/${oid}/files?limit=1000${page}`)).body
    listed.push(...list.items)
    if (!list.next) break
    page = `&page=${list.next.page}`
  }

  assert.equal(body.files, listed)
  assert.equal(
    body.files.map((file: { name: string }) => file.name),
    names,
  )
  assert.equal(body.pages, (await reader.get(`${many.api}/revisions/${oid}/pages`)).body.pages)
  assert.equal(Object.keys(body).slice(-3), ['pages', 'files', 'reusableContents'])
})

test.run()
