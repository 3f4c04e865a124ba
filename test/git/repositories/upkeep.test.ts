import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readBlob, readCommit } from '../../../src/git/objects/objects.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import { spawnGit } from '../../../src/git/process/run.ts'
import { moveRefs, readRef } from '../../../src/git/refs/refs.ts'
import { repositoryConfig, upkeepConfig } from '../../../src/git/repositories/repository.ts'
import {
  endKilledUpkeep,
  fsckRepository,
  needsRepack,
  removeStaleLocks,
  repackRepository,
} from '../../../src/git/repositories/upkeep.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import { asOid } from '../../../src/lib/oid.ts'
import { crowdObjects } from '../../support/git/crowd-objects.ts'
import {
  type Bench,
  commitFiles,
  fsck,
  gitOutside,
  main,
  openBench,
} from '../../support/git/repo.ts'
import { skip } from '../../support/skip.ts'

const test = suite<{ bench: Bench; repo: Repository }>('upkeep')
test.before.each(async context => {
  context.bench = await openBench()
  context.repo = await context.bench.create()
})
test.after.each(({ bench }) => bench.remove())

/** Starts a git process in a repository, and waits until it runs: the launcher starts it later. */
async function startGit(dir: string) {
  const git = spawnGit(dir, ['cat-file', '--batch'])
  await once(git, 'spawn')
  return git
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    return isGitError(error) ? error.code : String(error)
  }
  return 'no error'
}

test('a sound repository has no problems, and a broken one is reported', async ({ repo }) => {
  const oid = await commitFiles(repo, { 'a.md': 'a' })
  assert.equal(await fsckRepository(repo), [])
  const { tree } = (await readCommit(repo, oid))!
  unlinkSync(join(repo.dir, 'objects', tree.slice(0, 2), tree.slice(2)))
  const problems = await fsckRepository(repo)
  assert.ok(problems.some(line => line.includes(tree)))
})

test('many loose objects need a repack, also unreachable ones; an aborted repack loses none', async ({
  repo,
}) => {
  const oid = await commitFiles(repo, { 'a.md': 'a' })
  assert.is(await needsRepack(repo), false)
  const blobs = crowdObjects(repo.dir)
  assert.is(await needsRepack(repo), true)
  assert.is(await codeOf(repackRepository(repo, { signal: AbortSignal.abort() })), 'aborted')
  assert.is(readFileSync(join(repo.dir, 'config'), 'utf8'), repositoryConfig)
  assert.is(await needsRepack(repo), true)
  await repackRepository(repo)
  assert.is(await needsRepack(repo), false)
  for (const [blob, text] of blobs) assert.is((await readBlob(repo, asOid(blob)))?.toString(), text)
  assert.ok(await readCommit(repo, oid))
  assert.is(readFileSync(join(repo.dir, 'config'), 'utf8'), repositoryConfig)
  fsck(repo)
})

test('whichever byte of a pack or its index is flipped, the first line names the pack', async ({
  repo,
}) => {
  for (let i = 0; i < 8; i++) await commitFiles(repo, { [`p${i}.md`]: `page ${i}\n`.repeat(9) })
  await repackRepository(repo)
  const folder = join(repo.dir, 'objects/pack')

  for (const name of readdirSync(folder).filter(each => /\.(?:pack|idx)$/.test(each))) {
    const file = join(folder, name)
    const whole = readFileSync(file)
    chmodSync(file, 0o600)

    for (let round = 0; round < 24; round++) {
      const at = Math.round((round / 23) * (whole.length - 1))
      const bytes = Buffer.from(whole)
      bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at)
      writeFileSync(file, bytes)
      const [first = ''] = await fsckRepository(repo)
      assert.match(first, /objects\/pack\/pack-[0-9a-f]{40}\.(?:pack|idx)/, `byte ${at} of ${name}`)
    }

    writeFileSync(file, whole)
  }

  assert.equal(await fsckRepository(repo), [])
})

test('a repack keeps all objects, reachable or not, while others read and write', async ({
  repo,
}) => {
  const lost = asOid(gitOutside(repo.dir, ['hash-object', '-w', '--stdin'], 'in no commit'))
  const heads = []
  for (let i = 0; i < 12; i++) heads.push(await commitFiles(repo, { [`p${i}.md`]: `page ${i}` }))
  await repackRepository(repo)
  const packs = () =>
    readdirSync(join(repo.dir, 'objects/pack')).filter(name => name.endsWith('.pack')).length

  assert.is(packs(), 1)
  heads.push(await commitFiles(repo, { 'late.md': 'late' }))
  await repackRepository(repo)
  assert.is(packs(), 2)
  const [next] = await Promise.all([
    commitFiles(repo, { 'meanwhile.md': 'm' }),
    repackRepository(repo, { full: true }),
  ])

  heads.push(next)
  assert.ok(packs() <= 2)
  assert.is(readFileSync(join(repo.dir, 'config'), 'utf8'), repositoryConfig)
  assert.is((await readBlob(repo, lost))?.toString(), 'in no commit')
  for (const head of heads) assert.ok(await readCommit(repo, head))
  assert.is(await readRef(repo, main), next)
  assert.equal(await fsckRepository(repo), [])
})

test('objects become precious again after killed upkeep, but not during running upkeep', async ({
  repo,
}) => {
  await commitFiles(repo, { 'a.md': 'a' })
  const config = join(repo.dir, 'config')
  const now = () => readFileSync(config, 'utf8')
  const leave = (minutes: number) => {
    writeFileSync(config, upkeepConfig)
    const then = Date.now() / 1000 - minutes * 60
    utimesSync(config, then, then)
  }

  repo.processes.closeRepository(repo.dir)
  assert.not(await endKilledUpkeep(repo))
  leave(0)
  assert.not(await endKilledUpkeep(repo), 'it may be about to start git')
  leave(2)
  const git = await startGit(repo.dir)

  assert.not(await endKilledUpkeep(repo))
  assert.is(now(), upkeepConfig)
  const closed = new Promise(resolve => git.once('close', resolve))

  git.stdin.end()
  await closed
  for (let waited = 0; !(await endKilledUpkeep(repo)) && waited < 1000; waited++)
    await new Promise(resolve => setTimeout(resolve, 20))
  assert.is(now(), repositoryConfig)
})

test('locks and temporary files of killed processes are removed, and nothing else', async ({
  repo,
}) => {
  const oid = await commitFiles(repo, { 'a.md': 'a' })
  await moveRefs(repo, [{ ref: 'refs/heads/change-requests/1', from: null, to: oid }])
  repo.processes.closeRepository(repo.dir)
  await gone(repo.dir)
  assert.equal(await removeStaleLocks(repo), [])
  const left = [
    'HEAD.lock',
    'packed-refs.lock',
    'packed-refs.new',
    'config.lock',
    'gc.pid.lock',
    'refs/heads/main.lock',
    'config.A1b2C3d4.tmp',
    'refs/heads/change-requests/2.lock',
    'objects/pack/tmp_pack_x',
    `objects/${oid.slice(0, 2)}/tmp_obj_x`,
    'objects/pack/multi-pack-index.lock',
  ]

  for (const name of left) writeFileSync(join(repo.dir, name), '')
  mkdirSync(join(repo.dir, 'objects/tmp_objdir-merge-1/aa'), { recursive: true })
  const removed = await removeStaleLocks(repo)

  assert.equal(removed.sort(), [...left, 'objects/tmp_objdir-merge-1'].sort())
  assert.not(existsSync(join(repo.dir, 'objects/tmp_objdir-merge-1')))
  assert.is(await readRef(repo, main), oid)
  fsck(repo)
})

test('a lock that vanishes during the search for locks does no harm', async ({ repo }) => {
  await commitFiles(repo, { 'a.md': 'a' })
  repo.processes.closeRepository(repo.dir)
  await gone(repo.dir)
  // It is listed, but no longer exists when its type is checked.
  symlinkSync('nowhere', join(repo.dir, 'refs/heads/gone.lock'))
  writeFileSync(join(repo.dir, 'refs/heads/main.lock'), '')
  assert.equal(await removeStaleLocks(repo), ['refs/heads/main.lock'])
})

test('locks remain while a git process works in the repository', async ({ repo }) => {
  await commitFiles(repo, { 'a.md': 'a' })
  // This process never ends by itself, however slow the machine is.
  const git = await startGit(repo.dir)
  writeFileSync(join(repo.dir, 'HEAD.lock'), '')
  assert.equal(await removeStaleLocks(repo), [])
  assert.ok(existsSync(join(repo.dir, 'HEAD.lock')))
  git.stdin.end()
})

test('on a running server only locks from before its start are removed, whatever its own processes do', async ({
  repo,
}) => {
  await commitFiles(repo, { 'a.md': 'a' })
  repo.processes.closeRepository(repo.dir)
  await gone(repo.dir)
  const git = await startGit(repo.dir)
  const since = Date.now() - 60_000
  const lock = (name: string, at: number) => {
    writeFileSync(join(repo.dir, name), '')
    utimesSync(join(repo.dir, name), at / 1000, at / 1000)
    return name
  }
  const before = lock('HEAD.lock', since - 1_000)
  const live = lock('refs/heads/main.lock', since + 1_000)

  // Written before the clock was set back.
  const future = lock('packed-refs.lock', Date.now() + 3_600_000)

  assert.equal((await removeStaleLocks(repo, { since })).sort(), [before, future].sort())
  assert.ok(existsSync(join(repo.dir, live)))
  git.stdin.end()
})

test('the finished pack of a killed repack is kept: git may have removed its loose objects', async ({
  repo,
}) => {
  await commitFiles(repo, { 'a.md': 'a' })
  const pack = (pid: number) => {
    const name = join(repo.dir, `objects/pack/.tmp-${pid}-pack`)
    gitOutside(repo.dir, ['pack-objects', '-q', '--all', name])
    const made = readdirSync(join(repo.dir, 'objects/pack')).find(each =>
      each.startsWith(`.tmp-${pid}-`),
    )
    return made!.slice(`.tmp-${pid}-`.length).split('.')[0]!
  }
  const ready = pack(7)
  gitOutside(repo.dir, ['prune-packed'])

  // One pack of a process killed during the renames, and one without an index.
  const folder = join(repo.dir, 'objects/pack')

  renameSync(join(folder, `.tmp-7-${ready}.pack`), join(folder, `${ready}.pack`))
  writeFileSync(join(folder, `.tmp-7-${ready}.bitmap`), 'only faster')
  writeFileSync(join(folder, `.tmp-8-pack-${'1'.repeat(40)}.pack`), 'half')
  repo.processes.closeRepository(repo.dir)
  await gone(repo.dir)
  await removeStaleLocks(repo)
  assert.equal(readdirSync(folder).sort(), [`${ready}.idx`, `${ready}.pack`])
  fsck(repo)
})

test('the cleanup waits for a git process that outlived a killed server', async ({ repo }) => {
  await commitFiles(repo, { 'a.md': 'a' })
  repo.processes.closeRepository(repo.dir)
  await gone(repo.dir)
  const survivor = await startGit(repo.dir)
  setTimeout(() => survivor.stdin.end(), 300)
  writeFileSync(join(repo.dir, 'HEAD.lock'), '')
  assert.equal(await removeStaleLocks(repo), ['HEAD.lock'])
})

/** Waits until no process has the repository in its arguments. */
async function gone(dir: string): Promise<void> {
  const lineOf = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    } catch {
      // It has ended in the meantime.
      return ''
    }
  }

  const lines = () =>
    readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .map(lineOf)

  while (lines().some(line => line.includes(dir)))
    await new Promise(resolve => setTimeout(resolve, 10))
}

test('an unwritable repository reports an error and stays unchanged', async ({ repo }) => {
  if (process.getuid?.() === 0) return skip('root can write to every folder')
  const oid = await commitFiles(repo, { 'a.md': 'a' })
  chmodSync(join(repo.dir, 'objects'), 0o500)
  assert.is.not(await codeOf(commitFiles(repo, { 'b.md': 'b' })), 'no error')
  chmodSync(join(repo.dir, 'objects'), 0o700)
  assert.is(await readRef(repo, main), oid)
})

test.run()
