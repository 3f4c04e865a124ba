import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openQuarantine } from '../../../src/git/commits/quarantine.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import { runGit } from '../../../src/git/process/run.ts'
import { diffTrees, streamDiff, type TreeChange } from '../../../src/git/trees/diff.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import { parseRawDiff } from '../../../src/git/values/parse-diff.ts'
import { asOid, emptyTree, type Oid } from '../../../src/lib/oid.ts'
import { type Bench, commitFiles, openBench } from '../../support/git/repo.ts'
import { runs } from '../../support/long-run.ts'

const test = suite<{ bench: Bench; repo: Repository }>('diff')
test.before.each(async context => {
  context.bench = await openBench()
  context.repo = await context.bench.create()
})
test.after.each(({ bench }) => bench.remove())

const short = (changes: TreeChange[]) =>
  changes.map(({ status, path, from }) => `${status} ${from ? `${from} > ` : ''}${path}`)

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const page = (title: string) => `# ${title}\n\n${'Some text that stays the same.\n'.repeat(10)}`

test('a diff reports added, deleted, modified and renamed files', async ({ repo }) => {
  const a = await commitFiles(repo, {
    'a.md': 'a',
    'd/b.md': 'b',
    'd/old.md': page('Old'),
    'same.md': 's',
  })

  const b = await commitFiles(repo, {
    'a.md': 'A',
    'd/b.md': null,
    'e/new.md': page('New'),
    'd/old.md': null,
    'n.md': 'n',
  })

  assert.equal(short(await diffTrees(repo, a, b)), [
    'modified a.md',
    'deleted d/b.md',
    'deleted d/old.md',
    'added e/new.md',
    'added n.md',
  ])
  const renamed = await diffTrees(repo, a, b, { renames: true })

  assert.equal(short(renamed), [
    'modified a.md',
    'deleted d/b.md',
    'renamed d/old.md > e/new.md',
    'added n.md',
  ])
  assert.ok(renamed[2]!.similarity! > 80)
  assert.equal(short(await diffTrees(repo, null, a)), [
    'added a.md',
    'added d/b.md',
    'added d/old.md',
    'added same.md',
  ])
  assert.equal(await diffTrees(repo, a, a), [])
})

test('a file replaced by a folder is deleted, and the files in the folder are added', async ({
  repo,
}) => {
  const a = await commitFiles(repo, { x: 'file' })
  const b = await commitFiles(repo, { x: null, 'x/y.md': 'other' })
  assert.equal(short(await diffTrees(repo, a, b)), ['deleted x', 'added x/y.md'])
})

test('our comparison equals that of Git', async ({ repo }) => {
  const part = fc.constantFrom('a', 'b', 'a.b', 'ü', 'c')
  const path = fc.array(part, { minLength: 1, maxLength: 3 }).map(parts => parts.join('/'))
  const files = fc.dictionary(
    path,
    fc.tuple(fc.constantFrom('1', '2'), fc.constantFrom('100644', '100755', '120000')),
    { maxKeys: 7 },
  )
  const quarantine = openQuarantine(repo)
  const treeOf = async (all: Record<string, [string, string]>): Promise<Oid> => {
    const changes = []
    for (const [name, [content, mode]] of Object.entries(all))
      if (!Object.keys(all).some(other => other.startsWith(`${name}/`)))
        changes.push({ path: name, mode, oid: await quarantine.writeBlob(Buffer.from(content)) })
    return quarantine.writeTree(null, changes)
  }

  await fc.assert(
    fc.asyncProperty(files, files, async (left, right) => {
      const [a, b] = [await treeOf(left), await treeOf(right)]
      await quarantine.flush()
      const { stdout } = await runGit(repo, [
        'diff-tree',
        '-r',
        '-z',
        '--raw',
        '--no-abbrev',
        '--no-renames',
        a,
        b,
      ])
      const byPath = (x: TreeChange, y: TreeChange) => (x.path < y.path ? -1 : 1)

      assert.equal(await diffTrees(repo, a, b), parseRawDiff(stdout).sort(byPath))
    }),
    { numRuns: runs(40) },
  )
})

test('a unified diff can be complete, limited to one file, or limited in size', async ({
  repo,
}) => {
  const a = await commitFiles(repo, { 'a.md': 'one\ntwo\n', 'b.md': 'b\n' })
  const b = await commitFiles(repo, { 'a.md': 'one\nTWO\n', 'b.md': 'B\n', ':(top)c.md': 'c\n' })
  const all = await textOf(streamDiff(repo, a, b))
  assert.match(all, /-two\n\+TWO\n/)
  assert.match(all, /-b\n\+B\n/)
  assert.not.match(await textOf(streamDiff(repo, a, b, { path: 'a.md' })), /b\.md/)
  assert.match(await textOf(streamDiff(repo, a, b, { path: ':(top)c.md' })), /\+c\n/)
  assert.is(await textOf(streamDiff(repo, a, a)), '')
  assert.match(await textOf(streamDiff(repo, null, a)), /new file mode/)
  const codeOf = (stream: AsyncIterable<Buffer>) =>
    textOf(stream).then(
      () => 'no error',
      (error: unknown) => (isGitError(error) ? error.code : String(error)),
    )

  assert.is(await codeOf(streamDiff(repo, a, b, { maxBytes: 20 })), 'too_large')
  assert.is(await codeOf(streamDiff(repo, a, asOid('1'.repeat(40)))), 'not_found')
  assert.is(await textOf(streamDiff(repo, emptyTree, emptyTree)), '')
})

test.run()
