import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { makeSpace, type Space } from '../../api/change-requests/workbench.ts'
import { type App, startApp } from '../../support/app.ts'
import { gitOutside } from '../../support/git/repo.ts'

let app: App

test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

type Page = { id: string; git: { path: string } }

const content = (space: Space) => `/v1/spaces/${space.id}/content`

const edit = async (path: string, changes: object[]) => {
  const reply = await app.admin.post(path, { changes })
  assert.is(reply.status, 200, reply.text)
}

/** Returns the page ids by file path. */
const idsAt = async (path: string): Promise<Record<string, string>> => {
  const { body } = await app.admin.get(`${path}/pages`)
  return Object.fromEntries((body.pages as Page[]).map(page => [page.git.path, page.id]))
}

const insert = (title: string) => ({
  operation: 'insert_page',
  title,
  slug: title.toLowerCase(),
  document: { markdown: `# ${title}\n\nHow to set things up, in a few words.\n` },
})

/** A merge commit that a developer makes in a clone. */
function merge(space: Space, ours: string, theirs: string): string {
  const tree = gitOutside(space.repo.dir, ['merge-tree', '--write-tree', ours, theirs])
  return gitOutside(space.repo.dir, [
    'commit-tree',
    tree,
    '-p',
    ours,
    '-p',
    theirs,
    '-m',
    'By hand',
  ])
}

const push = (space: Space, commit: string) =>
  gitOutside(space.repo.dir, ['update-ref', 'refs/heads/main', commit])

/** A space with a page, and a change request that renames the page and changes its text. */
async function renamed(title: string) {
  const space = await makeSpace(app)
  await edit(content(space), [insert(title)])
  const page = (await idsAt(content(space)))[`${title.toLowerCase()}.md`]!
  const { body: request } = await space.open(app.admin, `Rename ${title}`)
  const path = `${space.path}/${request.id}/content`

  await edit(path, [{ operation: 'update_page', page, slug: 'new' }])
  await edit(path, [
    {
      operation: 'update_page',
      page,
      document: { markdown: `${'Nothing like it. '.repeat(40)}\n` },
    },
  ])
  assert.is((await idsAt(path))['new.md'], page)
  await space.commit({ 'main.txt': 'meanwhile\n' })

  return { space, page, main: (await space.head())!, branch: (await space.head(request.number))! }
}

test('pages keep their ids when a change request is merged by hand', async () => {
  const { space, page, main, branch } = await renamed('Setup')
  push(space, merge(space, main, branch))
  assert.is((await idsAt(content(space)))['new.md'], page)
})

test('pages keep their ids when the primary content is merged into a branch by hand', async () => {
  const { space, page, main, branch } = await renamed('Setup')
  push(space, merge(space, branch, main))
  assert.is((await idsAt(content(space)))['new.md'], page)
})

test('pages keep their ids when the merge is one of several pushed commits', async () => {
  const { space, page, main, branch } = await renamed('Setup')
  push(space, merge(space, main, branch))
  const merged = (await space.head())!
  await space.commit({ 'a.txt': 'one' })
  await space.commit({ 'a.txt': 'two' })
  assert.is((await idsAt(content(space)))['new.md'], page)
  assert.is((await idsAt(`/v1/spaces/${space.id}/revisions/${merged}`))['new.md'], page)
})

test('pages keep their ids when the push also merges an unrelated branch', async () => {
  const { space, page, main, branch } = await renamed('Setup')
  const tree = gitOutside(space.repo.dir, ['rev-parse', `${main}^{tree}`])
  const side = gitOutside(space.repo.dir, ['commit-tree', tree, '-p', main, '-m', 'Aside'])
  push(space, merge(space, merge(space, main, branch), side))
  assert.is((await idsAt(content(space)))['new.md'], page)
})

test('pages keep their ids when the merge is read as a revision before the push is recorded', async () => {
  const { space, page, main, branch } = await renamed('Setup')
  const merged = merge(space, main, branch)
  push(space, merged)
  const before = await app.admin.get(`/v1/spaces/${space.id}/revisions/${merged}/pages`)
  assert.is(before.status, 200)
  assert.is((await idsAt(content(space)))['new.md'], page)
  assert.is((await idsAt(`/v1/spaces/${space.id}/revisions/${merged}`))['new.md'], page)
})

test('a page whose file is renamed by a push keeps its id in a space without identity notes', async () => {
  const space = await makeSpace(app)
  await space.commit({ 'old.md': '# Setup\n\nHow to set things up, in a few words.\n' })
  const page = (await idsAt(content(space)))['old.md']!
  await space.commit({
    'old.md': null,
    'new.md': '# Setup\n\nHow to set things up, in a few words.\n',
  })
  const head = (await space.head())!

  assert.is((await app.admin.get(`/v1/spaces/${space.id}/revisions/${head}/pages`)).status, 200)
  assert.is((await idsAt(content(space)))['new.md'], page)
})

test.run()
