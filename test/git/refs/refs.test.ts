import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Repository } from '../../../src/git/process/processes.ts'
import {
  checkRefName,
  listRefs,
  moveRefs,
  type RefMove,
  readRef,
} from '../../../src/git/refs/refs.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import { asOid, type Oid } from '../../../src/lib/oid.ts'
import {
  type Bench,
  commitFiles,
  fsck,
  gitOutside,
  main,
  openBench,
} from '../../support/git/repo.ts'

const test = suite<{ bench: Bench; repo: Repository }>('refs')
test.before.each(async context => {
  context.bench = await openBench()
  context.repo = await context.bench.create()
})
test.after.each(({ bench }) => bench.remove())

async function refusal(repo: Repository, moves: RefMove[]): Promise<[string, unknown]> {
  try {
    await moveRefs(repo, moves)
  } catch (error) {
    if (isGitError(error)) return [error.code, error.detail.ref]
    throw error
  }
  return ['moved', undefined]
}

async function twoCommits(repo: Repository) {
  const first = await commitFiles(repo, { 'a.md': 'a' })
  const second = await commitFiles(repo, { 'a.md': 'b' })
  return { first, second }
}

test('refs are created, moved and deleted, and read from wherever they are stored', async ({
  repo,
}) => {
  const { first, second } = await twoCommits(repo)
  const draft = 'refs/heads/change-requests/1'
  await moveRefs(repo, [{ ref: draft, from: null, to: first }])
  assert.is(await readRef(repo, draft), first)
  gitOutside(repo.dir, ['pack-refs', '--all'])
  assert.is(await readRef(repo, draft), first)
  await moveRefs(repo, [{ ref: draft, from: first, to: second }])
  assert.is(await readRef(repo, draft), second)
  assert.equal(
    [...(await listRefs(repo, 'refs/heads/'))],
    [
      [draft, second],
      [main, second],
    ],
  )
  await moveRefs(repo, [{ ref: draft, from: second, to: null }])
  assert.is(await readRef(repo, draft), undefined)
  assert.is(await readRef(repo, main), second)
  fsck(repo)
})

test('a ref with an unexpected value stays, and so do those of the same move', async ({ repo }) => {
  const { first, second } = await twoCommits(repo)
  const other = 'refs/stemma/keep/1'
  const moved = (move: RefMove) => refusal(repo, [{ ref: other, from: null, to: first }, move])
  assert.equal(await moved({ ref: main, from: first, to: second }), ['ref_moved', main])
  assert.equal(await moved({ ref: main, from: null, to: second }), ['ref_moved', main])
  assert.equal(await moved({ ref: 'refs/heads/gone', from: first, to: second }), [
    'ref_moved',
    'refs/heads/gone',
  ])

  assert.equal(await moved({ ref: 'refs/heads/gone', from: first, to: null }), [
    'ref_moved',
    'refs/heads/gone',
  ])
  assert.equal(await moved({ ref: main, from: null, to: null }), ['ref_moved', main])
  assert.equal(await moved({ ref: main, from: first, to: first }), ['ref_moved', main])
  assert.is(await readRef(repo, other), undefined)
  assert.is(await readRef(repo, main), second)
  assert.equal(await moved({ ref: main, from: second, to: second }), ['moved', undefined])
})

test('names that conflict with each other are reported', async ({ repo }) => {
  const { first } = await twoCommits(repo)
  await moveRefs(repo, [{ ref: 'refs/heads/x', from: null, to: first }])
  const under = await refusal(repo, [{ ref: 'refs/heads/x/y', from: null, to: first }])
  assert.is(under[0], 'ref_conflict')
  await moveRefs(repo, [{ ref: 'refs/heads/d/e', from: null, to: first }])
  assert.is(
    (await refusal(repo, [{ ref: 'refs/heads/d', from: null, to: first }]))[0],
    'ref_conflict',
  )
  const both = ['refs/heads/n', 'refs/heads/n/m'].map(ref => ({ ref, from: null, to: first }))

  assert.is((await refusal(repo, both))[0], 'ref_conflict')
  const twice = [0, 1].map(() => ({ ref: 'refs/heads/t', from: null, to: first }))

  assert.is((await refusal(repo, twice))[0], 'ref_conflict')
})

test('a missing object, or one that is not a commit, cannot become a branch', async ({ repo }) => {
  await twoCommits(repo)
  const nothing = asOid('1'.repeat(40))
  assert.is(
    (await refusal(repo, [{ ref: 'refs/heads/x', from: null, to: nothing }]))[0],
    'not_found',
  )
  const blob = asOid(gitOutside(repo.dir, ['rev-parse', 'main:a.md']))
  assert.is((await refusal(repo, [{ ref: 'refs/heads/x', from: null, to: blob }]))[0], 'not_found')
})

test('a lock held by another process is reported', async ({ repo }) => {
  const { first, second } = await twoCommits(repo)
  writeFileSync(join(repo.dir, `${main}.lock`), '')
  assert.equal(await refusal(repo, [{ ref: main, from: second, to: first }]), ['ref_locked', main])
})

test('a lock older than an hour is removed', async ({ repo }) => {
  const { first, second } = await twoCommits(repo)
  const lock = join(repo.dir, `${main}.lock`)
  writeFileSync(lock, '')
  const since = (minutes: number) =>
    utimesSync(lock, new Date(), new Date(Date.now() - minutes * 60_000))

  since(55)
  assert.equal(await refusal(repo, [{ ref: main, from: second, to: first }]), ['ref_locked', main])
  since(65)
  await moveRefs(repo, [{ ref: main, from: second, to: first }])
  assert.is(await readRef(repo, main), first)
})

test('a killed process leaves no lock', async ({ repo }) => {
  const { first, second } = await twoCommits(repo)
  const other = join(repo.dir, 'refs/heads/other.lock')
  writeFileSync(other, '')
  const moves = [
    { ref: main, from: second, to: first },
    { ref: 'refs/heads/other', from: null, to: first },
  ]

  // It holds the first lock and waits for the second.
  const outcome = refusal(repo, moves)
  const lock = join(repo.dir, `${main}.lock`)

  while (!existsSync(lock) || readFileSync(lock, 'utf8') === '')
    await new Promise(resolve => setTimeout(resolve, 5))

  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    const line = readCommand(pid)
    if (line.includes(repo.dir) && line.includes('update-ref')) process.kill(Number(pid), 'SIGKILL')
  }

  assert.equal(await outcome, ['failed', undefined])
  assert.ok(existsSync(other), 'what others hold stays')
  rmSync(other)
  await moveRefs(repo, moves)
  assert.is(await readRef(repo, main), first)
})

function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

test('invalid ref names never reach git', async ({ repo }) => {
  const bad = [
    'main',
    'HEAD',
    'refs/heads',
    'refs/heads/',
    'refs/heads//x',
    'refs/heads/a..b',
    'refs/heads/.a',
    'refs/heads/a.lock',
    'refs/heads/a b',
    'refs/heads/@{u}',
    'refs/heads/x^',
    'refs/heads/x\n',
    'refs/heads/x\0',
    'refs/heads/x.',
    '../config',
    'refs/heads/../../config',
    `refs/heads/${'x'.repeat(2000)}`,
    'refs/heads/a:b',
    'refs/heads/a\\b',
    'refs/heads/a*',
  ]

  for (const ref of bad) {
    assert.throws(
      () => checkRefName(ref),
      (error: unknown) => isGitError(error, 'ref_invalid'),
      ref,
    )
    assert.is((await refusal(repo, [{ ref, from: null, to: null }]))[0], 'ref_invalid')
  }

  for (const ref of ['refs/heads/main', 'refs/heads/ü/x', 'refs/stemma/keep/1']) checkRefName(ref)
})

test('a branch with a look-alike name, created externally, is not mistaken for ours', async ({
  repo,
}) => {
  const { first } = await twoCommits(repo)
  gitOutside(repo.dir, ['update-ref', 'refs/heads/refs/heads/draft', first])
  assert.is(await readRef(repo, 'refs/heads/draft'), undefined)
})

test('the empty folder of a deleted branch is not a branch and does not block new ones', async ({
  repo,
}) => {
  const { first } = await twoCommits(repo)
  mkdirSync(join(repo.dir, 'refs/heads/empty/below'), { recursive: true })
  assert.is(await readRef(repo, 'refs/heads/empty'), undefined)
  await moveRefs(repo, [{ ref: 'refs/heads/empty', from: null, to: first }])
  assert.is(await readRef(repo, 'refs/heads/empty'), first)
})

test('of many concurrent moves of one ref, one wins and none is lost', async ({ repo }) => {
  const { first, second } = await twoCommits(repo)
  const tries = Array.from({ length: 10 }, () =>
    refusal(repo, [{ ref: main, from: second, to: first }]),
  )
  const codes = (await Promise.all(tries)).map(([code]) => code)
  assert.is(codes.filter(code => code === 'moved').length, 1)
  assert.is(codes.filter(code => code === 'ref_moved').length, 9)
  assert.equal(readdirSync(join(repo.dir, 'refs/heads')), ['main'])
})

/**
 * Moves and packs a ref externally after our ref transaction has read it, until packed-refs may
 * have the inode and the second of the file that was read: Git considers such a file unchanged.
 */
async function packAlike(
  repo: Repository,
  ref: string,
  { from, to }: { from: Oid; to: Oid },
): Promise<void> {
  const pack = (oid: Oid) => {
    gitOutside(repo.dir, ['update-ref', ref, oid])
    gitOutside(repo.dir, ['pack-refs', '--all'])
    return statSync(join(repo.dir, 'packed-refs')).ino
  }

  // The system reuses the lowest free inode number, so it repeats after a few.
  for (let times = 0; times < 3; times++) pack(from)
  await new Promise(resolve => setTimeout(resolve, 1000 - (Date.now() % 1000)))
  const read = pack(from)

  await moveRefs(repo, [{ ref, from, to: from }])
  for (let times = 0; times < 6; times++) if (pack(to) === read) return
}

test('a branch that is packed twice within a second has its latest value', async ({ repo }) => {
  const { first, second } = await twoCommits(repo)
  const third = await commitFiles(repo, { 'a.md': 'c' })
  await packAlike(repo, main, { from: first, to: third })
  assert.equal(await refusal(repo, [{ ref: main, from: first, to: second }]), ['ref_moved', main])
  await packAlike(repo, main, { from: first, to: third })
  assert.equal(await refusal(repo, [{ ref: main, from: third, to: second }]), ['moved', undefined])
})

test('packed-refs rewritten within one tick of the clock is read again', async ({ repo }) => {
  const { first, second } = await twoCommits(repo)
  gitOutside(repo.dir, ['pack-refs', '--all'])
  const file = join(repo.dir, 'packed-refs')
  const text = readFileSync(file, 'latin1')

  for (let i = 0; i < 200; i++) {
    const value = i % 2 === 0 ? first : second
    // Twice, so that the inode of the file that was read is free again.
    for (let times = 0; times < 2; times++) {
      writeFileSync(`${file}.new`, text.replace(second, value), 'latin1')
      renameSync(`${file}.new`, file)
    }
    assert.is(readRef(repo, main), value)
  }
})

test.run()
