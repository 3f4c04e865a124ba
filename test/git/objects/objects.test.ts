import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  objectInfo,
  readBlob,
  readBlobs,
  readCommit,
  readObject,
} from '../../../src/git/objects/objects.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import { GitProcesses } from '../../../src/git/process/processes.ts'
import { listFiles } from '../../../src/git/trees/tree-files.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import { asOid, type Oid } from '../../../src/lib/oid.ts'
import { type Bench, commitFiles, gitOutside, openBench } from '../../support/git/repo.ts'

const test = suite<{ bench: Bench; repo: Repository }>('objects')
test.before.each(async context => {
  context.bench = await openBench()
  context.repo = await context.bench.create()
})
test.after.each(({ bench }) => bench.remove())

const nothing = asOid('1'.repeat(40))
const hashObject = (repo: Repository, bytes: Uint8Array): Oid =>
  asOid(gitOutside(repo.dir, ['hash-object', '-w', '--stdin'], bytes))

test('contents of every size and byte are read completely, also many at once', async ({ repo }) => {
  const contents = [0, 1, 10, 65_535, 65_536, 300_001].map(size => {
    const bytes = Buffer.alloc(size)
    for (let i = 0; i < size; i++) bytes[i] = (i * 7 + size) % 256
    return bytes
  })
  const oids = contents.map(bytes => hashObject(repo, bytes))
  const wanted = Array.from({ length: 300 }, (_, i) => i % oids.length)
  const read = await Promise.all(wanted.map(i => readBlob(repo, oids[i]!)))

  for (const [at, i] of wanted.entries()) assert.ok(read[at]!.equals(contents[i]!))
  const many = await readBlobs(repo, [...oids, nothing])

  assert.is(many.size, oids.length)
  for (const [i, oid] of oids.entries()) assert.ok(many.get(oid)!.equals(contents[i]!))
  const info = await objectInfo(repo, [...oids, nothing])

  assert.equal(info.get(oids[4]!), { type: 'blob', size: 65_536 })
  assert.not(info.has(nothing))
})

test('a missing object is undefined, and an object of another type is not a blob', async ({
  repo,
}) => {
  const commit = await commitFiles(repo, { 'a.md': 'a' })
  assert.is(await readObject(repo, nothing), undefined)
  assert.is(await readBlob(repo, commit), undefined)
  assert.is((await readObject(repo, commit))?.type, 'commit')
  assert.is(await readCommit(repo, nothing), undefined)
})

test('a commit is read, also through a tag', async ({ repo }) => {
  const oid = await commitFiles(repo, { 'a.md': 'a' }, { message: 'Grüße' })
  const commit = await readCommit(repo, oid)
  assert.is(commit?.message, 'Grüße\n')
  assert.equal(commit?.author, {
    name: 'Ada',
    email: 'ada@example.org',
    at: 1_700_000_000,
    zone: '+0000',
  })
  gitOutside(repo.dir, ['tag', '-a', '-m', 'One', 'v1', 'main'])
  const tag = asOid(gitOutside(repo.dir, ['rev-parse', 'v1']))

  assert.is((await readCommit(repo, tag))?.oid, oid)
})

test('a blob over the limit is refused with its size, and later ones are still read', async ({
  repo,
}) => {
  const big = hashObject(repo, Buffer.alloc(200_000))
  const small = hashObject(repo, Buffer.from('small'))
  const [refused, read] = await Promise.allSettled([
    readObject(repo, big, 1000),
    readBlob(repo, small),
  ])

  assert.ok(refused.status === 'rejected' && isGitError(refused.reason, 'too_large'))
  assert.ok(read.status === 'fulfilled' && read.value?.toString() === 'small')

  try {
    await readBlob(repo, big, 1000)
    assert.unreachable()
  } catch (error) {
    assert.ok(isGitError(error, 'too_large'))
    assert.is(error.detail.size, 200_000)
  }

  assert.is((await readBlobs(repo, [big, small], 1000)).size, 1)
})

test('a running process sees objects that others write and repack', async ({ repo }) => {
  const first = await commitFiles(repo, { 'a.md': 'a' })
  assert.ok(await readCommit(repo, first))
  const outside = hashObject(repo, Buffer.from('outside'))
  assert.is((await readBlob(repo, outside))?.toString(), 'outside')
  gitOutside(repo.dir, ['repack', '-q'])
  gitOutside(repo.dir, ['prune-packed', '-q'])
  assert.ok(await readCommit(repo, first))
})

test('a killed process is replaced, and pending requests are answered', async ({ bench, repo }) => {
  const oid = await commitFiles(repo, { 'a.md': 'a' })
  const before = childrenOf(repo.dir)
  assert.ok(before.length > 0)
  const reads = Promise.all(Array.from({ length: 50 }, () => readCommit(repo, oid)))

  setImmediate(() => {
    for (const pid of before) process.kill(pid, 'SIGKILL')
  })
  assert.is((await reads).filter(commit => commit?.oid === oid).length, 50)
  await commitFiles(repo, { 'b.md': 'b' })
  assert.ok(await readCommit(repo, oid))
  assert.is(bench.processes.size, 1)
})

test('a corrupt object is missing and does not affect others', async ({ repo }) => {
  const oid = hashObject(repo, Buffer.from('to be broken'))
  const file = join(repo.dir, 'objects', oid.slice(0, 2), oid.slice(2))
  unlinkSync(file)
  writeFileSync(file, 'garbage')
  const good = hashObject(repo, Buffer.from('good'))
  assert.is(await readBlob(repo, oid).catch(() => undefined), undefined)
  assert.is((await readBlob(repo, good))?.toString(), 'good')
})

test('the number of repositories with processes is limited, and idle processes end', async ({
  bench,
  repo,
}) => {
  const processes = new GitProcesses({ maxRepositories: 2 })
  const brief = new GitProcesses({ idleMs: 200 })
  try {
    const oid = await commitFiles(repo, { 'a.md': 'a' })
    const { files } = await listFiles(repo, (await readCommit(repo, oid))!.tree)
    const repos = [repo]
    for (const name of ['b.git', 'c.git', 'd.git']) repos.push(await bench.create(name))
    for (const each of repos) await readBlob({ dir: each.dir, processes }, files[0]!.oid)
    assert.is(processes.size, 2)
    const read = async () =>
      (await readBlob({ dir: repo.dir, processes: brief }, files[0]!.oid))?.toString()

    await read()
    for (let tries = 0; brief.size > 0 && tries < 600; tries++)
      await new Promise(resolve => setTimeout(resolve, 100))
    assert.is(brief.size, 0)
    assert.is(await read(), 'a')
  } finally {
    processes.close()
    brief.close()
  }
})

function childrenOf(dir: string): number[] {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return pids.map(Number).filter(pid => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`--git-dir=${dir}`)
    } catch {
      return false
    }
  })
}

test.run()
