import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openQuarantine } from '../../../src/git/commits/quarantine.ts'
import { treeOf } from '../../../src/git/trees/tree-files.ts'
import { type Bench, commitFiles, fsck, gitOutside, openBench } from '../../support/git/repo.ts'
import { runs } from '../../support/long-run.ts'

let bench: Bench

test.before(async () => {
  bench = await openBench()
})
test.after(() => bench.remove())

const listed = (dir: string, tree: string) =>
  new Map(
    gitOutside(dir, [
      'ls-tree',
      '-r',
      '-z',
      '--format=%(objectmode) %(objectname)%x09%(path)',
      tree,
    ])
      .split('\0')
      .filter(Boolean)
      .map(line => line.split('\t') as [string, string])
      .map(([entry, path]) => [path, entry] as const),
  )

/**
 * Whether a path conflicts with the other side: a file where that needs a folder, or the reverse.
 */
const blocked = (path: string, files: ReadonlyMap<string, string>) =>
  [...files.keys()].some(other => other.startsWith(`${path}/`) || path.startsWith(`${other}/`))

test("a union has all files of the winner and the other side's files that do not conflict with them", async () => {
  const repo = await bench.create()
  let made = 0
  const path = fc.array(fc.constantFrom('a', 'b', 'c.md', 'd'), { minLength: 1, maxLength: 3 })
  const side = fc
    .array(fc.tuple(path, fc.constantFrom('x', 'y', 'z')), { maxLength: 6 })
    .map(entries => {
      const files: Record<string, string> = {}
      for (const [parts, text] of entries) {
        const name = parts.join('/')
        const names = new Map(Object.entries(files))
        if (!names.has(name) && !blocked(name, names)) files[name] = text
      }
      return files
    })

  await fc.assert(
    fc.asyncProperty(side, side, async (ours, theirs) => {
      const ref = `refs/heads/r${made++}`
      const trees = []
      for (const [at, files] of [ours, theirs].entries())
        trees.push(
          await treeOf(repo, await commitFiles(repo, files, { ref: `${ref}-${at}`, parents: [] })),
        )

      const [winner, other] = trees.map(tree => listed(repo.dir, tree))
      const quarantine = openQuarantine(repo)
      const united = await quarantine.uniteTrees(trees[0]!, trees[1]!)

      await quarantine.flush()
      const wanted = new Map(winner)

      for (const [name, entry] of other!)
        if (!winner!.has(name) && !blocked(name, winner!)) wanted.set(name, entry)
      assert.equal([...listed(repo.dir, united)].sort(), [...wanted].sort())
    }),
    { numRuns: runs(30) },
  )
  fsck(repo)
})

test('names that are not text and odd modes are copied unchanged', async () => {
  const repo = await bench.create('b.git')
  const blob = gitOutside(repo.dir, ['hash-object', '-w', '--stdin'], 'x')
  const tree = (input: Buffer) => gitOutside(repo.dir, ['mktree', '-z'], input)
  const odd = tree(Buffer.concat([Buffer.from(`100755 blob ${blob}\tod`), Buffer.of(0xff, 0)]))
  const link = tree(Buffer.from(`120000 blob ${blob}\tlink\0`))
  const quarantine = openQuarantine(repo)
  const united = await quarantine.uniteTrees(odd as never, link as never)

  await quarantine.flush()
  const lines = gitOutside(repo.dir, ['ls-tree', united]).split('\n')

  assert.equal(
    lines.map(line => line.slice(0, 6)),
    ['120000', '100755'],
  )
  assert.match(lines[1]!, /"od\\377"$/)
})

test.run()
