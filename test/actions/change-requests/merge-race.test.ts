import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { isAncestor } from '../../../src/git/commits/merge.ts'
import { readCommit } from '../../../src/git/objects/objects.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { listIntents } from '../../../src/store/git/intents.ts'
import { listMirroredRefs } from '../../../src/store/git/refs.ts'
import { makeSpace } from '../../api/change-requests/workbench.ts'
import { startApp } from '../../support/app.ts'
import { fsck, gitOutside } from '../../support/git/repo.ts'

const app = await startApp()
test.after(() => app.stop())

/**
 * Returns the head of main once the last push has been recorded, and checks that no intent is left.
 */
async function settled(space: Awaited<ReturnType<typeof makeSpace>>): Promise<Oid> {
  assert.is((await app.admin.get(`/v1/spaces/${space.id}/content/pages`)).status, 200)
  const head = (await space.head()) as Oid
  assert.is(listIntents(app.ctx.store).length, 0)
  fsck(space.repo)
  return head
}

test('two change requests merged at the same time are both kept', async () => {
  const space = await makeSpace(app)
  const [one, two] = [space.user('Uno', 'edit'), space.user('Dos', 'edit')]
  const first = (await space.open(one, 'First', { 'first.md': '1\n' })).body
  const second = (await space.open(two, 'Second', { 'second.md': '2\n' })).body
  const merged = await Promise.all([
    one.post(`${space.path}/${first.number}/merge`),
    two.post(`${space.path}/${second.number}/merge`),
  ])

  assert.equal(
    merged.map(reply => reply.body.result),
    ['merge', 'merge'],
  )
  const head = await settled(space)

  for (const revision of [first.revision, second.revision, merged[0]!.body.revision]) {
    assert.ok(await isAncestor(space.repo, revision, head))
  }
  const { parents } = (await readCommit(space.repo, head))!

  assert.ok(merged.some(reply => reply.body.revision === parents[0]))
})

test('concurrent merges of one change request merge it once', async () => {
  const space = await makeSpace(app)
  const { body: made } = await space.open(app.admin, 'Popular', { 'popular.md': 'x\n' })
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => app.admin.post(`${space.path}/${made.number}/merge`)),
  )
  assert.equal(replies.map(reply => reply.status).sort(), [200, 409, 409, 409, 409])
  await settled(space)
})

test('a merge and a concurrent push are both kept', async () => {
  const space = await makeSpace(app)
  const requests = []
  for (let i = 0; i < 6; i++)
    requests.push(
      (await space.open(app.admin, `Request ${i}`, { [`request-${i}.md`]: `${i}\n` })).body,
    )

  const pushed: string[] = []
  const merged = []

  for (const [i, request] of requests.entries()) {
    const merging = app.admin.post(`${space.path}/${request.number}/merge`)
    // Two pushes per merge, at varying moments: fewer than make a merge run out of tries.
    for (const name of [`pushed-${i}-a.md`, `pushed-${i}-b.md`]) {
      await new Promise(resolve => setTimeout(resolve, Math.random() * 25))
      const head = (await space.head()) as string
      const commit = pushFile(space.repo.dir, head, name)
      // Git refuses a push that comes too late.
      try {
        gitOutside(space.repo.dir, ['update-ref', 'refs/heads/main', commit, head])
        pushed.push(commit)
      } catch {}
    }

    merged.push(await merging)
  }

  const head = await settled(space)

  assert.ok(pushed.length > 0)

  for (const reply of merged) {
    assert.is(reply.body.result, 'merge')
    assert.ok(await isAncestor(space.repo, reply.body.revision, head))
  }

  for (const commit of pushed) assert.ok(await isAncestor(space.repo, commit as Oid, head))
  assert.is(listMirroredRefs(app.ctx.store, space.id).get('refs/heads/main'), head)
})

/** A commit on top of `head` that adds a file, made with Git alone. */
function pushFile(dir: string, head: string, name: string): string {
  const blob = gitOutside(dir, ['hash-object', '-w', '--stdin'], `${name}\n`)
  const entries = gitOutside(dir, ['ls-tree', head])
  const tree = gitOutside(dir, ['mktree'], `${entries}\n100644 blob ${blob}\t${name}\n`)
  return gitOutside(dir, ['commit-tree', tree, '-p', head], `Pushes ${name}\n`)
}

test.run()
