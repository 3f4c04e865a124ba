import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { applyEffect, type Effect } from '../../../src/actions/journal/effects.ts'
import { specsKey } from '../../../src/actions/repositories/repository-of.ts'
import { specBranch } from '../../../src/actions/repositories/specs-repository.ts'
import { publishVersion, writeSpec } from '../../../src/actions/specs/write-spec.ts'
import { asOid } from '../../../src/lib/oid.ts'
import { insertIntent, listIntents } from '../../../src/store/git/intents.ts'
import { findMirroredRef } from '../../../src/store/git/refs.ts'
import { countSources, insertSource, nextSource } from '../../../src/store/openapi/sources.ts'
import { deleteSpec, findSpec, insertSpec, updateSpec } from '../../../src/store/openapi/specs.ts'
import { findVersion } from '../../../src/store/openapi/versions.ts'
import { petstore } from '../../api/openapi/host.ts'
import { type Folder, openFolder } from '../../support/folder.ts'
import { restart } from '../../support/restart.ts'

let folder: Folder

test.before(async () => {
  folder = await openFolder()
})
test.after(() => folder.close())

const at = '2026-01-01T00:00:00.000Z'

/** Writes a version of a new spec, whose source waits. */
async function written(id: string) {
  const { ctx, adminId } = folder
  const spec = insertSpec(ctx.store, {
    id,
    organization_id: 'acme',
    slug: id.toLowerCase(),
    created_by: adminId,
    created_at: at,
    updated_at: at,
  })
  insertSource(ctx.store, {
    spec_id: id,
    url: null,
    packed: Buffer.from(''),
    created_by: adminId,
    created_at: at,
  })
  const source = nextSource(ctx.store, id)!
  const entry = 'text:///openapi.json'
  const files = [{ address: entry, bytes: Buffer.from(petstore(id)) }]
  const { version, head } = await writeSpec(ctx, spec, { files, entry }, undefined)
  const effect: Effect = {
    do: 'keep-openapi-version',
    specId: id,
    source: source.seq,
    userId: adminId,
    after: null,
    version,
    rows: [{ id: version, spec_id: id, entry: 'openapi.json', created_at: at }],
    errors: [],
    at,
  }
  const move = { ref: specBranch(spec), from: null, to: version }
  const mirrored = () => findMirroredRef(ctx.store, specsKey('acme'), move.ref)
  return { ctx, spec, source, version, head, effect, move, mirrored }
}

test('a version is kept with its branch, its rows and the mirror of the ref', async () => {
  const { ctx, spec, source, version, head, mirrored } = await written('Kept')
  await publishVersion(ctx, spec, { version, head, source, errors: [] })
  assert.is(findSpec(ctx.store, spec.id)?.last_version, version)
  assert.is(findSpec(ctx.store, spec.id)?.state, 'complete')
  assert.is(findVersion(ctx.store, spec.id, version)?.entry, 'openapi.json')
  assert.is(mirrored(), version)
  assert.is(countSources(ctx.store, spec.id), 0)
})

test('nothing is published for a spec or a source that was deleted meanwhile', async () => {
  const { ctx, spec, source, version, head, mirrored } = await written('Gone')
  deleteSpec(ctx.store, spec.id)
  await publishVersion(ctx, spec, { version, head, source, errors: [] })
  assert.is(mirrored(), undefined)
  assert.equal(listIntents(ctx.store), [])
})

test('a start finishes an interrupted version', async () => {
  const { ctx, spec, version, effect, move, mirrored } = await written('Cut')
  const row = { kind: 'keep-openapi-version', user_id: null, answer: null, created_at: at }
  insertIntent(ctx.store, {
    id: 'cut',
    space_id: specsKey('acme'),
    ...row,
    moves: [move],
    effects: [effect],
  })
  await restart(ctx)
  assert.equal(listIntents(ctx.store), [])
  assert.is(mirrored(), version)
  assert.is(findSpec(ctx.store, spec.id)?.last_version, version)
})

test('a late version changes no row of a spec that was deleted, or that has a newer one', async () => {
  const { ctx, spec, version, effect } = await written('Late')
  const newer = asOid('1'.repeat(40))
  updateSpec(ctx.store, spec.id, { last_version: newer })
  ctx.store.transact(() => applyEffect(ctx.store, effect))
  assert.is(findSpec(ctx.store, spec.id)?.last_version, newer)
  assert.is(findVersion(ctx.store, spec.id, version), undefined)
  assert.is(countSources(ctx.store, spec.id), 1, 'its source is read again')
  deleteSpec(ctx.store, spec.id)
  ctx.store.transact(() => applyEffect(ctx.store, effect))
  assert.is(findSpec(ctx.store, spec.id), undefined)
})

test.run()
