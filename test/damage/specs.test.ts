import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { repairSpecs } from '../../src/actions/repairing/repair.ts'
import { specBranch, specsRepository } from '../../src/actions/repositories/specs-repository.ts'
import { deleteSpec } from '../../src/actions/specs/delete-spec.ts'
import { findSpecOutline, readPiece } from '../../src/actions/specs/read-spec.ts'
import { backup } from '../../src/actions/upkeep/backup.ts'
import { collectGarbage } from '../../src/actions/upkeep/collect-garbage.ts'
import { forgetDerived } from '../../src/actions/upkeep/reindex.ts'
import { restore } from '../../src/actions/upkeep/restore.ts'
import { verify } from '../../src/actions/upkeep/verify.ts'
import { readConfig } from '../../src/config.ts'
import type { Context } from '../../src/context.ts'
import { readRef } from '../../src/git/refs/refs.ts'
import { openContext } from '../../src/open.ts'
import { findSpec } from '../../src/store/openapi/specs.ts'
import { petstore, processed } from '../api/openapi/host.ts'
import { startApp } from '../support/app.ts'
import { gitOutside } from '../support/git/repo.ts'
import { restart } from '../support/restart.ts'

// The repositories of OpenAPI specs are part of the data folder, like those of spaces.

const app = await startApp()
const folder = mkdtempSync(join(tmpdir(), 'stemma-specs-'))
const file = join(folder, 'backup.tar')
const repo = specsRepository(app.ctx, 'acme')
test.after(async () => {
  await app.stop({ damaged: true })
  rmSync(folder, { recursive: true, force: true })
})

const put = async (slug: string, title: string) => {
  await app.admin.put(`/v1/orgs/acme/openapi/${slug}`, { source: { text: petstore(title) } })
  return processed(app, `/v1/orgs/acme/openapi/${slug}`)
}
const whats = async () =>
  (await verify(app.ctx)).map(({ organization, what }) => `${organization}: ${what}`)
const pieceOf = async (ctx: Context, slug: string) => {
  const found = await findSpecOutline(ctx, 'acme', slug)
  const [operation] = found?.outline.operations ?? []
  return found && operation && readPiece(ctx, found.versionId, operation.key)
}

test('a backup has the specs that the database names, and a restored folder serves them', async () => {
  await put('pets', 'Pets 1')
  const pets = await put('pets', 'Pets 2')
  const gone = await put('gone', 'Gone')
  assert.equal(await verify(app.ctx), [])
  const space = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })

  assert.is(space.status, 201)
  const manifest = await backup(app.ctx, file, {
    program: '1',
    // The database is copied by now: one gets a version more, and one is deleted.
    onSpace: () => {
      const spec = findSpec(app.ctx.store, gone.id)!
      const ref = specBranch(spec)
      gitOutside(repo.dir, ['update-ref', '-d', ref])
      const tree = gitOutside(repo.dir, ['rev-parse', `${pets.lastVersion}^{tree}`])
      const more = gitOutside(repo.dir, ['commit-tree', tree, '-p', pets.lastVersion, '-m', 'More'])
      gitOutside(repo.dir, ['update-ref', specBranch({ slug: 'pets', id: pets.id }), more])
    },
  })

  assert.equal(
    manifest.descriptions?.map(({ organization }) => organization),
    ['acme'],
  )
  const target = join(folder, 'restored')

  mkdirSync(target)
  await restore(file, target)
  assert.equal(readdirSync(target).sort(), ['key', 'spaces', 'specs', 'stemma.db'])
  const ctx = openContext(
    readConfig({ STEMMA_DATA: target, NODE_ENV: 'test' }),
    pino({ level: 'silent' }),
  )

  try {
    await restart(ctx)
    assert.equal(await verify(ctx), [])
    const there = specsRepository(ctx, 'acme')
    assert.is(readRef(there, specBranch({ slug: 'pets', id: pets.id })), pets.lastVersion)
    assert.is(readRef(there, specBranch({ slug: 'gone', id: gone.id })), gone.lastVersion)
    forgetDerived(ctx)
    assert.match((await pieceOf(ctx, 'pets')) ?? '', /List pets/)
  } finally {
    ctx.close()
  }

  // The backup left the repository as it was.
  assert.match(
    (await whats()).join('\n'),
    /pets\.\w+ is [0-9a-f]{40} in Git.*\n.*gone\.\w+ is missing in Git.*\n.* of "gone" is not reachable from any ref\.$/,
  )
  const spec = findSpec(app.ctx.store, gone.id)!

  app.ctx.store.transact(() => deleteSpec(app.ctx, spec, { userId: app.admin.id, origin: null }))
  gitOutside(repo.dir, ['update-ref', specBranch({ slug: 'pets', id: pets.id }), pets.lastVersion])
  assert.equal(await whats(), [])
})

test('upkeep packs specs repositories, and the next start removes leftovers of a killed server', async () => {
  const done = await collectGarbage(app.ctx, { full: true })
  assert.ok(
    done.some(({ organization, failure }) => organization === 'acme' && failure === undefined),
  )
  assert.equal(gitOutside(repo.dir, ['count-objects', '-v']).match(/^count: (\d+)/)?.[1], '0')
  mkdirSync(join(app.dataDir, 'specs', 'nobody.git'))
  mkdirSync(join(app.dataDir, 'specs', 'acme.git.new-abcdefgh'))
  writeFileSync(join(repo.dir, 'packed-refs.lock'), '')
  const found = (await verify(app.ctx)).map(({ what }) => what)

  assert.is(
    found.filter(what => /does not belong to a space or organization/.test(what)).length,
    2,
    `${found}`,
  )
  app.ctx.processes.closeRepository(repo.dir)
  await restart(app.ctx)
  assert.equal(readdirSync(join(app.dataDir, 'specs')), ['acme.git'])
  assert.match(readdirSync(join(app.dataDir, 'lost')).join(), /^nobody\.git-\d+$/)
  assert.not(readdirSync(repo.dir).includes('packed-refs.lock'))
  assert.equal(await whats(), [])
})

test('a damaged or missing specs repository is detected and repaired from a backup', async () => {
  const { id, lastVersion } = (await app.admin.get('/v1/orgs/acme/openapi/pets')).body
  const ref = specBranch({ slug: 'pets', id })
  gitOutside(repo.dir, ['update-ref', '-d', ref])
  assert.match(
    (await whats()).join('\n'),
    /acme: refs\/heads\/pets\..* is missing in Git, but [0-9a-f]{40}/,
  )
  const put = await repairSpecs(app.ctx, 'acme', undefined)

  assert.equal([put.refs, put.problems], [[ref], []])

  const [pack] = readdirSync(join(repo.dir, 'objects/pack')).filter(name => name.endsWith('.pack'))

  rmSync(join(repo.dir, 'objects/pack', pack!))

  // A git that runs already has it open.
  app.ctx.processes.closeRepository(repo.dir)
  const lost = (await whats()).join('\n')

  assert.match(lost, `acme: The version ${lastVersion} of "pets" is not in the repository.`)
  const mended = await repairSpecs(app.ctx, 'acme', file)

  assert.equal(mended.problems, [])
  assert.match((await pieceOf(app.ctx, 'pets')) ?? '', /List pets/)

  app.ctx.processes.closeRepository(repo.dir)
  rmSync(repo.dir, { recursive: true })
  assert.match((await whats()).join('\n'), /acme: Its repository is missing/)
  assert.equal((await repairSpecs(app.ctx, 'acme', file)).problems, [])
  assert.equal(await whats(), [])
})

test.run()
