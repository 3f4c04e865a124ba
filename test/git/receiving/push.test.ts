import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { listPacks } from '../../../src/git/disk/list-packs.ts'
import { writePacks } from '../../../src/git/objects/pack.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import { runGit } from '../../../src/git/process/run.ts'
import { checkObjects } from '../../../src/git/receiving/check-objects.ts'
import { PackRefused } from '../../../src/git/receiving/pack-refused.ts'
import { receivePack, withQuarantine } from '../../../src/git/receiving/quarantine.ts'
import { moveRefs } from '../../../src/git/refs/refs.ts'
import { asOid, type Oid } from '../../../src/lib/oid.ts'
import {
  copyDelta,
  homeEntries,
  objectId,
  type PackEntry,
  packOf,
} from '../../support/git/raw-pack.ts'
import { chunksOf, pushInto, ways } from '../../support/git/receive.ts'
import { commitFiles, gitOutside, openBench } from '../../support/git/repo.ts'

const bench = await openBench()
test.after(() => bench.remove())

const push = pushInto(bench)
let made = 0
const create = () => bench.create(`${++made}.git`)

const gitOf = (repo: Repository, ...args: string[]): string => gitOutside(repo.dir, args)

/** Pushes a pack in both ways, which must be refused with the same words. Returns these. */
async function refusal(
  repo: Repository,
  pack: Buffer,
  tip: string,
  fileBytes?: number,
): Promise<string> {
  const said = new Set<string>()
  for (const way of ways) {
    const before = await countObjects(repo)
    const error = await push(repo, pack, tip, { way, ...(fileBytes && { fileBytes }) }).then(
      () => new Error('The pack was taken.'),
      (each: Error) => each,
    )
    assert.instance(error, PackRefused, error.message)
    assert.is(await countObjects(repo), before)
    said.add(error.message)
  }

  assert.is(said.size, 1, [...said].join('; '))

  return [...said].join()
}

const countObjects = async (repo: Repository): Promise<string> => gitOf(repo, 'count-objects', '-v')

const who = 'Mallory <mallory@example.org> 1700000000 +0000'
const commitOf = (tree: string, ...parents: string[]): Buffer =>
  Buffer.from(
    `tree ${tree}\n${parents.map(each => `parent ${each}\n`).join('')}author ${who}\ncommitter ${who}\n\nHostile\n`,
  )
const treeOf = (entries: [mode: string, name: string, oid: string][]): Buffer =>
  Buffer.concat(
    entries.flatMap(([mode, name, oid]) => [
      Buffer.from(`${mode} ${name}\0`),
      Buffer.from(oid, 'hex'),
    ]),
  )

/** A pack with a commit of a tree of these entries, and further entries. */
function crafted(
  tree: Buffer,
  { parents = [], more = [] }: { parents?: string[]; more?: PackEntry[] } = {},
): { pack: Buffer; tip: string } {
  const commit = commitOf(objectId('tree', tree), ...parents)
  const entries: PackEntry[] = [
    { type: 'commit', content: commit },
    { type: 'tree', content: tree },
    ...more,
  ]
  return { pack: packOf(entries), tip: objectId('commit', commit) }
}

/** A repository with a visible page on main and a commit that only a hidden ref leads to. */
async function withHidden(): Promise<{
  repo: Repository
  head: Oid
  hidden: Oid
  blob: string
  tree: string
}> {
  const repo = await create()
  const head = await commitFiles(repo, { 'a.md': 'visible\n' })
  const hidden = await commitFiles(
    repo,
    { 'secret.md': 'hidden\n'.repeat(20) },
    { ref: 'refs/heads/x' },
  )

  await moveRefs(repo, [
    { ref: 'refs/heads/x', from: hidden, to: null },
    { ref: 'refs/stemma/remotes/x', from: null, to: hidden },
  ])
  const blob = gitOf(repo, 'rev-parse', `${hidden}:secret.md`)

  return { repo, head, hidden, blob, tree: gitOf(repo, 'rev-parse', `${hidden}^{tree}`) }
}

const endingsOf = async (repo: Repository) =>
  (await readdir(join(repo.dir, 'objects/pack'))).map(name => name.split('.')[1]).sort()

test('a pack is taken, one of many objects with a reverse index, and its objects can be read', async () => {
  for (const way of ways) {
    const repo = await create()
    const { entries, commit } = homeEntries()
    const parents = await push(repo, packOf(entries), commit, { way })
    assert.equal([...parents.keys()], [])
    assert.equal(await endingsOf(repo), way === 'file' ? ['idx', 'pack'] : [])
    assert.is(gitOf(repo, 'cat-file', '-t', commit), 'commit')
    await push(repo, packOf(entries), commit, { way })
    gitOf(repo, 'fsck', '--strict', commit)
  }

  const large = await create()
  const blobs = Array.from({ length: 1_000 }, (_, n) => Buffer.from(`Page ${n}\n`))
  const tree = treeOf(blobs.map((blob, n) => ['100644', `${1_000 + n}.md`, objectId('blob', blob)]))
  const { pack, tip } = crafted(tree, { more: blobs.map(content => ({ type: 'blob', content })) })

  await push(large, pack, tip)
  assert.equal(await endingsOf(large), ['idx', 'pack', 'rev'])
  assert.is(gitOf(large, 'ls-tree', '--name-only', tip).split('\n').length, 1_000)
})

test('where there are many packs, few small objects are loose and large ones are one more pack', async () => {
  const repo = await create()
  const folder = join(repo.dir, 'objects/pack')
  for (let i = 0; i < 50; i++) {
    const whole = () => Buffer.from(`blob 2\0${10 + i}`)
    await writePacks(folder, [{ oid: asOid(objectId('blob', Buffer.from(`${10 + i}`))), whole }])
  }

  const takes = async (content: Buffer) => {
    const tree = treeOf([['100644', 'a.md', objectId('blob', content)]])
    const { pack, tip } = crafted(tree, { more: [{ type: 'blob', content }] })
    await push(repo, pack, tip, { way: 'file', fileBytes: 64 * 1024 ** 2 })
    return (await listPacks(repo)).length
  }

  assert.is(await takes(Buffer.from('# A\n')), 50)

  // A few kilobytes as they are sent.
  assert.is(await takes(Buffer.alloc(9 * 1024 ** 2)), 51)
})

test('a small pack is in no file until git is started in its quarantine', async () => {
  const repo = await create()
  const { entries, commit } = homeEntries()
  const pack = packOf(entries)
  const staging = join(bench.folder, 'staging')

  await withQuarantine(repo, staging, async quarantine => {
    const received = await receivePack(quarantine, chunksOf(pack), 1024 ** 2)
    const options = { tips: [asOid(commit)], visible: [], fileBytes: 1024 ** 2, isPartial: false }
    assert.is((await checkObjects(quarantine, received, options)).objects, entries.length)
    assert.not(existsSync(quarantine.repo.dir))
    const list = () =>
      runGit(quarantine.repo, ['rev-list', '--objects', '--no-object-names', commit])

    for (const { stdout } of await Promise.all([list(), list()]))
      assert.is(stdout.toString().trim().split('\n').length, entries.length)
    assert.is(gitOf(repo, 'count-objects'), '0 objects, 0 kilobytes')
  })
  assert.equal(await readdir(staging), [])
})

test('a small pack in many chunks', async () => {
  const repo = await create()
  const { entries } = homeEntries()
  const pack = packOf([...entries, { type: 'blob', content: randomBytes(10_000) }])
  async function* bytes(): AsyncGenerator<Buffer> {
    for (let at = 0; at < pack.length; at++) yield pack.subarray(at, at + 1)
  }
  await withQuarantine(repo, join(bench.folder, 'staging'), async quarantine => {
    const received = await receivePack(quarantine, bytes(), 1024 ** 2)
    assert.equal(received, { bytes: pack.length, whole: pack })
  })
})

test('packs that are broken', async () => {
  const repo = await create()
  const { entries, commit } = homeEntries()
  const good = packOf(entries)
  const version = Buffer.from(good)

  version.writeUInt32BE(9, 4)
  const many = Buffer.from(good)

  many.writeUInt32BE(4_000_000_000, 8)
  const flipped = Buffer.from(good)

  flipped[flipped.length - 1]! ^= 1
  const bad = [
    Buffer.alloc(0),
    Buffer.from('PACK'),
    good.subarray(0, -30),
    flipped,
    version,
    many,
    Buffer.concat([good, Buffer.from('more')]),
  ]

  for (const pack of bad) assert.is(await refusal(repo, pack, commit), 'the pack is broken')
})

test('an empty pack is taken only with its digest, and only for what is visible', async () => {
  const { repo, head, hidden } = await withHidden()
  const empty = packOf([])
  await push(repo, empty, head)
  assert.match(await refusal(repo, empty, hidden), /lacks objects/)
  const wrong = Buffer.from(empty)
  wrong[31]! ^= 1
  assert.is(await refusal(repo, wrong, head), 'the pack is broken')
})

test('hidden objects are refused with the words for missing ones', async () => {
  const { repo, head, hidden, blob, tree } = await withHidden()
  const lacks = 'the pack lacks objects that it refers to'
  const missing = 'd'.repeat(40)
  const page = treeOf([['100644', 'a.md', gitOf(repo, 'rev-parse', `${head}:a.md`)]])

  for (const [parent, file, folder] of [
    [hidden, blob, tree],
    [missing, missing, missing],
  ]) {
    const withParent = crafted(page, { parents: [parent!] })
    assert.is(await refusal(repo, withParent.pack, withParent.tip), lacks)
    const withBlob = crafted(treeOf([['100644', 'b.md', file!]]), { parents: [head] })
    assert.is(await refusal(repo, withBlob.pack, withBlob.tip), lacks)
    const withTree = crafted(treeOf([['40000', 'b', folder!]]), { parents: [head] })
    assert.is(await refusal(repo, withTree.pack, withTree.tip), lacks)
  }

  const commit = commitOf(tree, head)
  const ofHiddenTree = packOf([{ type: 'commit', content: commit }])

  assert.is(await refusal(repo, ofHiddenTree, objectId('commit', commit)), lacks)
})

test('a delta against an object outside the pack is refused, whether hidden or visible', async () => {
  const { repo, head, blob } = await withHidden()
  const visible = gitOf(repo, 'rev-parse', `${head}:a.md`)
  for (const [base, size] of [
    [blob, 140],
    [visible, 8],
  ] as const) {
    const text = `${base === blob ? 'hidden\n'.repeat(20) : 'visible\n'}end`
    const tree = treeOf([['100644', 'a.md', objectId('blob', Buffer.from(text))]])
    const delta = copyDelta(size, size, 1, 'end')
    const { pack, tip } = crafted(tree, {
      parents: [head],
      more: [{ type: 'delta', base, content: delta }],
    })
    assert.is(await refusal(repo, pack, tip), 'the pack lacks objects that it refers to')
  }
})

test('a file that only an older visible commit has may be named again', async () => {
  const repo = await create()
  const first = await commitFiles(repo, { 'a.md': 'one\n' })
  const old = gitOf(repo, 'rev-parse', `${first}:a.md`)
  const head = await commitFiles(repo, { 'a.md': 'two\n', 'b.md': 'b\n' })
  const b = gitOf(repo, 'rev-parse', `${head}:b.md`)
  const { pack, tip } = crafted(
    treeOf([
      ['100644', 'a.md', old],
      ['100644', 'b.md', b],
    ]),
    { parents: [head] },
  )
  const parents = await push(repo, pack, tip)

  assert.equal([...parents], [[tip, [head]]])
})

test('objects that fsck refuses are named', async () => {
  const repo = await create()
  const page = Buffer.from('# Home\n')
  const oid = objectId('blob', page)
  const { pack, tip } = crafted(treeOf([['100644', '.git', oid]]), {
    more: [{ type: 'blob', content: page }],
  })

  assert.match(
    await refusal(repo, pack, tip),
    /^the pack holds an object that is not allowed: hasDotgit: /,
  )
})

test('a large file in a small pack is refused', async () => {
  const repo = await create()
  const zeros = Buffer.alloc(3 * 1024 ** 2)
  const { pack, tip } = crafted(treeOf([['100644', 'zeros', objectId('blob', zeros)]]), {
    more: [{ type: 'blob', content: zeros }],
  })
  assert.is(await refusal(repo, pack, tip), 'a file is larger than 1 MB')
})

test('beyond 50 packs the objects of a small push are loose', async () => {
  const repo = await create()
  let tip = ''
  for (let i = 0; i < 52; i++) {
    const page = Buffer.from(`page ${i}\n`)
    const { pack, tip: next } = crafted(treeOf([['100644', 'a.md', objectId('blob', page)]]), {
      more: [{ type: 'blob', content: page }],
    })
    tip = next
    await push(repo, pack, tip, { way: 'file' })
  }

  const packs = (await readdir(join(repo.dir, 'objects/pack'))).filter(name =>
    name.endsWith('.pack'),
  )

  assert.is(packs.length, 50)
  assert.is(gitOf(repo, 'cat-file', '-p', `${tip}:a.md`), 'page 51')
})

test('a pack beyond the limit is refused while it comes', async () => {
  const repo = await create()
  const staging = join(bench.folder, 'staging')
  await withQuarantine(repo, staging, async quarantine => {
    const error = await receivePack(
      quarantine,
      chunksOf(Buffer.alloc(1024 ** 2 + 1)),
      1024 ** 2,
    ).catch(each => each)
    assert.instance(error, PackRefused)
    assert.is(error.message, 'the push is larger than 1 MB')
  })
})

test.run()
