import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCommit } from '../../../src/git/objects/objects.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import { defaultBranch, setDefaultBranch } from '../../../src/git/refs/default-branch.ts'
import { moveRefs, readRef } from '../../../src/git/refs/refs.ts'
import {
  checkRepositoryConfig,
  copyRepository,
  createRepository,
  restoreConfig,
} from '../../../src/git/repositories/repository.ts'
import { findEntry, listFiles } from '../../../src/git/trees/tree-files.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import { asOid, type Oid } from '../../../src/lib/oid.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import {
  type Bench,
  commitFiles,
  fsck,
  gitOutside,
  main,
  openBench,
} from '../../support/git/repo.ts'

const test = suite<{ bench: Bench; repo: Repository }>('repository')
test.before.each(async context => {
  context.bench = await openBench()
  context.repo = await context.bench.create()
})
test.after.each(({ bench }) => bench.remove())

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    return isGitError(error) ? error.code : String(error)
  }
  return 'no error'
}

test('Git accepts a new repository and keeps its objects', async ({ bench, repo }) => {
  assert.is(gitOutside(repo.dir, ['rev-parse', '--is-bare-repository']), 'true')
  assert.is(await defaultBranch(repo), main)
  await commitFiles(repo, { 'a.md': 'a' })
  assert.throws(() => gitOutside(repo.dir, ['prune', '--expire=now']))
  fsck(repo)
  const clone = join(bench.folder, 'clone')

  gitOutside(bench.folder, ['clone', '-q', repo.dir, clone])
  assert.is(readFileSync(join(clone, 'a.md'), 'utf8'), 'a')
  writeFileSync(join(clone, 'a.md'), 'b')
  gitOutside(clone, ['commit', '-qam', 'Outside'])
  gitOutside(clone, ['push', '-q', 'origin', 'main'])
  const pushed = (await readRef(repo, main))!

  assert.is((await readCommit(repo, pushed))?.message, 'Outside\n')
  assert.throws(() => gitOutside(clone, ['push', '-q', 'origin', ':main']))
})

test('an existing folder is refused, and no temporary folder remains', async ({ bench, repo }) => {
  const again = createRepository(bench.processes, repo.dir, { defaultBranch: main })
  assert.is(await codeOf(again), 'ref_conflict')
  const badly = createRepository(bench.processes, join(bench.folder, 'b.git'), {
    defaultBranch: 'main',
  })
  assert.is(await codeOf(badly), 'ref_invalid')
  assert.equal(readdirSync(bench.folder), ['a.git'])
})

test('the default branch follows HEAD, also when HEAD is changed externally', async ({ repo }) => {
  await setDefaultBranch(repo, 'refs/heads/trunk')
  assert.is(gitOutside(repo.dir, ['symbolic-ref', 'HEAD']), 'refs/heads/trunk')
  gitOutside(repo.dir, ['symbolic-ref', 'HEAD', 'refs/heads/docs'])
  assert.is(await defaultBranch(repo), 'refs/heads/docs')
  assert.is(await codeOf(setDefaultBranch(repo, 'refs/tags/x')), 'ref_invalid')
})

test('a repository with a modified configuration is refused', async ({ bench, repo }) => {
  const check = (dir = repo.dir) =>
    codeOf(checkRepositoryConfig({ dir, processes: bench.processes }))
  assert.is(await check(), 'no error')
  appendFileSync(join(repo.dir, 'config'), '[core]\n\tsshCommand = touch /tmp/x\n')
  assert.is(await check(), 'config_changed')
  await restoreConfig(repo)
  assert.is(await check(), 'no error')
  writeFileSync(join(repo.dir, 'objects/info/alternates'), '/etc\n')
  assert.is(await check(), 'config_changed')
  assert.is(await check(join(bench.folder, 'none.git')), 'not_found')
})

test('a copy has the history, shares disk space, and is independent', async ({ bench, repo }) => {
  const first = await commitFiles(repo, { 'a.md': 'a' })
  gitOutside(repo.dir, ['repack', '-q'])
  gitOutside(repo.dir, ['prune-packed', '-q'])
  const second = await commitFiles(repo, { 'b.md': 'b' })

  await moveRefs(
    repo,
    ['refs/heads/draft', 'refs/stemma/keep/1'].map(ref => ({ ref, from: null, to: first })),
  )
  const copy = await copyRepository(repo, join(bench.folder, 'copy.git'), {
    refs: ['refs/stemma/keep/1'],
  })

  assert.is(await readRef(copy, main), second)
  assert.is(await readRef(copy, 'refs/stemma/keep/1'), first)
  assert.is(await readRef(copy, 'refs/heads/draft'), undefined)
  fsck(copy)
  const loose = join('objects', second.slice(0, 2), second.slice(2))

  assert.is(statSync(join(copy.dir, loose)).ino, statSync(join(repo.dir, loose)).ino)
  await commitFiles(copy, { 'c.md': 'c' })
  assert.is(await readRef(repo, main), second)
  fsck(repo)
  const empty = await copyRepository(
    await bench.create('empty.git'),
    join(bench.folder, 'empty-copy.git'),
  )

  assert.is(await readRef(empty, main), undefined)
})

test('files are listed with their modes and found by path', async ({ repo }) => {
  const commit = await commitFiles(repo, { 'README.md': 'r', 'd/e/f.md': 'f', 'd/g.md': 'g' })
  const { tree } = (await readCommit(repo, commit))!
  const files = async (oid: Oid) =>
    (await listFiles(repo, oid)).files.map(file => `${file.mode} ${file.path}`)
  const expected = ['100644 README.md', '100644 d/g.md', '100644 d/e/f.md']

  assert.equal(await files(tree), expected)
  assert.equal(await files(commit), expected)
  assert.is((await findEntry(repo, tree, 'd/e'))?.mode, '040000')
  assert.is((await findEntry(repo, tree, 'd/e/f.md'))?.mode, '100644')
  assert.is((await findEntry(repo, commit, ''))?.oid, tree)
  for (const path of ['d/x', 'README.md/x', '/', 'D'])
    assert.is(await findEntry(repo, tree, path), undefined)
  assert.is(await codeOf(listFiles(repo, asOid('1'.repeat(40)))), 'object_unreadable')
})

const mktree = (repo: Repository, lines: string): Oid =>
  asOid(gitOutside(repo.dir, ['mktree'], lines))

test('trees that unfold beyond all limits are refused quickly', async ({ repo }) => {
  const blob = gitOutside(repo.dir, ['hash-object', '-w', '--stdin'], 'x')
  const many = (kind: string, oid: string) =>
    Array.from({ length: 10 }, (_, i) => `${kind} ${oid}\t${String(i).padStart(2, '0')}\n`).join('')
  let bomb = mktree(repo, many('100644 blob', blob))
  for (let level = 0; level < 10; level++) bomb = mktree(repo, many('040000 tree', bomb))
  const began = cpuTime()

  assert.is(await codeOf(listFiles(repo, bomb)), 'too_many_files')
  assert.ok(cpuTime() - began < 5000)
  let deep = mktree(repo, `100644 blob ${blob}\tx\n`)

  for (let level = 0; level < 70; level++) deep = mktree(repo, `040000 tree ${deep}\td\n`)
  assert.is(await codeOf(listFiles(repo, deep)), 'too_deep')
})

test('names that are not text are left out and counted', async ({ repo }) => {
  const blob = gitOutside(repo.dir, ['hash-object', '-w', '--stdin'], 'x')
  const entry = (name: Buffer | string) =>
    Buffer.concat([
      Buffer.from('100644 '),
      Buffer.from(name),
      Buffer.of(0),
      Buffer.from(blob, 'hex'),
    ])

  const names = [
    'a\nb.md',
    'ok.md',
    `${'x'.repeat(300)}.md`,
    '\u001b[31m.md',
    Buffer.from([0xff, 0xfe]),
  ]
  const bytes = Buffer.concat(names.map(entry))
  const tree = asOid(
    gitOutside(repo.dir, ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], bytes),
  )
  const list = await listFiles(repo, tree)

  assert.equal(
    list.files.map(file => file.path),
    ['ok.md'],
  )
  assert.is(list.unnamed, 4)
})

test.run()
