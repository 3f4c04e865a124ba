import { execFileSync } from 'node:child_process'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceFolder } from '../../../src/actions/repositories/space-repository.ts'
import { titleOfCopy } from '../../../src/actions/spaces/duplicate-space.ts'
import { putGitSync } from '../../../src/store/git/git-sync.ts'
import { listRevisions } from '../../../src/store/git/revisions.ts'
import { putPermission } from '../../../src/store/people/permissions.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const creator = app.user('Cleo', 'create')
const member = app.user('Max', 'read')
const guest = app.user('Gus', null)
const stranger = app.user('Sid')

test.after(() => app.stop())

const git = (id: string, ...args: string[]) =>
  execFileSync(
    'git',
    ['-C', spaceFolder(app.ctx.config.dataDir, id), '-c', 'safe.bareRepository=all', ...args],
    {
      encoding: 'utf8',
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: 'Pusher',
        GIT_AUTHOR_EMAIL: 'p@example.org',
        GIT_COMMITTER_NAME: 'Pusher',
        GIT_COMMITTER_EMAIL: 'p@example.org',
      },
    },
  ).trim()

const { body: collection } = await app.admin.post('/v1/orgs/acme/collections', { title: 'C' })
const { body: space } = await app.admin.post('/v1/orgs/acme/spaces', {
  title: 'Docs',
  emoji: '📚',
  parent: collection.id,
})
const path = `/v1/spaces/${space.id}/duplicate`

test('a copy has the content, history, settings and permissions, and nothing else', async () => {
  const settings = {
    defaultLevel: null,
    language: 'fr',
    editMode: 'locked',
    mergeRules: { type: 'none' },
  }

  await app.admin.patch(`/v1/spaces/${space.id}`, settings)
  const grant = {
    target_kind: 'space',
    target_id: space.id,
    subject_kind: 'user',
    created_at: space.createdAt,
  } as const

  putPermission(app.ctx.store, { ...grant, subject_id: 'max', role: 'comment' })
  putGitSync(app.ctx.store, {
    space_id: space.id,
    repo_name: 'acme/docs',
    provider: null,
    url: 'https://example.org/acme/docs',
    repo_tree_url: null,
    repo_commit_url: null,
    project_directory: null,
    ref: null,
    last_timestamp: null,
    updated_at: null,
  })
  await app.admin.post(`/v1/spaces/${space.id}/change-requests`, { subject: 'Mine' })

  // A push in the meantime is in the copy, too.
  const pushed = git(
    space.id,
    'commit-tree',
    `${space.revision}^{tree}`,
    '-p',
    space.revision,
    '-m',
    'From outside',
  )

  git(space.id, 'update-ref', 'refs/heads/main', pushed)

  const made = await creator.post(path)

  assert.is(made.status, 201)
  const copy = made.body

  assert.not(copy.id === space.id)
  assert.is(made.headers.get('location'), copy.urls.location)
  assert.equal({ ...copy, ...settings }, copy)
  assert.equal(
    [copy.title, copy.emoji, copy.parent, copy.revision],
    ['Copy of Docs', '📚', collection.id, pushed],
  )
  assert.equal([copy.changeRequests, copy.gitSync], [0, undefined])
  assert.is((await app.admin.get(`/v1/spaces/${space.id}`)).body.gitSync.repoName, 'acme/docs')
  assert.is((await member.get(`/v1/spaces/${copy.id}`)).body.permissions.comment, true)
  assert.equal(
    listRevisions(app.ctx.store, copy.id, 10).map(row => row.oid),
    [pushed, space.revision],
  )
  assert.is(git(copy.id, 'for-each-ref', '--format=%(refname)'), 'refs/heads/main')
  assert.is(git(copy.id, 'fsck', '--strict', '--no-progress'), '')
  const listed = (await creator.get(`/v1/collections/${collection.id}/spaces`)).body.items

  assert.equal(
    listed.map((item: { id: string }) => item.id),
    [space.id, copy.id],
  )
})

test('a copy needs the right to create there and to read the original', async () => {
  assert.is((await member.post(path)).status, 403)
  assert.is((await guest.post(path)).status, 404)
  assert.is((await stranger.post(path)).status, 404)
  assert.is((await app.anonymous.post(path)).status, 401)
})

test('the title of a copy is truncated to the limit without splitting a character', async () => {
  assert.is(titleOfCopy('x'.repeat(50)), `Copy of ${'x'.repeat(42)}`)
  assert.is(titleOfCopy('👍'.repeat(50)), `Copy of ${'👍'.repeat(42)}`)
  assert.is(titleOfCopy(`${'x'.repeat(41)} y`), `Copy of ${'x'.repeat(41)}`)
  const { body: long } = await app.admin.post('/v1/orgs/acme/spaces', {
    title: '👍'.repeat(50),
    empty: true,
  })
  assert.is((await app.admin.post(`/v1/spaces/${long.id}/duplicate`)).status, 201)
})

test('concurrent copies are all complete', async () => {
  const made = await Promise.all([1, 2, 3].map(() => creator.post(path)))
  assert.is(new Set(made.map(reply => reply.body.id)).size, 3)
  for (const { status, body } of made) {
    assert.is(status, 201)
    assert.equal((await creator.get(`/v1/spaces/${body.id}`)).body, body)
  }
})

test.run()
