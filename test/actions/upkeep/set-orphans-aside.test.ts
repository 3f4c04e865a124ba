import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { markOpened } from '../../../src/actions/repositories/opened.ts'
import { spaceFolder } from '../../../src/actions/repositories/space-repository.ts'
import { createSpace, newSpaceId } from '../../../src/actions/spaces/create-space.ts'
import { duplicateSpace } from '../../../src/actions/spaces/duplicate-space.ts'
import { openAll } from '../../../src/actions/upkeep/open-all.ts'
import { recover } from '../../../src/actions/upkeep/recover.ts'
import {
  checkDatabaseKept,
  setOrphansAside,
} from '../../../src/actions/upkeep/set-orphans-aside.ts'
import { findUser } from '../../../src/store/people/users.ts'
import { deleteSpace } from '../../../src/store/spaces/spaces.ts'
import { query } from '../../../src/store/store.ts'
import type { UserRow } from '../../../src/store/tables/rows.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { type Folder, openFolder } from '../../support/folder.ts'

let folder: Folder
test.before.each(async () => {
  folder = await openFolder()
})
test.after.each(() => folder.close())

const lost = () => {
  const top = join(folder.ctx.config.dataDir, 'lost')
  return existsSync(top) ? readdirSync(top) : []
}

test('a repository without a row is set aside; incomplete ones are removed, those from before the start only', async () => {
  const { ctx } = folder
  const { space, repo } = await makeSpace({ ctx, admin: { id: folder.adminId } })
  ctx.processes.closeRepository(repo.dir)
  deleteSpace(ctx.store, space.id)
  mkdirSync(`${repo.dir}.new-abcdefgh`)
  mkdirSync(`${repo.dir}.trash`)
  await recover(ctx)
  assert.equal(lost(), [])
  const young = join(ctx.config.dataDir, 'spaces', 'zz', 'zzYoung.git')

  // A clock of files may be a few milliseconds behind.
  await setTimeout(20)
  mkdirSync(`${young}.new-abcdefgh`, { recursive: true })
  mkdirSync(young)
  await openAll(ctx)
  assert.match(
    lost().sort().join(),
    new RegExp(`^${space.id}\\.git-\\d+,${space.id}\\.git\\.trash-\\d+$`),
  )
  assert.not(existsSync(`${repo.dir}.new-abcdefgh`))
  assert.ok(existsSync(young))
  assert.ok(existsSync(`${young}.new-abcdefgh`))
  rmSync(dirname(young), { recursive: true })
})

test('incomplete copies of repositories that are in use are removed', async () => {
  const { ctx } = folder
  const { space, repo } = await makeSpace({ ctx, admin: { id: folder.adminId } })
  const left = [repo.dir, join(ctx.config.dataDir, 'specs', 'acme.git')].map(
    dir => `${dir}.new-abcdefgh`,
  )
  for (const dir of left) mkdirSync(dir, { recursive: true })
  await recover(ctx)
  for (const name of [space.id, 'specs acme']) markOpened(ctx, name)
  await setOrphansAside(ctx)
  assert.equal(left.filter(existsSync), [])
  assert.ok(existsSync(repo.dir))
})

test('a repository whose space is being created stays, also if the clock is behind the start of the server', async () => {
  const { ctx } = folder
  const now = Date.now
  Date.now = () => now() + 60_000
  await recover(ctx).finally(() => {
    Date.now = now
  })
  const by = findUser(ctx.store, folder.adminId) as UserRow
  let settled = false
  const setAsideMeanwhile = async () => {
    while (!settled) {
      await setOrphansAside(ctx)
      await setTimeout(1)
    }
  }

  const create = async () => {
    const made = await createSpace(ctx, { organization_id: 'acme', title: 'Docs' }, by)
    return [made, await duplicateSpace(ctx, made, by)]
  }

  const [made] = await Promise.all([
    create().finally(() => {
      settled = true
    }),
    setAsideMeanwhile(),
  ])

  assert.equal(lost(), [])
  for (const { id } of made) assert.ok(existsSync(spaceFolder(ctx.config.dataDir, id)))
})

test('a repeated request that creates a space removes the incomplete repository of the first', async () => {
  const { ctx, adminId } = folder
  const by = findUser(ctx.store, adminId) as UserRow
  const repeated = { key: 'k', userId: adminId, requestHash: 'h' }
  const dir = spaceFolder(ctx.config.dataDir, newSpaceId(repeated))
  mkdirSync(`${dir}.new-abcdefgh/objects`, { recursive: true })
  await recover(ctx)
  await createSpace(ctx, { organization_id: 'acme', title: 'Docs' }, by, repeated)
  assert.equal(readdirSync(dirname(dir)), [basename(dir)])
})

test('with repositories but an empty database nothing is touched, and the start fails', async () => {
  const { ctx } = folder
  const { space, repo } = await makeSpace({ ctx, admin: { id: folder.adminId } })
  await checkDatabaseKept(ctx)
  deleteSpace(ctx.store, space.id)
  ctx.store.run(query.deleteFrom('organization'))
  const failure = await recover(ctx).then(
    () => '',
    (error: Error) => error.message,
  )

  assert.match(
    failure,
    /has repositories of spaces \(1\), but its database is empty: stemma\.db was lost/,
  )
  assert.ok(existsSync(repo.dir))
})

test.run()
