import { existsSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Repository } from '../../../src/git/process/processes.ts'
import { readRef } from '../../../src/git/refs/refs.ts'
import { setDamagedRefsAside } from '../../../src/git/repositories/set-damaged-aside.ts'
import { type Bench, commitFiles, gitOutside, main, openBench } from '../../support/git/repo.ts'

const test = suite<{ bench: Bench; repo: Repository }>('set-damaged-aside')
test.before.each(async context => {
  context.bench = await openBench()
  context.repo = await context.bench.create()
})
test.after.each(({ bench }) => bench.remove())

test('packed refs stay when one of them points at a missing commit', async ({ bench, repo }) => {
  const first = await commitFiles(repo, { 'a.md': 'a' })
  gitOutside(repo.dir, ['tag', 'v1', first])
  const second = await commitFiles(repo, { 'a.md': 'b' })
  gitOutside(repo.dir, ['pack-refs', '--all'])
  unlinkSync(join(repo.dir, 'objects', second.slice(0, 2), second.slice(2)))
  const aside = join(bench.folder, 'aside')

  assert.equal(await setDamagedRefsAside(repo, aside), [])
  assert.not(existsSync(aside))
  assert.is(readRef(repo, 'refs/tags/v1'), first)
  assert.is(readRef(repo, main), second)
})

test('unreadable packed refs are moved aside', async ({ bench, repo }) => {
  await commitFiles(repo, { 'a.md': 'a' })
  gitOutside(repo.dir, ['pack-refs', '--all'])
  const file = join(repo.dir, 'packed-refs')
  writeFileSync(file, `${readFileSync(file, 'utf8')}garbage\n`)
  const aside = join(bench.folder, 'aside')
  assert.equal(await setDamagedRefsAside(repo, aside), ['packed-refs'])
  assert.match(readFileSync(join(aside, 'packed-refs'), 'utf8'), 'garbage')
})

test.run()
