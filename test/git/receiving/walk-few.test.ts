import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Repository } from '../../../src/git/process/processes.ts'
import { walkByGit } from '../../../src/git/receiving/check-closure.ts'
import { readPackIds } from '../../../src/git/receiving/pack-ids.ts'
import { PackRefused } from '../../../src/git/receiving/pack-refused.ts'
import { withQuarantine } from '../../../src/git/receiving/quarantine.ts'
import { storePack } from '../../../src/git/receiving/store-pack.ts'
import { walkFew } from '../../../src/git/receiving/walk-few.ts'
import { listRefs, moveRefs } from '../../../src/git/refs/refs.ts'
import { asOid, type Oid } from '../../../src/lib/oid.ts'
import { craft, type Named, treeOf } from '../../support/git/raw-commit.ts'
import { objectId, type PackEntry, packOf } from '../../support/git/raw-pack.ts'
import { commitFiles, gitOutside, openBench } from '../../support/git/repo.ts'
import { runs } from '../../support/long-run.ts'

const bench = await openBench()
test.after(() => bench.remove())

/** Files of more bytes are too large. */
const fileBytes = 10_000

/** What stands in the place of a file in a pushed commit. */
const choices = [
  'same',
  'new',
  'moved',
  'old',
  'hidden',
  'absent',
  'missing',
  'large',
  'folder',
] as const
type Choice = (typeof choices)[number]
const folderChoices = ['changed', 'again', 'same', 'old', 'hidden', 'file', 'submodule'] as const
type Pushed = {
  files: [a: Choice, b: Choice, c: Choice]
  folder: (typeof folderChoices)[number]
  parents: ('main' | 'old' | 'hidden' | 'before')[]
}

/** Everything that a commit may name: ids by where they stand, and commits by who sees them. */
type Known = { repo: Repository; ids: Record<string, string>; commits: Record<string, Oid> }

async function prepare(): Promise<Known> {
  const repo = await bench.create(`${randomBytes(8).toString('hex')}.git`)
  const files = (what: string) => ({
    'a.md': `${what} a\n`,
    'f/b.md': `${what} b\n`,
    'f/c.md': `${what} c\n`,
  })
  const old = await commitFiles(repo, files('old'))
  const main = await commitFiles(repo, files('main'), { parents: [old] })
  const hidden = await commitFiles(repo, files('hidden'), { ref: 'refs/heads/x' })

  await moveRefs(repo, [
    { ref: 'refs/heads/x', from: hidden, to: null },
    { ref: 'refs/stemma/x', from: null, to: hidden },
  ])
  const ids: Record<string, string> = {}

  for (const [name, commit] of Object.entries({ old, main, hidden }))
    for (const path of ['a.md', 'f', 'f/b.md', 'f/c.md'])
      ids[`${name}:${path}`] = gitOutside(repo.dir, ['rev-parse', `${commit}:${path}`])

  return { repo, ids, commits: { old, main, hidden } }
}

/**
 * Returns the pack of some commits, of which each may be a parent of the next, and the last one.
 */
function packed({ ids, commits }: Known, pushed: readonly Pushed[]): { pack: Buffer; tip: Oid } {
  const entries = new Map<string, PackEntry>()
  const add = (type: 'commit' | 'tree' | 'blob', content: Buffer): string => {
    const id = objectId(type, content)
    entries.set(id, { type, content })
    return id
  }

  const entryOf = (path: string, choice: Choice): [mode: string, oid: string][] => {
    const file = (id: string | undefined): [string, string][] => [['100644', id ?? '']]
    if (choice === 'absent') return []
    if (choice === 'new') return file(add('blob', randomBytes(20)))
    if (choice === 'large') return file(add('blob', randomBytes(fileBytes + 1)))
    if (choice === 'moved') return file(ids[`main:${path === 'f/b.md' ? 'f/c.md' : 'f/b.md'}`])
    if (choice === 'missing') return file(randomBytes(20).toString('hex'))
    if (choice === 'folder') return [['40000', ids['main:f'] ?? '']]
    return file(ids[`${choice === 'same' ? 'main' : choice}:${path}`])
  }
  let before: Oid | undefined
  const folders: string[] = []

  for (const { files, folder, parents } of pushed) {
    const [a, b, c] = files
    const named = (path: string, choice: Choice) =>
      entryOf(path, choice).map(([mode, oid]): Named => [mode, path.replace('f/', ''), oid])
    const inFolder = [...named('f/b.md', b), ...named('f/c.md', c)]
    const f: Record<Pushed['folder'], () => Named> = {
      changed: () => {
        folders.push(add('tree', treeOf(inFolder)))
        return ['40000', 'f', folders.at(-1)!]
      },
      again: () => ['40000', 'f', folders[0] ?? add('tree', treeOf(inFolder))],
      same: () => ['40000', 'f', ids['main:f'] ?? ''],
      old: () => ['40000', 'f', ids['old:f'] ?? ''],
      hidden: () => ['40000', 'f', ids['hidden:f'] ?? ''],
      file: () => ['100644', 'f', ids['main:a.md'] ?? ''],
      submodule: () => ['160000', 'f', randomBytes(20).toString('hex')],
    }
    const tree = treeOf([...named('a.md', a), f[folder]()])
    const from = new Set(
      parents.flatMap(name => (name === 'before' ? before : commits[name]) ?? []),
    )
    const { commit, to } = craft([...from], [tree], [])

    add('tree', tree)
    add('commit', commit)
    before = asOid(to)
  }

  return { pack: packOf([...entries.values()]), tip: before! }
}

/** Mostly the first of some values, so that most commits are harmless but for one place. */
const mostly = <Value>(usual: readonly Value[], all: readonly Value[]): fc.Arbitrary<Value> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...all) },
  )

const choice: fc.Arbitrary<Choice> = mostly(['new', 'same'], choices)
const pushedCommit: fc.Arbitrary<Pushed> = fc.record({
  files: fc.tuple(choice, choice, choice),
  folder: mostly(['changed', 'again'], folderChoices),
  parents: fc.array(mostly<Pushed['parents'][number]>(['main', 'before'], ['old', 'hidden']), {
    minLength: 1,
    maxLength: 2,
  }),
})

test('a walk without a process allows nothing that a walk by Git refuses, and finds the same parents', async () => {
  const known = await prepare()
  let [allowed, refused] = [0, 0]
  await fc.assert(
    fc.asyncProperty(fc.array(pushedCommit, { minLength: 1, maxLength: 4 }), async pushed => {
      const { pack, tip } = packed(known, pushed)
      await withQuarantine(known.repo, join(bench.folder, 'staging'), async quarantine => {
        await quarantine.writePack(pack)
        const isTaken = await storePack(quarantine).then(
          () => true,
          error => assert.instance(error, PackRefused) as unknown as false,
        )
        if (!isTaken) return

        const visible = [...(await listRefs(known.repo, 'refs/heads/')).values()]
        const ids = await readPackIds(quarantine.packFile)
        const options = { tips: [tip], visible, pack: ids, fileBytes, isPartial: true }
        const found = await walkFew(quarantine.repo, options)
        const byGit = await walkByGit(quarantine, options).catch(error => {
          assert.instance(error, PackRefused)
          refused++
        })
        if (!found) return
        allowed++
        assert.ok(byGit, 'Git refuses it')
        assert.equal([...found.parents].sort(), [...byGit.parents].sort())
        assert.ok(found.objects <= ids.size)
      })
    }),
    { numRuns: runs(400) },
  )
  assert.ok(allowed > 0 && refused > 0, `${allowed} allowed, ${refused} refused`)
})

/** A chain of commits whose folder is changed, changed in its other file, and changed back. */
const backAndForth: readonly Pushed[] = [
  { files: ['same', 'hidden', 'new'], folder: 'changed', parents: ['main'] },
  { files: ['same', 'hidden', 'new'], folder: 'changed', parents: ['before'] },
  { files: ['same', 'hidden', 'new'], folder: 'again', parents: ['before'] },
]

test('new commits do not justify each other', async () => {
  const known = await prepare()
  const { pack, tip } = packed(known, backAndForth)
  await withQuarantine(known.repo, join(bench.folder, 'staging'), async quarantine => {
    await quarantine.writePack(pack)
    await storePack(quarantine)
    const ids = await readPackIds(quarantine.packFile)
    const options = {
      tips: [tip],
      visible: [known.commits.main!],
      pack: ids,
      fileBytes,
      isPartial: false,
    }

    assert.is(await walkFew(quarantine.repo, options), undefined)
    assert.instance(await walkByGit(quarantine, options).catch(error => error), PackRefused)
  })
})

test('large trees are left to Git', async () => {
  const repo = await bench.create('large.git')
  const files = Object.fromEntries(Array.from({ length: 6_000 }, (_, n) => [`${n}.md`, 'text\n']))
  const main = await commitFiles(repo, files)
  const blob = randomBytes(20)
  const tree = gitOutside(repo.dir, ['ls-tree', main]).split('\n')
  const entries = tree.map((line): Named => [line.slice(0, 6), line.slice(53), line.slice(12, 52)])
  const changed = treeOf(
    entries.map(([mode, name, oid], n) => [mode, name, n ? oid : objectId('blob', blob)]),
  )
  const { pack, to } = craft([main], [changed], [{ type: 'blob', content: blob }])

  await withQuarantine(repo, join(bench.folder, 'staging'), async quarantine => {
    await quarantine.writePack(pack)
    await storePack(quarantine)
    const ids = await readPackIds(quarantine.packFile)
    const options = { tips: [asOid(to)], visible: [main], pack: ids, fileBytes, isPartial: false }
    assert.is(await walkFew(quarantine.repo, options), undefined)
    assert.equal([...(await walkByGit(quarantine, options)).parents], [[to, [main]]])
  })
})

test('an edit of a page, a new page and a merge need no walk by Git', async () => {
  const known = await prepare()
  const edit: Pushed = { files: ['new', 'same', 'new'], folder: 'changed', parents: ['main'] }
  const more: Pushed = {
    files: ['same', 'absent', 'new'],
    folder: 'changed',
    parents: ['before', 'main'],
  }

  for (const pushed of [[edit], [edit, more]]) {
    const { pack, tip } = packed(known, pushed)
    await withQuarantine(known.repo, join(bench.folder, 'staging'), async quarantine => {
      await quarantine.writePack(pack)
      await storePack(quarantine)
      const ids = await readPackIds(quarantine.packFile)
      const options = {
        tips: [tip],
        visible: [known.commits.main!],
        pack: ids,
        fileBytes,
        isPartial: false,
      }
      const walked = await walkFew(quarantine.repo, options)

      assert.is(walked?.parents.size, pushed.length)
      assert.is(walked?.objects, ids.size)
    })
  }
})

test.run()
