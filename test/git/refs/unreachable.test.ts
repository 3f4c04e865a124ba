import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { moveRefs } from '../../../src/git/refs/refs.ts'
import { commitsBeyond, unreachableCommits } from '../../../src/git/refs/unreachable.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { commitFiles, gitOutside, openBench } from '../../support/git/repo.ts'

const bench = await openBench()
test.after(() => bench.remove())

test('a commit that a ref reaches is kept, also with wrong clocks; any other is reported', async () => {
  const repo = await bench.create()
  for (let n = 0; n < 10; n++)
    await commitFiles(repo, { 'a.md': `0${n}` }, { at: 1_794_000_000 + n })
  const first = await commitFiles(repo, { 'a.md': '1' }, { at: 1_795_000_000 })
  const middle = await commitFiles(repo, { 'a.md': '2' }, { at: 1_795_000_001 })

  // One author's clock is years behind while other commits continue elsewhere.
  for (const text of ['3', '4']) await commitFiles(repo, { 'a.md': text }, { at: 1_700_000_000 })
  await commitFiles(
    repo,
    { 'b.md': '1' },
    { at: 1_795_000_002, ref: 'refs/heads/other', parents: [first] },
  )
  const ref = 'refs/heads/gone'
  const gone = await commitFiles(repo, { 'a.md': 'gone' }, { at: 1_795_000_100, ref })

  await moveRefs(repo, [{ ref, from: gone, to: null }])
  assert.equal(await unreachableCommits(repo, [first, gone, middle]), [gone])
})

test('a commit that given tips do not reach is reported, although a ref reaches it', async () => {
  const repo = await bench.create('b.git')
  const first = await commitFiles(repo, { 'a.md': '1' })
  const second = await commitFiles(repo, { 'a.md': '2' })
  const third = await commitFiles(repo, { 'a.md': '3' })
  const blob = gitOutside(repo.dir, ['rev-parse', `${third}:a.md`]) as Oid
  assert.equal(await commitsBeyond(repo, [third, first, second, third], [second, blob]), [third])
  assert.equal(await commitsBeyond(repo, [third, first], []), [third, first])
  assert.equal(await commitsBeyond(repo, [], [second]), [])
})

test.run()
