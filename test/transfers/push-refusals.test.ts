import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Actor, App } from '../support/app.ts'
import { openPushBench, type PushBench, told } from '../support/git/pushing.ts'

let bench: PushBench
let app: App
let bo: Actor
test.before(async () => {
  bench = await openPushBench({ STEMMA_MAX_IMPORT_PACK_MB: '1' })
  app = bench.app
  bo = bench.user('Bo', 'edit')
})
test.after(() => bench.stop())

/** What a refused push said, with single spaces; nothing must have changed. */
async function refused(spaceId: string, clone: string, ...args: string[]): Promise<string[]> {
  const before = bench.refs(spaceId)
  const pushed = await bench.push(clone, ...args)
  assert.is(pushed.code, 1, pushed.stderr)
  assert.equal(bench.refs(spaceId), before)
  return told(pushed).map(line => line.replace(/\s+/g, ' '))
}

/** The reason in the line of a ref. */
const reasonOf = (lines: readonly string[]): string =>
  lines.flatMap(line => /\((.+)\)$/.exec(line)?.[1] ?? [])[0] ?? ''

test('what is no branch, and names that cannot be', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  await bench.commit(clone, { 'a.md': '# A\n' })
  const reason = async (ref: string) => reasonOf(await refused(id, clone, 'origin', `HEAD:${ref}`))

  assert.is(await reason('refs/tags/v1'), 'tags are not taken here')
  assert.is(await reason('refs/notes/commits'), 'only branches can be pushed')
  assert.is(await reason('refs/stemma/keep/x'), 'only branches can be pushed')
  assert.is(await reason('refs/replace/x'), 'only branches can be pushed')
  assert.is(
    await reason('refs/for/master'),
    'the branch of this space is "main": push to refs/for/main',
  )

  assert.is(
    await reason('change-requests/99'),
    'there is no change request 99; open one with refs/for/main',
  )
  assert.match(await reason('refs/heads/change-requests'), /must be named after the number/)
  assert.match(await reason('refs/heads/change-requests/x'), /must be named after the number/)
  for (const name of ['main/x', 'Main', 'Change-Requests/1'])
    assert.match(await reason(`refs/heads/${name}`), /conflicts with/)

  for (const name of ['-x', 'a'.repeat(40), 'HEAD']) {
    assert.match(await reason(`refs/heads/${name}`), /not valid/)
    assert.match(await reason(`refs/for/main/${name}`), /not valid/)
  }

  assert.match(await reason(`refs/heads/${'x'.repeat(201)}`), /at most 200 bytes/)
})

test('a deletion, a rewrite, and what main has already', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  await bench.commit(clone, { 'a.md': '# A\n' })
  await bench.push(clone, 'origin', 'HEAD:refs/for/main')
  assert.equal(await refused(id, clone, 'origin', ':change-requests/1'), [
    ' ! [remote rejected] change-requests/1 (branches are not deleted: archive the change request instead)',
  ])
  await bench.client.ok(['fetch', '-q'], { in: clone })
  await bench.client.ok(['commit', '-q', '--amend', '-m', 'Other'], { in: clone })
  assert.equal(await refused(id, clone, '-f', 'origin', 'HEAD:change-requests/1'), [
    'remote: Merge change-requests/1 and push again.',
    ' ! [remote rejected] HEAD -> change-requests/1 (non-fast-forward: a push only adds)',
  ])

  assert.is(
    reasonOf(await refused(id, clone, 'origin', 'origin/main:refs/for/main')),
    'nothing to propose: main has all of it',
  )
  await bench.client.ok(['checkout', '-q', '--orphan', 'alone'], { in: clone })
  await bench.commit(clone, { 'z.md': '# Z\n' })
  assert.is(
    reasonOf(await refused(id, clone, 'origin', 'HEAD:refs/for/main')),
    'it has no commit in common with main',
  )
  const forced = await refused(id, clone, '-f', 'origin', 'HEAD:main')

  assert.is(forced[0], 'remote: Merge main and push again.')
  assert.is(reasonOf(forced), 'non-fast-forward: a push only adds')
})

test('merge rules and a locked space refuse main, with the way around', async () => {
  const id = await bench.space({
    mergeRules: { type: 'rules', rules: [{ rule: 'require_change_request_subject' }] },
  })
  const clone = await bench.clone(id, bo)
  await bench.commit(clone, { 'a.md': '# A\n' })
  assert.equal(await refused(id, clone, 'origin', 'main'), [
    'remote: Propose it: git push <remote> HEAD:refs/for/main',
    ' ! [remote rejected] main -> main (The space has merge rules: only merges of change requests that fulfil them can be pushed)',
  ])
  await app.admin.patch(`/v1/spaces/${id}`, { editMode: 'locked' })
  assert.equal(await refused(id, clone, 'origin', 'main'), [
    'remote: Propose it: git push <remote> HEAD:refs/for/main',
    ' ! [remote rejected] main -> main (The space is locked: change it with a change request)',
  ])
  assert.is((await bench.push(clone, 'origin', 'HEAD:refs/for/main')).code, 0)
})

test('a change request that is archived or merged', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  await bench.client.ok(['checkout', '-q', '-b', 'named'], { in: clone })
  await bench.commit(clone, { 'a.md': '# A\n' })
  await bench.push(clone, 'origin', 'named')
  await app.admin.patch(`/v1/spaces/${id}/change-requests/1`, { status: 'archived' })
  await bench.commit(clone, { 'b.md': '# B\n' })
  const archived = 'change request #1 is archived: open it again first'

  assert.is(reasonOf(await refused(id, clone, 'origin', 'HEAD:change-requests/1')), archived)
  assert.is(reasonOf(await refused(id, clone, 'origin', 'named')), archived)
  await app.admin.patch(`/v1/spaces/${id}/change-requests/1`, { status: 'open' })
  await app.admin.post(`/v1/spaces/${id}/change-requests/1/merge`, {})
  assert.is(
    reasonOf(await refused(id, clone, 'origin', 'HEAD:refs/heads/change-requests/1')),
    'change request #1 is merged: push to a new branch',
  )
})

test('a pack that is too large is read to its end, so that the words arrive', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  const noise = Buffer.alloc(1_200_000)
  for (let i = 0; i < noise.length; i++) noise[i] = Math.floor(Math.random() * 256)
  await bench.commit(clone, { 'noise.txt': noise.toString('base64') })
  const lines = await refused(id, clone, 'origin', 'main')

  assert.equal(lines, [
    'error: remote unpack failed: the push is larger than 1 MB',
    ' ! [remote rejected] main -> main (unpacker error)',
  ])
})

test('objects that Git does not allow are named', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  const blob = await bench.client.ok(['hash-object', '-w', '--stdin'], { in: clone })
  const tree = Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')])
  const { writeFile } = await import('node:fs/promises')
  const { join } = await import('node:path')

  await writeFile(join(bench.client.folder, clone, 'tree'), tree)
  const oid = await bench.client.ok(['hash-object', '-t', 'tree', '--literally', '-w', 'tree'], {
    in: clone,
  })
  const commit = await bench.client.ok(['commit-tree', '-p', 'HEAD', '-m', 'Bad', oid], {
    in: clone,
  })
  const lines = await refused(id, clone, 'origin', `${commit}:refs/heads/main`)

  assert.match(
    lines[0]!,
    /^error: remote unpack failed: the pack holds an object that is not allowed: hasDotgit: contains '.git'$/,
  )
  assert.is(reasonOf(lines), 'unpacker error')
})

test('who may not edit is told so before anything is sent', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  const reader = bench.user('Rea', 'comment')
  const { protocol, host } = new URL(app.url)

  await bench.commit(clone, { 'a.md': '# A\n' })
  const pushed = await bench.push(clone, `${protocol}//x:${reader.token}@${host}/${id}.git`, 'main')

  assert.is(pushed.code, 128)
  assert.match(
    pushed.stderr,
    /remote: Pushing needs the role "edit" in the space; yours is "comment"\./,
  )
})

test.run()
