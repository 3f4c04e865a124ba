import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readObject } from '../../../src/git/objects/objects.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import { applyDelta, unpack } from '../../../src/git/receiving/unpack.ts'
import { asOid } from '../../../src/lib/oid.ts'
import { copyDelta, objectId, type PackEntry, packOf, sha1 } from '../../support/git/raw-pack.ts'
import { commitFiles, gitOutside, openBench } from '../../support/git/repo.ts'
import { runs } from '../../support/long-run.ts'

const bench = await openBench()
test.after(() => bench.remove())

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

  const versions = fc.array(
    fc.dictionary(fc.constantFrom('a.md', 'b.md', 'f/c.md'), text, { minKeys: 1 }),
    {
      minLength: 1,
      maxLength: 6,
    },
  )

  const property = fc.asyncProperty(versions, fc.boolean(), async (commits, byOffset) => {
    const repo = await bench.create(`${randomBytes(8).toString('hex')}.git`)
    for (const files of commits)
      await commitFiles(
        repo,
        Object.fromEntries(Object.entries(files).map(([path, lines]) => [path, lines.join('')])),
      )

    const found = unpack(packAll(repo, byOffset ? ['--delta-base-offset'] : []))
    const all = gitOutside(repo.dir, ['rev-list', '--objects', '--no-object-names', '--all']).split(
      '\n',
    )

    assert.equal([...found!.keys()].sort(), all.sort())
    for (const [oid, object] of found!) assert.equal(object, await readObject(repo, oid))
    repo.processes.closeRepository(repo.dir)
  })

  await fc.assert(property, { numRuns: runs(15) })
})

const blob = (content: Buffer | string): PackEntry => ({
  type: 'blob',
  content: Buffer.from(content),
})
const deltaOf = (base: number | string, content: number[] | Buffer): PackEntry => ({
  type: 'delta',
  base,
  content: Buffer.from(content),
})

/**
 * Returns the pack after a change of its bytes, in place or as other ones, with their digest at its
 * end.
 */
function changed(pack: Buffer, change: (body: Buffer) => unknown): Buffer {
  const copy = Buffer.from(pack.subarray(0, -20))
  const result = change(copy)
  const body = Buffer.isBuffer(result) ? result : copy
  return Buffer.concat([body, sha1(body)])
}

test('deltas are applied before and after their base, by offset and by id', () => {
  const base = Buffer.from('0123456789')
  const [longer, longest] = ['0123456789!', '0123456789!?'].map(text =>
    objectId('blob', Buffer.from(text)),
  )
  const pack = packOf([
    deltaOf(longer!, copyDelta(11, 11, 1, '?')),
    deltaOf(objectId('blob', base), copyDelta(10, 10, 1, '!')),
    blob(base),
    deltaOf(2, copyDelta(10, 9, 1)),
  ])
  const found = unpack(pack)!

  assert.equal(
    [...found].map(([oid, { content }]) => [oid, String(content)]).sort(),
    [
      [objectId('blob', base), '0123456789'],
      [objectId('blob', Buffer.from('012345678')), '012345678'],
      [longer, '0123456789!'],
      [longest, '0123456789!?'],
    ].sort(),
  )
})

test('an empty pack has no objects', () => {
  assert.is(unpack(packOf([]))?.size, 0)
})

test('many instructions of a delta are followed', () => {
  const base = Buffer.from('0123456789')
  const copies = Array.from({ length: 32_000 }, () => [0x90, 1]).flat()
  // A result of 32,001 bytes.
  const pack = packOf([blob(base), deltaOf(0, [10, 0x81, 0xfa, 0x01, ...copies, 1, 0x61])])
  assert.ok(unpack(pack)?.has(asOid(objectId('blob', Buffer.from(`${'0'.repeat(32_000)}a`)))))
})

test('a pack that is broken, large or unusual is left to Git', () => {
  const base = Buffer.from('0123456789')
  const id = objectId('blob', base)
  const half = Buffer.alloc(2 * 1024 ** 2 + 1)
  const good = packOf([blob(base)])

  assert.is(unpack(good)?.size, 1)
  assert.is(unpack(packOf([blob(half)]))?.size, 1)
  const flipped = Buffer.from(good)

  flipped[flipped.length - 1]! ^= 1
  const unread: Record<string, Buffer> = {
    'no bytes': Buffer.alloc(0),
    'a digest alone': sha1(''),
    'another digest': flipped,
    'bytes after the entries': changed(good, body => Buffer.concat([body, Buffer.from('more')])),
    'a cut entry': changed(good, body => body.subarray(0, -3)),
    'fewer entries than it says': changed(good, body => body.writeUInt32BE(2, 8)),
    'more entries than it says': changed(packOf([blob('a'), blob('b')]), body =>
      body.writeUInt32BE(1, 8),
    ),
    'version 3': changed(good, body => body.writeUInt32BE(3, 4)),
    'another signature': changed(good, body => body.write('KCAP')),
    'an entry of type 5': changed(good, body => body.writeUInt8((body[12]! & 0x8f) | 0x50, 12)),
    'an entry larger than it says': changed(good, body => body.writeUInt8(body[12]! - 1, 12)),
    'an entry smaller than it says': changed(good, body => body.writeUInt8(body[12]! + 1, 12)),
    'a size of many bytes': changed(good, body =>
      Buffer.concat([
        body.subarray(0, 12),
        Buffer.from([0xb0]),
        Buffer.alloc(160, 0x80),
        Buffer.of(0),
        body.subarray(13),
      ]),
    ),
    'an object twice': packOf([blob(base), blob(base)]),
    'a delta of what is not there': packOf([deltaOf('d'.repeat(40), copyDelta(10, 10, 1, '!'))]),
    'a delta of itself': packOf([blob(base), deltaOf(1, copyDelta(10, 10, 1, '!'))]),
    'a delta that starts before the pack': packOf([deltaOf(-1, copyDelta(10, 10, 1, '!'))]),
    'a delta for a longer base': packOf([blob(base), deltaOf(0, copyDelta(11, 10, 1, '!'))]),
    'a delta that reads beyond its base': packOf([blob(base), deltaOf(id, [10, 5, 0x91, 20, 5])]),
    'a delta with the reserved instruction': packOf([
      blob(base),
      deltaOf(0, [10, 10, 0, 0x90, 10]),
    ]),
    'a delta without an end': packOf([blob(base), deltaOf(0, [10, 11, 0x90, 10])]),
    'more than 500 objects': packOf(Array.from({ length: 501 }, (_, n) => blob(`${n}`))),
    'more than 4 MiB': packOf([blob(half), blob(Buffer.concat([half, half.subarray(1)]))]),
    'deltas of more than 64 kB': packOf([
      blob(base),
      deltaOf(0, [
        10,
        0xe9,
        0x81,
        0x02,
        ...Array.from({ length: 33_000 }, () => [0x90, 1]).flat(),
        1,
        0,
      ]),
    ]),
    'deltas that unfold to more than 4 MiB': packOf([
      blob(half.subarray(0, 1024 ** 2)),
      ...Array.from({ length: 4 }, (_, n) =>
        deltaOf(0, copyDelta(1024 ** 2, 1024 ** 2, 1, `${n}`)),
      ),
    ]),
  }

  for (const [what, pack] of Object.entries(unread)) assert.is(unpack(pack), undefined, what)
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
  assert.is(applyDelta(base, Buffer.from([10, 10, 0, 0x90, 10]), 100), undefined)
  assert.is(applyDelta(base, whole, 9), undefined)
  assert.is(applyDelta(base, Buffer.from([10, 11, 0x90, 10]), 100), undefined)
  assert.is(applyDelta(base, Buffer.from([10, 9, 0x90, 10]), 100), undefined)
})

test.run()
