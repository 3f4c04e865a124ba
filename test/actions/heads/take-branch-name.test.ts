import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Adoption, adoptCommit } from '../../../src/actions/git-sync/adopt-commit.ts'
import { reconcileSpace } from '../../../src/actions/heads/reconcile-space.ts'
import { takeBranchName } from '../../../src/actions/heads/take-branch-name.ts'
import { moveRefs } from '../../../src/git/refs/refs.ts'
import { asOid } from '../../../src/lib/oid.ts'
import { findUser } from '../../../src/store/people/users.ts'
import { findSpace } from '../../../src/store/spaces/spaces.ts'
import { openPushBench, type PushBench } from '../../support/git/pushing.ts'

let bench: PushBench
let histories = 0
test.before(async () => {
  bench = await openPushBench()
})
test.after(() => bench.stop())

/** Runs `work` under the lock of a space, as a writer does. */
const locked = (id: string, work: () => Promise<void>) => bench.app.ctx.locks.run(id, work)

const take = (id: string, branch: string) =>
  locked(id, () => takeBranchName(bench.app.ctx, id, `refs/heads/${branch}`))

const reconcile = (id: string) => locked(id, () => reconcileSpace(bench.app.ctx, { id }))

/**
 * Creates a repository with its own history on a branch and pushes it to a space. Returns its head
 * and the outcome.
 */
async function pushOwn(id: string, branch: string) {
  const own = `own-${histories++}`
  await bench.client.ok(['init', '-q', '-b', branch, own])
  const commit = await bench.commit(own, { 'README.md': '# Mine\n' })
  const { protocol, host } = new URL(bench.app.url)
  const pushed = await bench.push(
    own,
    `${protocol}//x:${bench.app.admin.token}@${host}/${id}.git`,
    branch,
  )

  return { commit, pushed }
}

/**
 * Leave a space as a process does that is killed while it changes the default branch, before the
 * journal has an intent.
 */
const interruptions: Record<string, (id: string, main: string) => Promise<void>> = {
  'after the branch was created': (id, main) =>
    moveRefs(bench.repo(id), [{ ref: 'refs/heads/trunk', from: null, to: asOid(main) }]),
  'after HEAD was set': id => take(id, 'trunk'),
}

for (const [when, interrupt] of Object.entries(interruptions)) {
  test(`a change of the default branch is undone if it was interrupted ${when}`, async () => {
    const id = await bench.untouched()
    const before = bench.refs(id)
    await interrupt(id, before.main!)
    await reconcile(id)
    assert.equal(bench.refs(id), before)
    assert.is(bench.inside(id, 'symbolic-ref', 'HEAD'), 'refs/heads/main')
    assert.is(findSpace(bench.app.ctx.store, id)!.pristine, 1)
    assert.is((await bench.app.admin.get(`/v1/spaces/${id}/content`)).body.id, before.main)
  })
}

for (const branch of ['trunk', 'main'])
  test(`after an interrupted change of the default branch and a read, a space accepts a history on ${branch}`, async () => {
    const id = await bench.untouched()
    await take(id, 'trunk')
    assert.is((await bench.app.admin.get(`/v1/spaces/${id}/content`)).status, 200)
    const { commit, pushed } = await pushOwn(id, branch)
    assert.is(pushed.code, 0, pushed.stderr)
    assert.equal(bench.refs(id), { [branch]: commit })
    assert.is(bench.inside(id, 'symbolic-ref', 'HEAD'), `refs/heads/${branch}`)
  })

test('after an interrupted change of the default branch, an edit goes to the former branch', async () => {
  const id = await bench.untouched()
  await take(id, 'trunk')
  const revision = await bench.edit(id, 'One')
  assert.equal(bench.refs(id), { main: revision })
})

test('a first push that cannot be published leaves the space as it was', async () => {
  const id = await bench.untouched()
  const before = bench.refs(id)
  const lock = join(bench.repo(id).dir, 'refs/heads/main.lock')
  await writeFile(lock, '')
  const refused = await pushOwn(id, 'trunk')

  assert.is(refused.pushed.code, 1)
  assert.equal(bench.refs(id), before)
  assert.is(bench.inside(id, 'symbolic-ref', 'HEAD'), 'refs/heads/main')
  await rm(lock)
  const { commit, pushed } = await pushOwn(id, 'trunk')

  assert.is(pushed.code, 0, pushed.stderr)
  assert.equal(bench.refs(id), { trunk: commit })
})

test('an import that fails before it is published leaves the default branch as it was', async () => {
  const id = await bench.untouched()
  const before = bench.refs(id)
  const adoption: Adoption = {
    commit: asOid(before.main!),
    ref: 'refs/heads/trunk',
    message: 'Import',
    by: findUser(bench.app.ctx.store, bench.app.admin.id)!,
    way: 'import',
    winner: undefined,
    extraMoves: () => Promise.reject(new Error('no more moves')),
    effects: () => [],
  }
  const failed = await adoptCommit(bench.app.ctx, id, adoption).catch(
    error => (error as Error).message,
  )

  assert.is(failed, 'no more moves')
  assert.equal(bench.refs(id), before)
  assert.is(bench.inside(id, 'symbolic-ref', 'HEAD'), 'refs/heads/main')
})

test('a branch that was made by hand and has other commits stays', async () => {
  const id = await bench.untouched()
  const main = bench.refs(id).main!
  const [tree, who] = [
    bench.inside(id, 'rev-parse', 'main^{tree}'),
    ['-c', 'user.name=A', '-c', 'user.email=a@b'],
  ]
  const other = bench.inside(id, ...who, 'commit-tree', '-p', main, '-m', 'By hand', tree)

  bench.inside(id, 'branch', 'idea', other)
  await reconcile(id)
  assert.equal(bench.refs(id), { idea: other, main })
})

test('a branch that was made by hand in a space with content stays', async () => {
  const id = await bench.space()
  const main = bench.refs(id).main!
  bench.inside(id, 'branch', 'idea', main)
  await reconcile(id)
  assert.equal(bench.refs(id), { idea: main, main })
})

test.run()
