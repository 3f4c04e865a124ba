import { readdirSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  isAncestor,
  type MergeResult,
  mergeBase,
  mergeTrees,
} from '../../../src/git/commits/merge.ts'
import { openQuarantine } from '../../../src/git/commits/quarantine.ts'
import { readBlob, readObject } from '../../../src/git/objects/objects.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import { findEntry, listFiles } from '../../../src/git/trees/tree-files.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import { asOid, type Oid } from '../../../src/lib/oid.ts'
import { type Bench, commitFiles, fsck, openBench } from '../../support/git/repo.ts'

const test = suite<{ bench: Bench; repo: Repository }>('merge')
test.before.each(async context => {
  context.bench = await openBench()
  context.repo = await context.bench.create()
})
test.after.each(({ bench }) => bench.remove())

type Files = Record<string, string | Uint8Array | null>
const draft = 'refs/heads/change-requests/1'
const nothing = asOid('1'.repeat(40))

/** Two branches from the same start. */
async function branches(
  repo: Repository,
  base: Files,
  ours: Files,
  theirs: Files,
): Promise<[Oid, Oid, Oid]> {
  const start = await commitFiles(repo, base)
  const right = await commitFiles(repo, theirs, { ref: draft, parents: [start] })
  return [start, await commitFiles(repo, ours), right]
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    return isGitError(error) ? error.code : String(error)
  }
  return 'no error'
}

const text = async (repo: Repository, tree: Oid, path: string) =>
  (await readBlob(repo, (await findEntry(repo, tree, path))!.oid))?.toString()

/** Merges two commits, and writes the result into the repository. */
async function mergeInto(repo: Repository, ours: Oid, theirs: Oid): Promise<MergeResult> {
  const quarantine = openQuarantine(repo)
  const merged = await mergeTrees(repo, ours, theirs, quarantine)
  await quarantine.flush()
  return merged
}

const lines = (middle: string) => `# Title\n\none\ntwo\n${middle}\nfour\nfive\n\nend\n`
const leftovers = (repo: Repository) =>
  readdirSync(`${repo.dir}/objects`).filter(name => name.startsWith('tmp'))

test('changes in different places are merged, also through a rename', async ({ repo }) => {
  const base = { 'a.md': lines('three'), 'b.md': lines('b'), 'd/c.md': 'c' }
  const [, ours, theirs] = await branches(
    repo,
    base,
    { 'a.md': lines('THREE'), 'd/new.md': 'n' },
    { 'a.md': null, 'e/moved.md': lines('three').replace('end', 'END'), 'b.md': lines('B') },
  )
  const merged = await mergeInto(repo, ours, theirs)
  assert.ok(merged.clean)
  assert.is(await text(repo, merged.tree, 'e/moved.md'), lines('THREE').replace('end', 'END'))
  assert.is(await text(repo, merged.tree, 'b.md'), lines('B'))
  assert.equal(leftovers(repo), [])
  fsck(repo)
})

test('a merge without a quarantine writes no object', async ({ repo }) => {
  const [, ours, theirs] = await branches(
    repo,
    { 'a.md': 'a', 'b.md': 'b' },
    { 'a.md': 'A' },
    { 'b.md': 'B' },
  )
  const merged = await mergeTrees(repo, ours, theirs)
  assert.ok(merged.clean)
  assert.is(await readObject(repo, merged.tree), undefined)
  assert.equal(leftovers(repo), [])
  assert.is((await mergeInto(repo, ours, theirs)).tree, merged.tree)
  assert.is((await readObject(repo, merged.tree))?.type, 'tree')
})

test('each type of conflict is reported with both sides', async ({ repo }) => {
  const [, ours, theirs] = await branches(
    repo,
    {
      'text.md': lines('x'),
      'gone.md': lines('y'),
      'ren.md': lines('ren'),
      'bin.png': Buffer.from([0, 1]),
      'rd.md': lines('rd'),
    },
    {
      'text.md': lines('O'),
      'gone.md': null,
      'ren.md': null,
      'r1.md': lines('ren'),
      'bin.png': Buffer.from([0, 2]),
      'both.md': 'o\n',
      'rd.md': null,
      'rd2.md': lines('rd'),
      fd: 'file',
    },
    {
      'text.md': lines('T'),
      'gone.md': lines('Y'),
      'ren.md': null,
      'r2.md': lines('ren'),
      'bin.png': Buffer.from([0, 3]),
      'both.md': 't\n',
      'rd.md': null,
      'fd/x.md': 'folder',
    },
  )
  const merged = await mergeInto(repo, ours, theirs)
  assert.not(merged.clean)
  if (merged.clean) return

  const types = Object.fromEntries(merged.conflicts.map(({ path, type }) => [path, type]))

  assert.is(types['text.md'], 'content')
  assert.is(types['gone.md'], 'modify/delete')
  assert.is(types['bin.png'], 'binary')
  assert.is(types['both.md'], 'add/add')
  assert.is(types['rd2.md'], 'rename/delete')
  assert.is(types['ren.md'], 'rename/rename')
  assert.ok(merged.conflicts.some(({ type }) => type === 'file/directory'))
  const byPath = new Map(merged.conflicts.map(conflict => [conflict.path, conflict]))

  assert.equal(Object.keys(byPath.get('text.md')!.stages), ['base', 'ours', 'theirs'])
  assert.equal(Object.keys(byPath.get('gone.md')!.stages), ['base', 'theirs'])
  assert.equal(Object.keys(byPath.get('both.md')!.stages), ['ours', 'theirs'])
  assert.is((await readBlob(repo, byPath.get('both.md')!.stages.theirs!.oid))?.toString(), 't\n')
  assert.ok(
    merged.conflicts.every(({ message }) => message.endsWith('.') && !message.includes(ours)),
  )
  assert.match((await text(repo, merged.tree, 'text.md'))!, /<<<<<<< .*\nO\n=======\nT\n>>>>>>> /)
  assert.ok((await listFiles(repo, merged.tree)).files.length > 5)
})

test('a name with arbitrary bytes conflicts like any other', async ({ repo }) => {
  const path = 'a b\t"ü".md'
  await commitFiles(repo, { 'x.md': 'x' })
  const error = await commitFiles(repo, { [path]: 'x' }).catch((reason: unknown) => reason)
  assert.ok(isGitError(error, 'path_invalid'))
  const named = 'a b "ü" 1 x.md'
  const [, ours, theirs] = await branches(
    repo,
    { [named]: 'x\n' },
    { [named]: 'o\n' },
    { [named]: 't\n' },
  )
  const merged = await mergeInto(repo, ours, theirs)

  assert.equal(!merged.clean && merged.conflicts.map(conflict => conflict.path), [named])
})

test('unrelated histories and unknown commits are not merged', async ({ repo }) => {
  const ours = await commitFiles(repo, { 'a.md': 'a' })
  const theirs = await commitFiles(repo, { 'a.md': 'b' }, { ref: draft, parents: [] })
  assert.is(await codeOf(mergeTrees(repo, ours, theirs)), 'unrelated')
  assert.is(await codeOf(mergeTrees(repo, ours, nothing)), 'not_found')
  assert.is(await mergeBase(repo, ours, theirs), undefined)
  assert.equal(leftovers(repo), [])
})

test('ancestors are distinguished from descendants', async ({ repo }) => {
  const [start, ours, theirs] = await branches(
    repo,
    { 'a.md': 'a' },
    { 'a.md': 'b' },
    { 'a.md': 'c' },
  )

  assert.is(await mergeBase(repo, ours, theirs), start)
  assert.ok(await isAncestor(repo, start, ours))
  assert.ok(await isAncestor(repo, ours, ours))
  assert.not(await isAncestor(repo, ours, start))
  assert.not(await isAncestor(repo, ours, theirs))
  assert.is(await codeOf(isAncestor(repo, nothing, ours)), 'not_found')
  assert.is(await codeOf(mergeBase(repo, nothing, ours)), 'not_found')
})

test.run()
