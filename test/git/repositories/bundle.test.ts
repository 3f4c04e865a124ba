import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Repository } from '../../../src/git/process/processes.ts'
import { readBundleRefs } from '../../../src/git/refs/bundle-refs.ts'
import { defaultBranch } from '../../../src/git/refs/default-branch.ts'
import { listRefs, moveRefs, readRef } from '../../../src/git/refs/refs.ts'
import { restoreBundle, writeBundle } from '../../../src/git/repositories/bundle.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import {
  type Bench,
  commitFiles,
  fsck,
  gitOutside,
  main,
  openBench,
} from '../../support/git/repo.ts'

const test = suite<{ bench: Bench; repo: Repository; file: string }>('bundle')
test.before.each(async context => {
  context.bench = await openBench()
  context.repo = await context.bench.create()
  context.file = join(context.bench.folder, 'a.bundle')
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

test('a bundle of all refs restores the whole repository', async ({ bench, repo, file }) => {
  assert.is(await codeOf(writeBundle(repo, await listRefs(repo, 'refs/'), file)), 'not_found')
  const first = await commitFiles(repo, { 'a.md': 'a' })
  const second = await commitFiles(repo, { 'b.md': 'b' })
  await moveRefs(repo, [{ ref: 'refs/stemma/keep/1', from: null, to: first }])
  gitOutside(repo.dir, [
    '-c',
    'user.name=A',
    '-c',
    'user.email=a@b',
    'tag',
    '-a',
    '-m',
    'One',
    'v1',
    first,
  ])
  const refs = await listRefs(repo, 'refs/')

  await writeBundle(repo, refs, file)
  assert.equal(await readBundleRefs(file), refs)
  const copy = await restoreBundle(bench.processes, file, join(bench.folder, 'copy.git'), {
    defaultBranch: main,
  })

  assert.equal(await listRefs(copy, 'refs/'), refs)
  assert.is(await readRef(copy, main), second)
  assert.is(await defaultBranch(copy), main)
  fsck(copy)
  const broken = join(bench.folder, 'broken.bundle')

  writeFileSync(broken, readFileSync(file).subarray(0, 300))
  const again = restoreBundle(bench.processes, broken, join(bench.folder, 'broken.git'), {
    defaultBranch: main,
  })

  assert.is(await codeOf(again), 'bad_objects')
  assert.equal(readdirSync(bench.folder).sort(), ['a.bundle', 'a.git', 'broken.bundle', 'copy.git'])
})

test('git accepts a bundle, and a clone of it has the default branch', async ({
  bench,
  repo,
  file,
}) => {
  await commitFiles(repo, { 'a.md': 'a' })
  await commitFiles(repo, { 'b.md': 'b' }, { ref: 'refs/heads/a' })
  await writeBundle(repo, await listRefs(repo, 'refs/'), file)
  assert.match(gitOutside(repo.dir, ['bundle', 'verify', file]), /complete history/)
  const clone = join(bench.folder, 'clone')
  gitOutside(repo.dir, ['clone', '-q', file, clone])
  assert.is(readFileSync(join(clone, 'a.md'), 'utf8'), 'a')
  assert.is(gitOutside(join(clone, '.git'), ['symbolic-ref', 'HEAD']), main)
})

test('refs that move or disappear meanwhile have their former values', async ({
  bench,
  repo,
  file,
}) => {
  const ref = 'refs/heads/change-requests/1'
  const first = await commitFiles(repo, { 'a.md': 'a' })
  const draft = await commitFiles(repo, { 'b.md': 'b' }, { ref, parents: [first] })
  const refs = await listRefs(repo, 'refs/')
  const second = await commitFiles(repo, { 'a.md': 'later' })

  await moveRefs(repo, [{ ref, from: draft, to: null }])
  await writeBundle(repo, refs, file)
  const copy = await restoreBundle(bench.processes, file, join(bench.folder, 'copy.git'), {
    defaultBranch: main,
  })

  assert.is(await readRef(repo, main), second)
  assert.is(await readRef(copy, main), first)
  assert.is(await readRef(copy, ref), draft)
  fsck(copy)
})

test('a bundle is not written when an object is missing', async ({ bench, repo, file }) => {
  await commitFiles(repo, { 'a.md': 'a' })
  const blob = gitOutside(repo.dir, ['rev-parse', `${main}:a.md`])
  unlinkSync(join(repo.dir, 'objects', blob.slice(0, 2), blob.slice(2)))
  assert.is.not(await codeOf(writeBundle(repo, await listRefs(repo, 'refs/'), file)), 'no error')
  assert.equal(readdirSync(bench.folder), ['a.git'])
})

test.run()
