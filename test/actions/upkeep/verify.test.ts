import {
  appendFileSync,
  chmodSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceFolder, spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { createSpace } from '../../../src/actions/spaces/create-space.ts'
import { collectGarbage } from '../../../src/actions/upkeep/collect-garbage.ts'
import { forgetDerived, reindexSpace } from '../../../src/actions/upkeep/reindex.ts'
import { verify } from '../../../src/actions/upkeep/verify.ts'
import type { Problem } from '../../../src/actions/upkeep/verify-repository.ts'
import { verifySpace } from '../../../src/actions/upkeep/verify-space.ts'
import { Fault } from '../../../src/errors.ts'
import { moveRefs, readRef } from '../../../src/git/refs/refs.ts'
import { asOid } from '../../../src/lib/oid.ts'
import { namingColumns } from '../../../src/store/git/named-commits.ts'
import { listMirroredRefs, putMirroredRef } from '../../../src/store/git/refs.ts'
import { listRevisions } from '../../../src/store/git/revisions.ts'
import { findUser } from '../../../src/store/people/users.ts'
import {
  findSearchSpace,
  listSearchPages,
  pageRange,
} from '../../../src/store/search/search-index.ts'
import { query, sqlRows } from '../../../src/store/store.ts'
import type { SpaceRow } from '../../../src/store/tables/rows.ts'
import { type App, startApp } from '../../support/app.ts'
import { commitFiles, fsck, gitOutside, main } from '../../support/git/repo.ts'
import { holdSearch } from '../../support/hold-search.ts'

let app: App

test.before(async () => {
  app = await startApp()
  // The index job of a new space records what was pushed to it, a second later.
  holdSearch(app.ctx)
})
test.after(async () => {
  await app.stop()
})

const newSpace = (title = 'Handbook') =>
  createSpace(app.ctx, { organization_id: 'acme', title }, findUser(app.ctx.store, app.admin.id)!)

const repoOf = (space: SpaceRow) => spaceRepository(app.ctx, space.id)
const git = (space: SpaceRow, ...args: string[]) =>
  gitOutside(spaceFolder(app.dataDir, space.id), args)

const problemsOf = (space: SpaceRow): Promise<Problem[]> => verifySpace(app.ctx, space)

/**
 * Asserts that `verify` reports a problem that matches `what`, with a remedy that matches `remedy`.
 */
async function assertProblem(space: SpaceRow, what: RegExp, remedy: RegExp): Promise<void> {
  const problems = await problemsOf(space)
  const found = problems.find(problem => what.test(problem.what))
  assert.ok(found, JSON.stringify(problems))
  assert.match(found.remedy, remedy)
}

/** Creates a space with a merged and an open change request and an outside commit. */
async function busySpace(): Promise<SpaceRow> {
  const space = await newSpace()
  const path = `/v1/spaces/${space.id}/change-requests`
  for (const subject of ['One', 'Two', 'Three'])
    assert.is((await app.admin.post(path, { subject })).status, 201)
  await commitFiles(repoOf(space), { 'one.md': '# One\n' }, { ref: 'refs/heads/change-requests/1' })
  await commitFiles(repoOf(space), { 'two.md': '# Two\n' }, { ref: 'refs/heads/change-requests/2' })
  const merged = await app.admin.post(`${path}/1/merge`)

  assert.is(merged.body.result, 'merge', merged.text)
  await commitFiles(repoOf(space), { 'README.md': null, 'guide.md': '# Handbook\n' })
  assert.is((await app.admin.get(`/v1/spaces/${space.id}/content/pages`)).status, 200)
  assert.is((await app.admin.get(`${path}/2`)).status, 200)

  return space
}

test('a sound folder has no problems, before and after upkeep', async () => {
  const space = await busySpace()
  assert.equal(await verify(app.ctx), [])

  for (const full of [false, true]) {
    const done = await collectGarbage(app.ctx, { full })
    assert.equal(
      done.filter(({ failure }) => failure),
      [],
    )
    fsck(repoOf(space))
    assert.equal(await verify(app.ctx), [])
  }
})

test('a flipped byte in an object and a missing object are reported', async () => {
  const space = await newSpace()
  const blob = git(space, 'rev-parse', 'main:README.md')
  const file = join(spaceFolder(app.dataDir, space.id), 'objects', blob.slice(0, 2), blob.slice(2))
  const bytes = readFileSync(file)

  chmodSync(file, 0o600)
  const flipped = Buffer.from(bytes)

  flipped[bytes.length - 3]! ^= 0xff
  writeFileSync(file, flipped)
  await assertProblem(space, new RegExp(`git fsck says: .*${blob}`), /from a backup or a clone/)
  rmSync(file)
  await assertProblem(space, /git fsck says: missing blob/, /from a backup or a clone/)
  writeFileSync(file, bytes)
  assert.equal(await problemsOf(space), [])
})

test('a missing pack and a missing repository are reported', async () => {
  const space = await newSpace()
  await collectGarbage(app.ctx, { full: true })
  const packs = join(spaceFolder(app.dataDir, space.id), 'objects/pack')
  const away = join(app.dataDir, 'away')

  app.ctx.processes.closeRepository(repoOf(space).dir)
  renameSync(packs, away)
  const problems = await problemsOf(space)

  assert.ok(problems.length > 0)
  for (const { remedy } of problems) assert.match(remedy, /from a backup or a clone/)
  rmSync(packs, { recursive: true, force: true })
  renameSync(away, packs)
  app.ctx.processes.closeRepository(repoOf(space).dir)
  assert.ok(readdirSync(packs).length > 0)

  const { dir } = repoOf(space)

  renameSync(dir, away)
  await assertProblem(space, /repository is missing/, /stemma repair --space/)
  renameSync(away, dir)
  appendFileSync(join(dir, 'config'), '[core]\n\thooksPath = /tmp\n')
  await assertProblem(
    space,
    /configuration .* modified outside Stemma\. \(config\)/,
    /changed from outside/,
  )

  truncateSync(
    join(dir, 'config'),
    readFileSync(join(dir, 'config')).length - '[core]\n\thooksPath = /tmp\n'.length,
  )
  assert.equal(await problemsOf(space), [])
})

test('differences between rows and Git are reported, and a reindex repairs them', async () => {
  const space = await busySpace()
  const { store } = app.ctx
  const head = (await readRef(repoOf(space), main))!
  const rows = listRevisions(store, space.id, 100)
  const mend = async () => {
    forgetDerived(app.ctx)
    assert.is(await reindexSpace(app.ctx, space), rows.length)
    assert.equal(await problemsOf(space), [])
    assert.equal(listRevisions(store, space.id, 100), rows)
  }

  // Not the newest revision, which a job adds again.
  const { oid: oldest } = rows.at(-1)!

  store.run(query.deleteFrom('revision').where('space_id', '=', space.id).where('oid', '=', oldest))
  await assertProblem(space, /index .* has a wrong number for/, /stemma reindex --space/)
  await mend()
  store.run(
    query.updateTable('revision_path').set({ status: 'deleted' }).where('space_id', '=', space.id),
  )
  await assertProblem(space, /has other facts of the revision/, /stemma reindex/)
  await mend()

  putMirroredRef(store, space.id, main, rows.at(-1)!.oid)
  putMirroredRef(store, space.id, 'refs/stemma/keep/gone', head)
  await assertProblem(
    space,
    new RegExp(`${main} is ${head} in Git, but ${rows.at(-1)!.oid} in the database`),
    /reindex/,
  )
  await mend()
  assert.is(await readRef(repoOf(space), 'refs/stemma/keep/gone'), head)

  const lost = await commitFiles(
    repoOf(space),
    { 'x.md': 'x' },
    { ref: 'refs/heads/x', parents: [head] },
  )

  await moveRefs(repoOf(space), [{ ref: 'refs/heads/x', from: lost, to: null }])
  const edit = query
    .updateTable('change_request')
    .where('space_id', '=', space.id)
    .where('number', '=', 2)

  store.run(edit.set({ revision_merged_ancestor: lost }))
  await assertProblem(
    space,
    new RegExp(`revision_merged_ancestor refers to the commit ${lost}, which is not reachable`),
    /reindex/,
  )
  await mend()
  assert.is(listMirroredRefs(store, space.id).get(`refs/stemma/keep/${lost}`), lost)
  store.run(edit.set({ revision_merged_ancestor: asOid('f'.repeat(40)) }))
  await assertProblem(space, /ffff, which is not in the repository/, /./)
  store.run(edit.set({ revision_merged_ancestor: null }))
})

test('an outside push is no problem once it is recorded, and a reindex records it', async () => {
  const space = await newSpace()
  const pushed = await commitFiles(repoOf(space), { 'a.md': '# A\n' })
  await assertProblem(space, new RegExp(`${main} is ${pushed} in Git`), /stemma reindex/)
  assert.is(await reindexSpace(app.ctx, space), 2)
  assert.equal(await problemsOf(space), [])
})

test('a page missing from the search index is reported, and a reindex restores it', async () => {
  const space = await busySpace()
  await app.admin.get(`/v1/spaces/${space.id}/search?query=guide`)
  assert.equal(await problemsOf(space), [])
  const { number } = findSearchSpace(app.ctx.store, space.id)!
  const [row] = listSearchPages(app.ctx.store, number, 1, pageRange(number)[0])

  app.ctx.store.run(sqlRows(sql`delete from search_page where id = ${row!.id}`))
  await assertProblem(space, /search index has 0 of 1 pages/, /stemma reindex/)
  await reindexSpace(app.ctx, space)
  assert.equal(await problemsOf(space), [])
})

test('an unfinished operation is reported', async () => {
  const space = await newSpace()
  const row = {
    id: 'left',
    space_id: space.id,
    kind: 'merge',
    user_id: null,
    moves: [],
    effects: [],
    answer: null,
  }

  app.ctx.store.run(
    query.insertInto('operation').values({ ...row, created_at: '2026-01-01T00:00:00.000Z' }),
  )
  const [problem, ...others] = await verify(app.ctx)

  assert.is(problem?.space, space.id)
  assert.match(problem!.what, /write left \(merge\)/)
  assert.match(problem!.remedy, /Restart the server/)
  assert.equal(others, [])
  app.ctx.store.run(query.deleteFrom('operation').where('id', '=', 'left'))
})

test('an unreadable identity note is reported', async () => {
  const space = await newSpace()
  git(space, 'notes', '--ref=stemma/identity', 'add', '-m', 'not a note of ours', 'main')
  await assertProblem(space, /The note on .* invalid lines/, /backup/)
})

test('reindexing a space without its branch fails with an explanation', async () => {
  const space = await newSpace()
  git(space, 'symbolic-ref', 'HEAD', 'refs/heads/nowhere')

  try {
    await reindexSpace(app.ctx, space)
    assert.unreachable()
  } catch (error) {
    assert.instance(error, Fault)
    assert.match((error as Fault).message, /has no refs\/heads\/nowhere/)
  }

  git(space, 'symbolic-ref', 'HEAD', main)
})

test('every column that names a commit is checked', () => {
  const columns = app.ctx.store.all(
    sqlRows<{ table: string; column: string }>(
      sql`select m.name as "table", c.name as "column"
          from (select * from main.sqlite_schema union all select * from derived.sqlite_schema) as m
          join pragma_table_info(m.name) as c
          where m.type = 'table' and c.type = 'TEXT' and (c.name like 'revision%' or c.name in ('oid', 'commit', 'head'))`,
    ),
  )

  const known = new Set([
    ...namingColumns.map(pair => pair.join('.')),
    'ref.oid',
    'blob_facts.oid',
    'blob_links.oid',
    'blob_media.oid',
    // A derived value: when the commit is missing, all pages are compared.
    'search_space.revision',
    'search_page.oid',
    // Facts about commits, which may belong to the space that this one was copied from.
    'service_commit.oid',
    'published_jump.oid',
    // Statistics: the space of a site space may have been another one.
    'page_feedback.revision',
    'page_feedback_reader.revision',
  ])

  assert.equal(
    columns.map(({ table, column }) => `${table}.${column}`).filter(name => !known.has(name)),
    [],
    'add it to src/store/git/named-commits.ts',
  )
})

test.run()
