import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkObjects } from '../../../src/git/receiving/check-objects.ts'
import { PackRefused } from '../../../src/git/receiving/pack-refused.ts'
import { type Quarantine, withQuarantine } from '../../../src/git/receiving/quarantine.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import { asOid, type Oid } from '../../../src/lib/oid.ts'
import { craft, type Named, treeOf } from '../../support/git/raw-commit.ts'
import { copyDelta, objectId, type PackEntry, packOf, sha1 } from '../../support/git/raw-pack.ts'
import { commitFiles, gitOutside, openBench } from '../../support/git/repo.ts'
import { runs } from '../../support/long-run.ts'

const bench = await openBench()
test.after(() => bench.remove())
const repo = await bench.create('target.git')
const main = await commitFiles(repo, { 'a.md': 'old a\n', 'f/b.md': 'old b\n' })
const oldFolder = gitOutside(repo.dir, ['rev-parse', `${main}:f`])
const hidden = await commitFiles(repo, { 'a.md': 'hidden\n' }, { ref: 'refs/stemma/x' })
const hiddenFile = gitOutside(repo.dir, ['rev-parse', `${hidden}:a.md`])

/** A change of the bytes of a pack. `place` is a part of its length. */
type Change = { kind: 'flip' | 'cut' | 'insert' | 'count' | 'digest'; place: number; byte: number }

type Pushed = {
  text: string
  mode: string
  name: string
  /** How the second file is sent: whole, or as a delta on the first one. */
  second: 'whole' | 'by offset' | 'by id' | 'on nothing'
  folder: 'old' | 'new' | 'absent'
  more: 'nothing' | 'unreached' | 'twice' | 'hidden' | 'missing' | 'tag'
  change: Change | undefined
}

function packedFiles({ text, second, more }: Pushed) {
  const one = Buffer.from(`${text}\n`)
  const two = Buffer.from(`${text}\nmore`)
  const delta = copyDelta(one.length, one.length, 1, 'more')
  const oneId = objectId('blob', one)
  const forms: Record<Pushed['second'], PackEntry> = {
    whole: { type: 'blob', content: two },
    'by offset': { type: 'delta', base: 0, content: delta },
    'by id': { type: 'delta', base: oneId, content: delta },
    'on nothing': { type: 'delta', base: 'd'.repeat(40), content: delta },
  }
  const extra: PackEntry[] =
    more === 'unreached'
      ? [{ type: 'blob', content: Buffer.from('unreached') }]
      : more === 'twice'
        ? [{ type: 'blob', content: one }]
        : more === 'tag'
          ? [{ type: 'tag', content: Buffer.from(`object ${main}\ntype commit\ntag v1\n\nText\n`) }]
          : []
  const blob: PackEntry = { type: 'blob', content: one }

  return { entries: [blob, forms[second], ...extra], oneId, twoId: objectId('blob', two) }
}

/** Returns the pack of a commit on main, and the commit. */
function packed(pushed: Pushed): { pack: Buffer; tip: Oid } {
  const { entries, oneId, twoId } = packedFiles(pushed)
  const { folder, more, mode, name } = pushed
  const newFolder = treeOf([['100644', 'b.md', twoId]])
  const file = more === 'hidden' ? hiddenFile : more === 'missing' ? 'e'.repeat(40) : oneId
  const named: Named[] = [[mode, name, file]]
  if (folder === 'absent') named.push(['100644', 'z.md', twoId])
  else named.push(['40000', 'f', folder === 'old' ? oldFolder : objectId('tree', newFolder)])

  const trees = [...(folder === 'new' ? [newFolder] : []), treeOf(named)]
  const { commit, to } = craft([main], trees)
  const all: PackEntry[] = [
    ...entries,
    ...trees.map((content): PackEntry => ({ type: 'tree', content })),
    { type: 'commit', content: commit },
  ]

  return { pack: changed(packOf(all), pushed.change), tip: asOid(to) }
}

/** Returns a pack after a change of its bytes, with their digest at its end. */
function changed(pack: Buffer, change: Change | undefined): Buffer {
  if (!change) return pack
  const { kind, place, byte } = change
  const body = Buffer.from(pack.subarray(0, -20))
  const at = Math.floor(place * body.length)
  const signed = (bytes: Buffer) => Buffer.concat([bytes, sha1(bytes)])

  if (kind === 'digest') return Buffer.concat([body, Buffer.alloc(20, byte)])
  if (kind === 'cut') return signed(Buffer.concat([body.subarray(0, at), body.subarray(at + 1)]))
  if (kind === 'insert')
    return signed(Buffer.concat([body.subarray(0, at), Buffer.of(byte), body.subarray(at)]))
  if (kind === 'count') body.writeUInt32BE(byte % 8, 8)
  else body.writeUInt8((body[at]! ^ byte) & 0xff, at)

  return signed(body)
}

const usual = <Value>(value: Value, others: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: others })

const pushes: fc.Arbitrary<Pushed> = fc.record({
  text: fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme-ascii' }),
  mode: usual('100644', fc.constantFrom('100755', '120000', '100600', '160000', '40000')),
  name: usual('a.md', fc.constantFrom('.git', '.gitmodules', 'A', 'a/b', '..', 'g', 'a~1')),
  second: fc.constantFrom('whole', 'by offset', 'by id', 'on nothing'),
  folder: fc.constantFrom('old', 'new', 'absent'),
  more: usual<Pushed['more']>(
    'nothing',
    fc.constantFrom('unreached', 'twice', 'hidden', 'missing', 'tag'),
  ),
  change: usual<Change | undefined>(
    undefined,
    fc.record({
      kind: fc.constantFrom('flip', 'cut', 'insert', 'count', 'digest'),
      place: fc.double({ min: 0, max: 0.999, noNaN: true }),
      byte: fc.integer({ min: 1, max: 255 }),
    }),
  ),
})

/** The verdict on a pack: its objects and new commits, or that it is refused. */
type Verdict = { objects: number; parents: [Oid, readonly Oid[]][] } | 'refused'

const verdict = (check: (quarantine: Quarantine) => ReturnType<typeof checkObjects>) =>
  withQuarantine(repo, join(bench.folder, 'staging'), async quarantine => {
    const found: Verdict = await check(quarantine).then(
      ({ objects, parents }) => ({ objects, parents: [...parents] }),
      error => {
        assert.ok(error instanceof PackRefused || isGitError(error), String(error))
        return 'refused'
      },
    )
    return { found, byGit: existsSync(quarantine.packFile) }
  })

test('small packs get the same verdict in memory and from Git', async () => {
  let [inMemory, refused] = [0, 0]
  const property = fc.asyncProperty(pushes, async pushed => {
    const { pack, tip } = packed(pushed)
    const options = { tips: [tip], visible: [main], fileBytes: 10_000, isPartial: false }
    const bytes = pack.length
    const small = await verdict(quarantine =>
      checkObjects(quarantine, { bytes, whole: pack }, options),
    )
    const large = await verdict(async quarantine => {
      await quarantine.writePack(pack)
      return checkObjects(quarantine, { bytes }, options)
    })

    assert.equal(small.found, large.found)
    if (!small.byGit) inMemory++
    if (large.found === 'refused') refused++
  })

  const numRuns = runs(400)
  await fc.assert(property, { numRuns, seed: 20261127 })
  const least = numRuns / 20
  assert.ok(inMemory > least && refused > least, `${inMemory} in memory, ${refused} refused`)
})

test.run()
