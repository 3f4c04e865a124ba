import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { recordPushes } from '../../../src/actions/heads/primary-head.ts'
import { spaceFolder } from '../../../src/actions/repositories/space-repository.ts'
import { noBranch, specsRepository } from '../../../src/actions/repositories/specs-repository.ts'
import { createSpace, newSpaceId } from '../../../src/actions/spaces/create-space.ts'
import { deleteSpace, restoreSpace } from '../../../src/actions/spaces/delete-space.ts'
import { collectGarbage } from '../../../src/actions/upkeep/collect-garbage.ts'
import { openAll } from '../../../src/actions/upkeep/open-all.ts'
import { recover } from '../../../src/actions/upkeep/recover.ts'
import { reindexSpace } from '../../../src/actions/upkeep/reindex.ts'
import { verify } from '../../../src/actions/upkeep/verify.ts'
import { readConfig } from '../../../src/config.ts'
import type { Context } from '../../../src/context.ts'
import { createRepository } from '../../../src/git/repositories/repository.ts'
import { GitError } from '../../../src/git/values/errors.ts'
import { indexSearch } from '../../../src/jobs/index-search.ts'
import { purgeSpace } from '../../../src/jobs/purge-space.ts'
import { tidy } from '../../../src/jobs/tidy.ts'
import { writeLastSeen } from '../../../src/lib/last-seen.ts'
import { asOid } from '../../../src/lib/oid.ts'
import { lastSeenFile, openContext } from '../../../src/open.ts'
import { insertContentPurge } from '../../../src/store/git/content-purges.ts'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { findUser, insertUser } from '../../../src/store/people/users.ts'
import {
  deleteSpace as deleteRow,
  findSpace,
  listAllSpaces,
} from '../../../src/store/spaces/spaces.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles, gitOutside } from '../../support/git/repo.ts'

const day = 86_400_000
const at = '2026-01-01T00:00:00.000Z'
const by = { userId: 'ada', origin: null }
const signal = new AbortController().signal
const top = mkdtempSync(join(tmpdir(), 'stemma-stale-'))
test.after(() => rmSync(top, { recursive: true, force: true }))

type Open = ReturnType<typeof openContext>

/** Opens a folder with a clock that is trusted. */
function open(dataDir: string): Open {
  const config = readConfig({ STEMMA_DATA: dataDir, NODE_ENV: 'test' })
  writeLastSeen(lastSeenFile(config), new Date())
  return openContext(config, pino({ level: 'silent' }))
}

const daysAgo = (ctx: Context, days: number): Context => ({
  ...ctx,
  now: () => new Date(Date.now() - days * day),
})

const key = { userId: 'ada', key: 'later', requestHash: 'h' }
/** The ids of the spaces in the folder. */
const ids = { kept: '', restored: '', later: newSpaceId(key) }
/** A folder whose rows are an older copy, and one that lost the rows of its spaces. */
const folders = { 'an older copy': join(top, 'older'), 'lost rows': join(top, 'lost-rows') }

test.before(async () => {
  const dataDir = join(top, 'data')
  mkdirSync(dataDir)
  const ctx = open(dataDir)
  for (const id of ['acme', 'beta']) {
    if (id === 'acme') insertOrganization(ctx.store, { id, title: id, created_at: at })
  }
  insertUser(ctx.store, { id: 'ada', display_name: 'Ada', email: null, created_at: at })
  putMember(ctx.store, 'acme', 'ada', 'admin', at)
  const admin = { ctx, admin: { id: 'ada' } }
  const [kept, restored] = [await makeSpace(admin, { 'a.md': '# A\n' }), await makeSpace(admin)]

  Object.assign(ids, { kept: kept.space.id, restored: restored.space.id })
  deleteSpace(daysAgo(ctx, 8), restored.space, by)
  const older = join(top, 'older.db')

  await ctx.store.backup(older)

  // What the copy does not know.
  restoreSpace(daysAgo(ctx, 6), findSpace(ctx.store, restored.space.id)!, by)

  for (const { repo, space } of [kept, restored]) {
    await commitFiles(repo, { 'b.md': '# B\n' })
    await recordPushes(ctx, space)
    ctx.processes.closeRepository(repo.dir)
  }

  const user = findUser(ctx.store, 'ada')!

  await createSpace(ctx, { organization_id: 'acme', title: 'Later' }, user, key)
  insertOrganization(ctx.store, { id: 'beta', title: 'beta', created_at: at })
  const { dir } = specsRepository(ctx, 'beta')
  const specs = await createRepository(ctx.processes, dir, { defaultBranch: noBranch })
  await commitFiles(specs, { 'openapi.yaml': 'openapi: 3.1.0\n' })
  ctx.store.checkpoint()
  for (const folder of Object.values(folders)) copy(dataDir, folder)
  ctx.close()
  for (const name of ['stemma.db', 'stemma.db-wal', 'stemma.db-shm'])
    rmSync(join(folders['an older copy'], name), { force: true })
  cpSync(older, join(folders['an older copy'], 'stemma.db'))
  const lost = open(folders['lost rows'])

  for (const { id } of listAllSpaces(lost.store))
    lost.store.transact(() => deleteRow(lost.store, id))
  lost.close()
})

const copy = (from: string, to: string): void =>
  cpSync(from, to, {
    recursive: true,
    preserveTimestamps: true,
    filter: path => !/lock\.(?:db|txt)/.test(path),
  })

/** Returns the objects in all repositories of a folder, by the id of the space or organization. */
function objectsIn(dataDir: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  const shelves = [
    'specs',
    'lost',
    ...readdirSync(join(dataDir, 'spaces')).map(name => join('spaces', name)),
  ]

  for (const shelf of shelves.map(name => join(dataDir, name)).filter(existsSync))
    for (const name of readdirSync(shelf)) {
      const id = basename(name).replace(/\.git.*$/, '')
      const lines = gitOutside(join(shelf, name), [
        'cat-file',
        '--batch-all-objects',
        '--batch-check',
      ])
      found.set(id, new Set([...(found.get(id) ?? []), ...lines.split('\n').filter(Boolean)]))
    }

  return found
}

/** Every step that cleans up, removes or packs something. */
const steps: Record<string, (ctx: Context) => Promise<unknown>> = {
  'a start': async ctx => {
    await recover(ctx)
    await openAll(ctx)
  },
  'a start with a purge of content in the journal': async ctx => {
    const [space] = listAllSpaces(ctx.store)
    const main = 'refs/heads/main'
    const moves = [{ ref: main, from: asOid('1'.repeat(40)), to: asOid('2'.repeat(40)) }]
    const row = { space_id: space?.id ?? '', blobs: [], moves, created_at: at }
    if (space) insertContentPurge(ctx.store, row, new Map())
    await recover(ctx)
    await openAll(ctx)
  },
  'the job of each night': ctx => tidy(ctx, {}, { signal, attempt: 1 }),
  'the purge of deleted spaces': async ctx => {
    for (const spaceId of Object.values(ids))
      await purgeSpace(ctx, { spaceId }, { signal, attempt: 1 })
  },
  'the search index': async ctx => {
    for (const spaceId of Object.values(ids))
      await indexSearch(ctx, { spaceId }, { signal, attempt: 1 })
  },
  'stemma gc --full': ctx => collectGarbage(ctx, { full: true }),
  'stemma verify': ctx => verify(ctx),
  'stemma reindex': async ctx => {
    for (const space of listAllSpaces(ctx.store)) await reindexSpace(ctx, space)
  },
  'a request that created a space, sent again': async ctx => {
    const order = { organization_id: 'acme', title: 'Later' }
    await createSpace(ctx, order, findUser(ctx.store, 'ada')!, key)
  },
  'a space that cannot be created': async ctx => {
    const broken = { ...ctx, store: Object.create(ctx.store) as typeof ctx.store }
    broken.store.transact = () => {
      throw new GitError('no_space', 'The disk is full.')
    }
    const order = { organization_id: 'acme', title: 'Later' }
    await createSpace(broken, order, findUser(ctx.store, 'ada')!, key).catch(() => {})
  },
}

for (const [rows, folder] of Object.entries(folders))
  for (const [step, run] of Object.entries(steps))
    for (const started of [false, true])
      test(`with ${rows}, ${step} ${started ? 'on a running server ' : ''}deletes nothing of Git`, async () => {
        const dataDir = join(top, 'at-work')
        rmSync(dataDir, { recursive: true, force: true })
        copy(folder, dataDir)
        const before = objectsIn(dataDir)

        assert.ok(before.get(ids.restored)?.size)
        const ctx = open(dataDir)

        try {
          if (started) await recover(ctx)
          await run(ctx)
        } finally {
          ctx.close()
        }

        const after = objectsIn(dataDir)

        for (const [id, objects] of before)
          for (const object of objects)
            assert.ok(after.get(id)?.has(object), `${id} lost ${object}`)
        assert.ok(existsSync(spaceFolder(dataDir, ids.kept)) || existsSync(join(dataDir, 'lost')))
      })

test('the purge of a space that stayed deleted removes its repository', async () => {
  const dataDir = join(top, 'purge')
  copy(folders['an older copy'], dataDir)
  const ctx = open(dataDir)

  try {
    deleteSpace(daysAgo(ctx, 8), findSpace(ctx.store, ids.kept)!, by)
    await purgeSpace(ctx, { spaceId: ids.kept }, { signal, attempt: 1 })
    assert.not(existsSync(spaceFolder(dataDir, ids.kept)))
    assert.not(existsSync(join(dataDir, 'lost')))
    assert.is(findSpace(ctx.store, ids.kept), undefined)
  } finally {
    ctx.close()
  }
})

test.run()
