import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { keepRef } from '../../../src/actions/repositories/ref-names.ts'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { createSpace } from '../../../src/actions/spaces/create-space.ts'
import { moveRefs, type RefMove, readRef } from '../../../src/git/refs/refs.ts'
import { asOid, type Oid } from '../../../src/lib/oid.ts'
import { insertIntent, listIntents } from '../../../src/store/git/intents.ts'
import { findMirroredRef } from '../../../src/store/git/refs.ts'
import { findUser } from '../../../src/store/people/users.ts'
import { findSpace } from '../../../src/store/spaces/spaces.ts'
import { type Folder, openFolder } from '../../support/folder.ts'
import { fsck, gitOutside, main } from '../../support/git/repo.ts'
import { restart } from '../../support/restart.ts'

// Recovery runs before a server starts its jobs, so the tests run it without a server.
let folder: Folder

test.before(async () => {
  folder = await openFolder()
})
test.after(async () => {
  await folder.close()
})

/**
 * Creates a space with two commits on no branch and an intent: the state after a server was killed
 * while writing.
 */
async function interrupted() {
  const by = findUser(folder.ctx.store, folder.adminId)
  if (!by) throw new Error('no admin')
  const space = await createSpace(folder.ctx, { organization_id: 'acme', title: 'Before' }, by)
  const repo = spaceRepository(folder.ctx, space.id)
  const old = (await readRef(repo, main)) as Oid
  const child = (parent: string, message: string) =>
    asOid(gitOutside(repo.dir, ['commit-tree', '-p', parent, '-m', message, `${old}^{tree}`]))
  const side = child(old, 'side')
  const next = child(old, 'next')
  const moves: RefMove[] = [
    { ref: 'refs/stemma/keep/side', from: null, to: side },
    { ref: main, from: old, to: next },
  ]

  insertIntent(folder.ctx.store, {
    id: space.id,
    space_id: space.id,
    kind: 'test',
    user_id: by.id,
    moves,
    effects: [{ do: 'update-space', id: space.id, set: { title: 'After' } }],
    answer: {
      to: { key: space.id, userId: by.id, requestHash: 'h' },
      status: 200,
      body: '{}',
    },
    created_at: '2026-01-01T00:00:00.000Z',
  })

  const check = async (expected: { head: Oid; title: string }) => {
    await restart(folder.ctx)
    assert.equal(listIntents(folder.ctx.store), [])
    assert.is(await readRef(repo, main), expected.head)
    assert.is(findMirroredRef(folder.ctx.store, space.id, main), expected.head)
    assert.is(findSpace(folder.ctx.store, space.id)?.title, expected.title)
    fsck(repo)
    await restart(folder.ctx)
    assert.is(await readRef(repo, main), expected.head)
  }

  return { repo, old, next, side, child, moves, check }
}

test('an intent none of whose refs has moved is completed', async () => {
  const { next, side, repo, check } = await interrupted()
  await check({ head: next, title: 'After' })
  assert.is(await readRef(repo, 'refs/stemma/keep/side'), side)
})

test('an intent with some of its refs moved is completed', async () => {
  const { next, moves, repo, check } = await interrupted()
  await moveRefs(repo, moves.slice(0, 1))
  await check({ head: next, title: 'After' })
})

test('an intent whose refs have all moved gets its rows', async () => {
  const { next, moves, repo, check } = await interrupted()
  await moveRefs(repo, moves)
  await check({ head: next, title: 'After' })
})

test('moved refs are synced to disk before their intent is deleted', async () => {
  const { next, moves, repo, check } = await interrupted()
  await moveRefs(repo, moves)
  const { openSync, fsync } = fs
  const names = new Map<number, string>()
  const synced = new Set<string>()

  fs.openSync = (path, ...rest) => {
    const fd = openSync(path, ...rest)
    names.set(fd, String(path))
    return fd
  }

  fs.fsync = Object.assign((fd: number, done: (error: NodeJS.ErrnoException | null) => void) => {
    if (listIntents(folder.ctx.store).length > 0) synced.add(names.get(fd) ?? '')
    fsync(fd, done)
  }, fsync)
  syncBuiltinESMExports()

  try {
    await check({ head: next, title: 'After' })
  } finally {
    Object.assign(fs, { openSync, fsync })
    syncBuiltinESMExports()
  }

  for (const folder of ['refs/heads', 'refs/stemma/keep', 'refs/stemma', 'refs'])
    assert.ok(synced.has(join(repo.dir, folder)), folder)
})

test('an intent with a push on top of its head gets its rows, and the push is recorded', async () => {
  const { next, moves, repo, child, check } = await interrupted()
  await moveRefs(repo, moves)
  const pushed = child(next, 'pushed')
  gitOutside(repo.dir, ['update-ref', main, pushed])
  await check({ head: pushed, title: 'After' })
})

test('an intent is abandoned if its branch was pushed to before it moved, and its commit is kept', async () => {
  const { old, next, moves, repo, child, check } = await interrupted()
  await moveRefs(repo, moves.slice(0, 1))
  const pushed = child(old, 'pushed')
  gitOutside(repo.dir, ['update-ref', main, pushed])
  await check({ head: pushed, title: 'Before' })
  assert.is(await readRef(repo, 'refs/stemma/keep/side'), undefined)
  assert.is(await readRef(repo, keepRef(next)), next)
})

test('an intent whose objects are missing is abandoned', async () => {
  const { old, repo, moves, check } = await interrupted()
  const gone = asOid('1'.repeat(40))
  const last = moves.at(-1) as RefMove
  folder.ctx.store.transact(() => {
    insertIntent(folder.ctx.store, {
      id: `${gone}`,
      space_id: repo.dir.slice(-24, -4),
      kind: 'test',
      user_id: null,
      moves: [{ ...last, from: last.to, to: gone }],
      effects: [],
      answer: null,
      created_at: '2026-01-01T00:00:00.000Z',
    })
  })
  await check({ head: last.to as Oid, title: 'After' })
  assert.ok(old)
})

test('a branch moved by hand is recorded, and the commit that it dropped is kept', async () => {
  const { old, next, repo, child, check } = await interrupted()
  await check({ head: next, title: 'After' })
  const other = child(old, 'other line')
  gitOutside(repo.dir, ['update-ref', main, other])
  await restart(folder.ctx)
  assert.is(findMirroredRef(folder.ctx.store, repo.dir.slice(-24, -4), main), other)
  assert.is(await readRef(repo, keepRef(next)), next)
})

test.run()
