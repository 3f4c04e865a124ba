import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { PackRefused } from '../../../src/git/receiving/pack-refused.ts'
import { withQuarantine } from '../../../src/git/receiving/quarantine.ts'
import { storePack } from '../../../src/git/receiving/store-pack.ts'
import { copyDelta, homeEntries, type PackEntry, packOf } from '../../support/git/raw-pack.ts'
import { openBench } from '../../support/git/repo.ts'

const bench = await openBench()
test.after(() => bench.remove())
const repo = await bench.create('1.git')

/** Stores a pack in a quarantine that is removed. Returns the number of its objects. */
const store = (pack: Buffer): Promise<number> =>
  withQuarantine(repo, join(bench.folder, 'staging'), async quarantine => {
    await quarantine.writePack(pack)
    return (await storePack(quarantine)).objects
  })

/** A pack of the home page and a file that unfolds to this many copies of 64 kB. */
const unfolding = (copies: number): Buffer => {
  const { entries } = homeEntries()
  const more: PackEntry[] = [
    { type: 'blob', content: Buffer.alloc(64_000) },
    { type: 'delta', base: entries.length, content: copyDelta(64_000, 64_000, copies) },
  ]
  return packOf([...entries, ...more])
}

test('a delta that unfolds to more memory than a check may take is refused', async () => {
  for (const copies of [5_000, 16_000]) {
    const pack = unfolding(copies)
    assert.ok(pack.length < 1_000, `${pack.length} bytes`)
    const error = await store(pack).catch(each => each)
    assert.instance(error, PackRefused)
    assert.is(
      error.message,
      'the check of the pack needs more than 256 MB of memory: push fewer commits at once, or smaller files',
    )
  }
  assert.equal(await readdir(join(bench.folder, 'staging')), [])
})

test('two versions of a file of 100 MB fit the memory', async () => {
  const { entries } = homeEntries()
  const start = entries.length
  const pack = packOf([
    ...entries,
    { type: 'blob', content: Buffer.alloc(64_000) },
    { type: 'delta', base: start, content: copyDelta(64_000, 64_000, 1_600) },
    { type: 'delta', base: start + 1, content: copyDelta(102_400_000, 16_000_000, 6, 'changed') },
  ])

  assert.is(await store(pack), 6)
})

test.run()
