import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readObject } from '../../../src/git/objects/objects.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import { applyDelta } from '../../../src/git/receiving/apply-delta.ts'
import { readPackIds } from '../../../src/git/receiving/pack-ids.ts'
import { unpack } from '../../../src/git/receiving/small-pack.ts'
import { type PackEntry, packOf } from '../../support/git/raw-pack.ts'
import { commitFiles, gitOutside, openBench } from '../../support/git/repo.ts'
import { runs } from '../../support/long-run.ts'

const bench = await openBench()
test.after(() => bench.remove())

/** Indexes a pack in a folder of its own. Returns its objects as they are read in memory. */
async function unpacked(pack: Buffer) {
  const folder = await mkdtemp(join(tmpdir(), 'stemma-pack-'))
  try {
    const file = join(folder, 'a.pack')
    await writeFile(file, pack)
    execFileSync('git', ['index-pack', file], { stdio: 'ignore' })
    const ids = await readPackIds(file)
    return unpack(await readFile(file), ids.offsets())
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Packs all objects of a repository, with as many deltas as Git finds. */
const packAll = ({ dir }: Repository, options: readonly string[]): Buffer =>
  execFileSync(
    'git',
    ['-C', dir, 'pack-objects', '--all', '--stdout', '-q', '--window=50', '--depth=50', ...options],
    { stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 64 * 1024 ** 2 },
  )

test('objects of packs that Git makes are read as Git reads them', async () => {
  const text = fc.array(
    fc.constantFrom('alpha\n', 'beta\n', '# Title\n', 'a longer line of a page\n', '\0\xff'),
    {
      maxLength: 200,
    },
  )
  const versions = fc.array(fc.dictionary(fc.constantFrom('a.md', 'b.md', 'f/c.md'), text, { minKeys: 1 }), {
    minLength: 1,
    maxLength: 6,
  })
  const property = fc.asyncProperty(versions, fc.boolean(), async (commits, byOffset) => {
    const repo = await bench.create(`${randomBytes(8).toString('hex')}.git`)
    for (const files of commits)
      await commitFiles(
        repo,
        Object.fromEntries(Object.entries(files).map(([path, lines]) => [path, lines.join('')])),
      )
    const found = await unpacked(packAll(repo, byOffset ? ['--delta-base-offset'] : []))
    const all = gitOutside(repo.dir, ['rev-list', '--objects', '--no-object-names', '--all']).split('\n')
    assert.equal([...found!.keys()].sort(), all.sort())
    for (const [oid, object] of found!) assert.equal(object, await readObject(repo, oid))
    repo.processes.closeRepository(repo.dir)
  })
  await fc.assert(property, { numRuns: runs(15) })
})

test('a pack that unfolds to more than 4 MiB is not read in memory', async () => {
  const half = Buffer.alloc(2 * 1024 ** 2 + 1)
  const blob = (content: Buffer): PackEntry => ({ type: 'blob', content })
  assert.is((await unpacked(packOf([blob(half)])))?.size, 1)
  assert.is(await unpacked(packOf([blob(half), blob(Buffer.concat([half, half.subarray(1)]))])), undefined)
})

test('a delta is applied to its own base only, and makes what it says', () => {
  const base = Buffer.from('0123456789')
  const whole = Buffer.from([10, 10, 0x90, 10])
  assert.is(String(applyDelta(base, whole, 100)), '0123456789')
  assert.is(
    String(applyDelta(base, Buffer.from([10, 7, 0x91, 4, 3, 4, ...Buffer.from('abcd')]), 100)),
    '456abcd',
  )
  assert.is(applyDelta(base.subarray(1), whole, 100), undefined)
  assert.is(applyDelta(base, whole, 9), undefined)
  assert.is(applyDelta(base, Buffer.from([10, 11, 0x90, 10]), 100), undefined)
  assert.is(applyDelta(base, Buffer.from([10, 9, 0x90, 10]), 100), undefined)
})

test.run()
