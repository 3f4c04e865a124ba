import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openQuarantine, type Quarantine } from '../../../src/git/commits/quarantine.ts'
import { installPack } from '../../../src/git/exchange/install-pack.ts'
import { packKnown } from '../../../src/git/exchange/pack-known.ts'
import { packObjects } from '../../../src/git/exchange/pack-objects.ts'
import { isComplete } from '../../../src/git/history/complete.ts'
import { readCommit } from '../../../src/git/objects/objects.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import { listFiles } from '../../../src/git/trees/tree-files.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { commitFiles, fsck, openBench } from '../../support/git/repo.ts'

const bench = await openBench()
test.after(() => bench.remove())
const source = await bench.create('source.git')
const many = Object.fromEntries(
  Array.from({ length: 300 }, (_, n) => [`folder/page-${n}.md`, `${n}\n`]),
)
const base = await commitFiles(source, { ...many, 'folder/below/a.md': 'a\n', 'other.md': 'o\n' })
const by = { name: 'Ada', email: 'a@example.org', at: 1 }

type Files = Record<string, string | null>

/** Writes a commit on top of another one into a quarantine. */
async function commit(quarantine: Quarantine, parent: Oid, from: Oid, files: Files): Promise<Oid> {
  const changes = []
  for (const [path, text] of Object.entries(files))
    changes.push({
      path,
      oid: text === null ? null : await quarantine.writeBlob(Buffer.from(text)),
    })
  const tree = await quarantine.writeTree(from, changes)
  return quarantine.writeCommit({
    tree,
    parents: [parent],
    author: by,
    committer: by,
    message: 'm',
  })
}

const treeOf = async (oid: Oid, repo: Repository = source) => (await readCommit(repo, oid))!.tree

/** Returns a repository that has the base, and a pack. */
async function received(name: string, pack: Buffer): Promise<Repository> {
  const target = await bench.create(name)
  await installPack(target, packObjects(source, { wants: [base] }))
  const bytes = async function* () {
    yield pack
  }
  await installPack(target, bytes())
  return target
}

test('a change is packed from its objects as Git would pack it', async () => {
  const quarantine = openQuarantine(source)
  const one = await commit(quarantine, base, await treeOf(base), {
    'folder/page-7.md': 'new\n',
    'folder/page-8.md': null,
    'folder/below/b/c.md': 'deep\n',
  })
  const tree = (await quarantine.readObject(one))!.content.toString('latin1', 5, 45) as Oid
  const two = await commit(quarantine, one, tree, { 'folder/zz.md': 'last\n', 'other.md': 'p\n' })
  const wish = { wants: [two], haves: [base] }
  const pack = (await packKnown(source, await quarantine.objects(), wish))!
  // Two commits with two changed trees each, two more trees, and four files.
  assert.is(pack.readUInt32BE(8), 12)
  assert.ok(pack.length < 2_500, `deltas of trees: ${pack.length} bytes`)
  const target = await received('target.git', pack)
  assert.ok(await isComplete(target, two, []))
  fsck(target)
  await quarantine.flush()
  assert.equal(await listFiles(target, two), await listFiles(source, two))
})

test('what is neither among the objects nor at its place in the base is left to Git', async () => {
  const { files } = await listFiles(source, base)
  const other = files.find(({ path }) => path === 'other.md')!
  const quarantine = openQuarantine(source)
  const tree = await quarantine.writeTree(await treeOf(base), [
    { path: 'folder/copy.md', oid: other.oid },
  ])
  const about = { author: by, committer: by, message: 'm' }
  const copied = await quarantine.writeCommit({ tree, parents: [base], ...about })
  const objects = await quarantine.objects()
  const packed = (wants: Oid[], haves: Oid[]) => packKnown(source, objects, { wants, haves })
  assert.is(await packed([copied], [base]), undefined)
  assert.is(await packed(['f'.repeat(40) as Oid], [base]), undefined)
  const same = await quarantine.writeCommit({ tree: await treeOf(base), parents: [base], ...about })
  const pack = async (haves: Oid[]) =>
    packKnown(source, await quarantine.objects(), { wants: [same], haves })
  assert.is((await pack([base]))?.readUInt32BE(8), 1)
  assert.is(await pack([]), undefined, 'the parent')
})

test('a large change is left to Git', async () => {
  const quarantine = openQuarantine(source)
  const oid = await commit(quarantine, base, await treeOf(base), { 'big.md': 'x'.repeat(300_000) })
  const wish = { wants: [oid], haves: [base] }
  assert.is(await packKnown(source, await quarantine.objects(), wish), undefined)
})

test.run()
