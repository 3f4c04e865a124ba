import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SimpleGit, simpleGit } from 'simple-git'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { PushWatch } from '../../../src/actions/heads/watch-pushes.ts'
import { marksFolder } from '../../../src/actions/repositories/push-marks.ts'
import { spaceFolder } from '../../../src/actions/repositories/space-repository.ts'
import { createSpace } from '../../../src/actions/spaces/create-space.ts'
import { findMirroredRef } from '../../../src/store/git/refs.ts'
import { findUser } from '../../../src/store/people/users.ts'
import { type App, startApp } from '../../support/app.ts'
import { fsck, gitOutside } from '../../support/git/repo.ts'

let app: App
let work: string

test.before(async () => {
  app = await startApp()
  work = await mkdtemp(join(tmpdir(), 'stemma-clone-'))
})
test.after(async () => {
  await app.stop()
  await rm(work, { recursive: true, force: true })
})

/** A space and a clone of its repository, as a developer on the machine would make it. */
async function cloned(title: string): Promise<{ id: string; dir: string; git: SimpleGit }> {
  const by = findUser(app.ctx.store, app.admin.id)
  if (!by) throw new Error('no admin')
  const { id } = await createSpace(app.ctx, { organization_id: 'acme', title }, by)
  const dir = join(work, id)

  await simpleGit().clone(spaceFolder(app.dataDir, id), dir)
  const git = simpleGit(dir)

  await git.addConfig('user.name', 'Grace')
  await git.addConfig('user.email', 'grace@example.org')

  return { id, dir, git }
}

const main = 'refs/heads/main'
const mark = (id: string) => join(marksFolder(app.dataDir), id)

/** Moves the branch of the primary content to an empty commit without a hook. Returns it. */
function commitOutside(dir: string): string {
  const who = ['-c', 'user.name=G', '-c', 'user.email=g@example.org']
  const commit = gitOutside(dir, [...who, 'commit-tree', '-m', 'x', '-p', main, `${main}^{tree}`])
  gitOutside(dir, ['update-ref', main, commit])
  return commit
}

const pages = async (id: string) =>
  (await app.admin.get(`/v1/spaces/${id}/content/pages`)).body.pages

test('a push is visible to the next read and is a revision', async () => {
  const { id, dir, git } = await cloned('Pushed')
  await writeFile(join(dir, 'guide.md'), '# Guide\n\nBy hand.\n')
  await writeFile(
    join(dir, 'SUMMARY.md'),
    '# Summary\n\n* [Pushed](README.md)\n* [Guide](guide.md)\n',
  )
  await git.add('.').commit('Add a guide').push()
  const [, guide] = await pages(id)

  assert.is(guide.title, 'Guide')
  const page = await app.admin.get(`/v1/spaces/${id}/content/page/${guide.id}`)

  assert.is(page.body.markdown, '# Guide\n\nBy hand.\n')
  const { body: space } = await app.admin.get(`/v1/spaces/${id}`)

  assert.is(space.revision, await git.revparse('HEAD'))
  const { body: revisions } = await app.admin.get(`/v1/spaces/${id}/revisions`)

  assert.is(revisions.count, 2)
  assert.is(revisions.items[0].id, space.revision)
})

test('a page renamed by hand keeps its id, recorded in an identity note', async () => {
  const { id, dir, git } = await cloned('Renamed')
  const [before] = await pages(id)
  await rename(join(dir, 'README.md'), join(dir, 'start.md'))
  await writeFile(join(dir, 'SUMMARY.md'), '# Table of contents\n\n* [Renamed](start.md)\n')
  await git.add('.').commit('Rename the first page').push()
  const [after] = await pages(id)

  assert.is(after.git.path, 'start.md')
  assert.is(after.id, before.id)
  const note = gitOutside(spaceFolder(app.dataDir, id), [
    'notes',
    '--ref=stemma/identity',
    'show',
    'HEAD',
  ])

  assert.is(note, `start.md\t${before.id}`)

  await writeFile(join(dir, 'README.md'), '# Another\n')
  await writeFile(
    join(dir, 'SUMMARY.md'),
    '# Table of contents\n\n* [Renamed](start.md)\n* [Another](README.md)\n',
  )
  await git.add('.').commit('A new page where the old one was').push()
  const [renamed, another] = await pages(id)

  assert.is(renamed.id, before.id)
  assert.is.not(another.id, before.id)
  fsck({ dir: spaceFolder(app.dataDir, id) })
})

test('commits pushed to a change request become its head', async () => {
  const { id, dir, git } = await cloned('Proposed')
  const { body: request } = await app.admin.post(`/v1/spaces/${id}/change-requests`, {
    subject: 'By hand',
  })
  await git.fetch()
  await git.checkout(['-b', 'mine', `origin/change-requests/${request.number}`])
  await writeFile(join(dir, 'README.md'), '# Proposed\n\nBetter.\n')
  await git.add('.').commit('Improve')
  await git.push('origin', `mine:change-requests/${request.number}`)
  const path = `/v1/spaces/${id}/change-requests/${request.number}`
  const { body: after } = await app.admin.get(path)

  assert.is(after.revision, await git.revparse('HEAD'))
  const merged = await app.admin.post(`${path}/merge`)

  assert.is(merged.body.result, 'merge')
  await git.checkout('main')
  await git.pull()
  assert.is(await git.revparse('HEAD'), merged.body.revision)
  assert.is(await git.show('HEAD:README.md'), '# Proposed\n\nBetter.\n')
})

test('pushes that delete or rewrite a branch of the service are refused', async () => {
  const { id, dir, git } = await cloned('Guarded')
  await app.admin.post(`/v1/spaces/${id}/change-requests`, { subject: 'Stay' })
  let refused = 0
  await git.push('origin', ':change-requests/1').catch(() => refused++)
  await writeFile(join(dir, 'README.md'), '# Rewritten\n')
  await git.raw('commit', '--all', '--amend', '--message=Rewritten')
  await git.push(['--force', 'origin', 'main']).catch(() => refused++)
  assert.is(refused, 2)
  assert.is((await app.admin.get(`/v1/spaces/${id}/change-requests/1`)).status, 200)
})

test('a push to a space that is not read is recorded too', async () => {
  const { id, dir, git } = await cloned('Unread')
  const { body: request } = await app.admin.post(`/v1/spaces/${id}/change-requests`, {
    subject: 'By hand',
  })
  const actions = async () => {
    const { body } = await app.admin.get(`/v1/orgs/acme/audit-events?space=${id}`)
    return body.items.map((item: { action: string }) => item.action)
  }
  const before = await actions()
  const watch = new PushWatch(app.ctx)

  await watch.lookAtMarked()
  assert.equal(await actions(), before)
  await writeFile(join(dir, 'README.md'), '# Unread\n\nSnowdrop.\n')
  await git.add('.').commit('Improve').push()
  await git.push('origin', `main:change-requests/${request.number}`)
  const broken = await cloned('Broken')
  const head = join(spaceFolder(app.dataDir, broken.id), 'HEAD')

  await writeFile(mark(broken.id), '')
  await writeFile(head, 'nothing')
  await watch.lookAtMarked()
  await writeFile(head, 'ref: refs/heads/main\n')
  assert.equal((await actions()).slice(0, 2).sort(), [
    'change_request.content_updated',
    'space.content_updated',
  ])
  const found = async () =>
    (await app.admin.get('/v1/orgs/acme/search?query=Snowdrop')).body.items.length

  for (let tries = 0; (await found()) === 0 && tries < 600; tries++)
    await new Promise(resolve => setTimeout(resolve, 50))
  assert.is(await found(), 1)
})

test('a mark is read until a look finds nothing new, because the hook runs before the ref moves', async () => {
  const { id } = await cloned('Marked')
  const dir = spaceFolder(app.dataDir, id)
  const watch = new PushWatch(app.ctx)
  const recorded = () => findMirroredRef(app.ctx.store, id, main)
  const isMarked = () => existsSync(mark(id)) || existsSync(`${mark(id)}.read`)

  await writeFile(mark(id), '')
  await watch.lookAtMarked()
  const late = commitOutside(dir)
  await watch.lookAtMarked()
  assert.is(recorded(), late)
  assert.ok(isMarked())
  await watch.lookAtMarked()
  assert.not(isMarked())
  const unmarked = commitOutside(dir)
  await watch.lookAtMarked()
  assert.is(recorded(), late)
  await watch.lookAtAll()
  assert.is(recorded(), unmarked)
})

test('the mark of a space that is not there is removed', async () => {
  await writeFile(mark('nothing'), '')
  await new PushWatch(app.ctx).lookAtMarked()
  assert.equal(
    readdirSync(marksFolder(app.dataDir)).filter(name => name.startsWith('nothing')),
    [],
  )
})

test.run()
