import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { editContent } from '../src/actions/edit/edit-content.ts'
import { spaceRepository } from '../src/actions/repositories/space-repository.ts'
import { createSpace } from '../src/actions/spaces/create-space.ts'
import { Caches, cacheSlot, stateSlot } from '../src/caches.ts'
import { readConfig } from '../src/config.ts'
import { readRef } from '../src/git/refs/refs.ts'
import { openContext } from '../src/open.ts'
import { findUser } from '../src/store/people/users.ts'
import { openFolder } from './support/folder.ts'
import { main } from './support/git/repo.ts'

test('the caches together stay within the budget', () => {
  const caches = new Caches(192_000)
  const names = [
    'views',
    'readers',
    'siteViews',
    'settings',
    'readerSections',
    'vocabulary',
    'wordForms',
    'facts',
    'links',
    'linkFacts',
    'computed',
    'outlines',
    'revisionReplies',
    'replies',
    'pages',
    'missingPages',
    'manual',
    'ancestry',
    'mergeBases',
    'commitCounts',
    'blockCounts',
    'mergeConflicts',
    'findings',
    'revisions',
    'reachable',
    'shown',
  ] as const

  assert.is(
    names.reduce((sum, name) => sum + caches.bytes(name), 0),
    192_000,
  )
  const slot = cacheSlot<string>('views')

  assert.is(caches.get(slot).limit, 27_000)
  assert.is(caches.get(slot), caches.get(slot))
})

test('clearing empties caches and keeps state', () => {
  const caches = new Caches(1_000_000)
  const cache = cacheSlot<string>('facts')
  const state = stateSlot(() => new Map([['a', 1]]))
  caches.get(cache).set('a', 'x', 1)
  caches.get(state).set('b', 2)
  caches.clear()
  assert.is(caches.get(cache).get('a'), undefined)
  assert.is(caches.get(state).size, 2)
})

test('two data folders in one process with the same space do not share edits or views', async () => {
  const folder = await openFolder()
  const copyDir = await mkdtemp(join(tmpdir(), 'stemma-test-'))
  const by = findUser(folder.ctx.store, folder.adminId)!
  const space = await createSpace(folder.ctx, { organization_id: 'acme', title: 'Space' }, by)

  folder.ctx.store.checkpoint()
  await cp(folder.ctx.config.dataDir, copyDir, { recursive: true })
  const copy = openContext(
    readConfig({ STEMMA_DATA: copyDir, NODE_ENV: 'test' }),
    pino({ level: 'silent' }),
  )

  try {
    const edit = (ctx: typeof copy, title: string) =>
      editContent(ctx, {
        space,
        by,
        changes: [{ operation: 'insert_page', title, document: { markdown: `${title}.\n` } }],
        present: async edited => edited.revision,
      })
    const [here, there] = await Promise.all([edit(folder.ctx, 'Here'), edit(copy, 'There')])
    assert.is.not(here, there)
    assert.is(await readRef(spaceRepository(folder.ctx, space.id), main), here)
    assert.is(await readRef(spaceRepository(copy, space.id), main), there)
    assert.is(folder.ctx.caches === copy.caches, false)
  } finally {
    copy.close()
    await rm(copyDir, { recursive: true, force: true })
    await folder.close()
  }
})

test.run()
