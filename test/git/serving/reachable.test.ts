import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { runGit } from '../../../src/git/process/run.ts'
import { readBranches } from '../../../src/git/refs/read-branches.ts'
import { listRefs } from '../../../src/git/refs/refs.ts'
import { idsOf, ObjectIds } from '../../../src/git/serving/object-ids.ts'
import { findReachable } from '../../../src/git/serving/reachable.ts'
import { asOid, type Oid } from '../../../src/lib/oid.ts'
import { type Bench, commitFiles, openBench } from '../../support/git/repo.ts'
import { runs } from '../../support/long-run.ts'

let bench: Bench
test.before(async () => {
  bench = await openBench()
})
test.after(() => bench.remove())

const idOf = (n: number): Oid => asOid(createHash('sha1').update(String(n)).digest('hex'))

test('a set of ids has those that were put in, and no others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(2000), fc.nat(300), async (count, more) => {
      const bytes = (from: number, to: number) =>
        Buffer.from(Array.from({ length: to - from }, (_, i) => idOf(from + i)).join(''), 'hex')
      const set = await (await ObjectIds.of(bytes(0, count))).with(bytes(count, count + more))
      assert.is(set.size, count + more)
      for (let i = 0; i < count + more; i += 7) assert.ok(set.has(idOf(i)))
      for (let i = 1; i < 50; i++) assert.not.ok(set.has(idOf(-i)))
      for (let place = 0; place < set.size; place++)
        assert.is(set.find(Buffer.from(`ff${set.at(place)}`, 'hex'), 1), place)
      assert.is((await set.with(bytes(0, count))).size, set.size)
    }),
    { numRuns: runs(100) },
  )
})

test('ids are read from lines in chunks of any size', async () => {
  const text = Array.from({ length: 5000 }, (_, i) => `${idOf(i)} path ${i}\n`).join('')
  async function* chunks() {
    for (let at = 0; at < text.length; at += 777) yield Buffer.from(text.slice(at, at + 777))
  }
  const ids = await idsOf(chunks())
  assert.is(ids.length, 100_000)
  assert.is(ids.toString('hex', 99_980), idOf(4999))
})

test('what commits lead to is found, and later only what is new', async () => {
  const repo = await bench.create('reach.git')
  const first = await commitFiles(repo, { a: 'one' })
  const hidden = await commitFiles(
    repo,
    { secret: 's' },
    { ref: 'refs/stemma/x', parents: [first] },
  )
  const { ids, tips } = await findReachable(repo, [first])

  assert.is(ids.size, 3)
  assert.ok(ids.has(first))
  assert.not.ok(ids.has(hidden))
  const second = await commitFiles(repo, { a: 'two' })
  const grown = await findReachable(repo, [second], { known: { ids, tips } })

  assert.is(grown.ids.size, 6)
  const same = await findReachable(repo, [second], { known: grown })

  assert.is(same.ids, grown.ids)
  const { stdout } = await runGit(repo, ['rev-list', '--objects', '--no-object-names', second])

  for (const oid of stdout.toString().trim().split('\n')) assert.ok(grown.ids.has(asOid(oid)))

  // Its file is that of the first commit, which a walk from the second one on does not know.
  const restored = await commitFiles(repo, { a: 'one' })
  const whole = await findReachable(repo, [restored])

  assert.is((await findReachable(repo, [restored], { known: grown })).ids.size, whole.ids.size)

  // A branch that was taken away: nothing of it may stay.
  const back = await findReachable(repo, [first], { known: grown })

  assert.is(back.ids.size, 3)
  assert.not.ok(back.ids.has(second))
  const elsewhere = { ids: grown.ids, tips: new Set([idOf(1)]) }

  assert.is((await findReachable(repo, [first], { known: elsewhere })).ids.size, 3)
  assert.is((await findReachable(repo, [])).ids.size, 0)
})

test('branches are read from files as Git lists them', async () => {
  const repo = await bench.create('branches.git')
  assert.is(readBranches(repo).size, 0)
  await commitFiles(repo, { a: 'one' })
  await commitFiles(repo, { a: 'one' }, { ref: 'refs/heads/change-requests/1' })
  await commitFiles(repo, { a: 'two' }, { ref: 'refs/stemma/keep/x' })
  await runGit(repo, ['pack-refs', '--all'])
  await commitFiles(repo, { a: 'three' })
  await commitFiles(repo, { a: 'three' }, { ref: 'refs/heads/new' })
  const listed = await listRefs(repo, 'refs/heads')

  assert.equal(new Map([...readBranches(repo)].sort()), new Map([...listed].sort()))
  assert.is(listed.size, 3)
})

test.run()
