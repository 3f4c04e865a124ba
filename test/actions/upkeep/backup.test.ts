import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { keepRef } from '../../../src/actions/repositories/ref-names.ts'
import { spaceFolder, spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { createSpace } from '../../../src/actions/spaces/create-space.ts'
import { backup } from '../../../src/actions/upkeep/backup.ts'
import { restore } from '../../../src/actions/upkeep/restore.ts'
import { verify } from '../../../src/actions/upkeep/verify.ts'
import type { Problem } from '../../../src/actions/upkeep/verify-repository.ts'
import { readConfig } from '../../../src/config.ts'
import { Fault } from '../../../src/errors.ts'
import { readRef } from '../../../src/git/refs/refs.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { openContext } from '../../../src/open.ts'
import { findMirroredRef } from '../../../src/store/git/refs.ts'
import { findUser } from '../../../src/store/people/users.ts'
import { listAllSpaces } from '../../../src/store/spaces/spaces.ts'
import { type App, startApp } from '../../support/app.ts'
import { commitFiles, fsck, gitOutside, main } from '../../support/git/repo.ts'
import { restart } from '../../support/restart.ts'

let app: App
let folder: string

test.before(async () => {
  app = await startApp()
  folder = await mkdtemp(join(tmpdir(), 'stemma-backup-'))
})
test.after(async () => {
  await app.stop({ damaged: true })
  await rm(folder, { recursive: true, force: true })
})

const newSpace = (title: string) =>
  createSpace(app.ctx, { organization_id: 'acme', title }, findUser(app.ctx.store, app.admin.id)!)

/** Commits to a space with plain git, on top of its branch. */
function commit(spaceId: string, text: string, { force = false } = {}): Oid {
  const dir = spaceFolder(app.dataDir, spaceId)
  const from = gitOutside(dir, ['rev-parse', force ? 'main^{tree}' : 'main'])
  const blob = gitOutside(dir, ['hash-object', '-w', '--stdin'], text)
  const tree = gitOutside(dir, ['mktree'], `100644 blob ${blob}\tREADME.md\n`)
  const parents = force ? [] : ['-p', from]
  const made = gitOutside(dir, ['commit-tree', tree, ...parents, '-m', text])
  gitOutside(dir, ['update-ref', main, made])
  return made as Oid
}

const open = (dataDir: string) =>
  openContext(readConfig({ STEMMA_DATA: dataDir, NODE_ENV: 'test' }), pino({ level: 'silent' }))

/**
 * The problems that `verify` finds, without the one about the branch that this test leaves on
 * purpose.
 */
const verifyBut = async (ctx: Parameters<typeof verify>[0]) =>
  (await verify(ctx)).filter(({ what }) => !what.startsWith('The branch wip is neither'))

async function faultOf(work: Promise<unknown>): Promise<Fault> {
  try {
    await work
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  throw new Error('The work did not fail.')
}

test('a backup of a served folder restores completely, with refs that match the database', async () => {
  const [a, b] = [await newSpace('A'), await newSpace('B')]
  const request = await app.admin.post(`/v1/spaces/${a.id}/change-requests`, { subject: 'One' })
  assert.is(request.status, 201, request.text)
  gitOutside(spaceFolder(app.dataDir, b.id), ['branch', 'wip', 'main'])
  const before = await readRef(spaceRepository(app.ctx, b.id), main)
  const file = join(folder, 'a.tar')
  let moved: Oid | undefined
  const manifest = await backup(app.ctx, file, {
    program: '1.2.3',
    // The database is copied by now. New commits and a rewritten history follow.
    onSpace: space => {
      if (space.id === b.id) moved = commit(b.id, 'later', { force: true })
    },
  })

  assert.is(statSync(file).mode & 0o777, 0o600)
  assert.equal(readdirSync(folder), ['a.tar'])
  assert.is(manifest.program, '1.2.3')
  assert.is(manifest.counts.space, 2)
  assert.is(manifest.counts.change_request, 1)
  assert.equal(
    manifest.spaces.map(space => space.title),
    ['A', 'B'],
  )
  assert.is(manifest.spaces[0]?.refs['refs/heads/change-requests/1'], request.body.revision)
  assert.is(manifest.spaces[1]?.refs[main], moved)

  const target = join(folder, 'restored')

  await mkdir(target)
  await restore(file, target)
  assert.equal(readdirSync(target).sort(), ['key', 'spaces', 'stemma.db'])
  assert.equal(readFileSync(join(target, 'key')), readFileSync(join(app.dataDir, 'key')))
  const ctx = open(target)

  try {
    const repo = spaceRepository(ctx, b.id)
    assert.is(await readRef(repo, main), before)
    assert.is(await readRef(repo, keepRef(moved!)), moved)
    assert.is(await readRef(repo, 'refs/heads/wip'), before)
    fsck(repo)
    await restart(ctx)
    assert.equal(await verifyBut(ctx), [])
    assert.equal(
      listAllSpaces(ctx.store).map(space => space.title),
      ['A', 'B'],
    )
    assert.ok(findUser(ctx.store, app.admin.id))
  } finally {
    ctx.close()
  }
})

test('a backup taken during writes is consistent and holds everything written before it', async () => {
  const space = await newSpace('Busy')
  const path = `/v1/spaces/${space.id}/change-requests`
  const repo = spaceRepository(app.ctx, space.id)
  let [stop, merged] = [false, 0]
  const write = async () => {
    while (!stop) {
      const { number } = (await app.admin.post(path, { subject: 'More' })).body
      await commitFiles(
        repo,
        { [`${number}.md`]: `# ${number}\n` },
        { ref: `refs/heads/change-requests/${number}` },
      )
      assert.is((await app.admin.post(`${path}/${number}/merge`)).body.result, 'merge')
      merged++
    }
  }
  const writing = write()

  // A failure of the writes is thrown where they are awaited, and a failure below does not leave
  // them running.
  writing.catch(() => {
    stop = true
  })
  const file = join(folder, 'busy.tar')
  let before: Oid
  let problems: Problem[]

  try {
    while (merged < 2 && !stop) await new Promise(resolve => setTimeout(resolve, 10))
    before = (await readRef(repo, main))!
    problems = await verify(app.ctx)
    await backup(app.ctx, file, { program: '1' })
  } finally {
    stop = true
    await writing
  }

  assert.equal(
    problems.filter(problem => problem.space === space.id),
    [],
  )

  const target = join(folder, 'restored-busy')

  await mkdir(target)
  await restore(file, target)
  const ctx = open(target)

  try {
    await restart(ctx)
    assert.equal(await verifyBut(ctx), [])
    const { dir } = spaceRepository(ctx, space.id)
    assert.is(gitOutside(dir, ['merge-base', before, 'main']), before)
  } finally {
    ctx.close()
  }
})

test('a backup has the commits that its database names, also when their branch is gone', async () => {
  const space = await newSpace('Dropped')
  const path = `/v1/spaces/${space.id}/change-requests`
  const { number } = (await app.admin.post(path, { subject: 'Draft' })).body
  const changes = [
    { operation: 'insert_page', title: 'Draft', document: { markdown: '# Draft\n' } },
  ]
  const edited = await app.admin.post(`${path}/${number}/content`, { changes })

  assert.is(edited.status, 200, edited.text)
  const repo = spaceRepository(app.ctx, space.id)
  const ref = `refs/heads/change-requests/${number}`
  const draft = (await readRef(repo, ref))!
  const file = join(folder, 'dropped.tar')

  await backup(app.ctx, file, {
    program: '1',
    onSpace: ({ id }) => {
      if (id === space.id) gitOutside(repo.dir, ['update-ref', '-d', ref])
    },
  })

  assert.is(
    gitOutside(repo.dir, ['for-each-ref', '--contains', draft]),
    '',
    'a backup writes no refs',
  )

  const target = join(folder, 'restored-dropped')

  await mkdir(target)
  await restore(file, target)
  const ctx = open(target)

  try {
    assert.is(await readRef(spaceRepository(ctx, space.id), ref), draft)
    await restart(ctx)
    assert.equal(await verifyBut(ctx), [])
  } finally {
    ctx.close()
  }
})

test('refs that a restored space has beyond the database do not block new change requests', async () => {
  const space = await newSpace('C')
  const file = join(folder, 'c.tar')
  await backup(app.ctx, file, {
    program: '1',
    onSpace: ({ id }) => {
      if (id !== space.id) return
      const dir = spaceFolder(app.dataDir, id)
      gitOutside(dir, ['update-ref', 'refs/heads/change-requests/1', 'main'])
    },
  })
  const target = join(folder, 'restored-c')

  await mkdir(target)
  await restore(file, target)
  const ctx = open(target)

  try {
    const repo = spaceRepository(ctx, space.id)
    assert.is(await readRef(repo, 'refs/heads/change-requests/1'), undefined)
    assert.is(await readRef(repo, main), findMirroredRef(ctx.store, space.id, main))
  } finally {
    ctx.close()
    gitOutside(spaceFolder(app.dataDir, space.id), [
      'update-ref',
      '-d',
      'refs/heads/change-requests/1',
    ])
  }
})

test('an incomplete or foreign backup file is refused, and the folder stays empty', async () => {
  const file = join(folder, 'whole.tar')
  await backup(app.ctx, file, { program: '1' })
  assert.match((await faultOf(backup(app.ctx, file, { program: '1' }))).message, /exists/)
  const bytes = readFileSync(file)
  const target = join(folder, 'empty')

  await mkdir(target)
  const flipped = Buffer.from(bytes)

  flipped[Math.floor(bytes.length / 2)]! ^= 0xff
  const cut = bytes.subarray(0, Math.floor(bytes.length / 1024) * 512)
  const headless = bytes.subarray(0, bytes.lastIndexOf('manifest.json'))
  const cases: [Uint8Array, RegExp][] = [
    [flipped, /not as it was written|not a complete Stemma backup/],
    [cut, /not a complete Stemma backup/],
    [headless, /its end is missing/],
    [Buffer.from('nothing of the kind'), /broken\.tar is not a Stemma backup\.$/],
    [Buffer.alloc(0), /is not a Stemma backup/],
  ]

  for (const [content, sentence] of cases) {
    const broken = join(folder, 'broken.tar')
    writeFileSync(broken, content)
    assert.match((await faultOf(restore(broken, target))).message, sentence)
    assert.equal(readdirSync(target), [])
  }
})

test('a space that cannot be copied is named, and no backup file is written', async () => {
  const space = await newSpace('Broken')
  const dir = spaceFolder(app.dataDir, space.id)
  await rm(join(dir, 'objects'), { recursive: true })
  await mkdir(join(dir, 'objects'))
  app.ctx.processes.closeRepository(dir)
  const names = readdirSync(folder)
  const fault = await faultOf(backup(app.ctx, join(folder, 'no.tar'), { program: '1' }))

  assert.match(fault.message, new RegExp(`${space.id} \\("Broken"\\).*stemma verify`))
  assert.equal(readdirSync(folder), names)
})

test.run()
