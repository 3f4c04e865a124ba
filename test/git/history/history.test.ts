import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mergeTrees } from '../../../src/git/commits/merge.ts'
import { openQuarantine } from '../../../src/git/commits/quarantine.ts'
import {
  firstParentLog,
  type LoggedCommit,
  type LogOptions,
  reachable,
} from '../../../src/git/history/history.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import { moveRefs } from '../../../src/git/refs/refs.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import { asOid, type Oid } from '../../../src/lib/oid.ts'
import {
  ada,
  type Bench,
  commitFiles,
  gitOutside,
  main,
  openBench,
} from '../../support/git/repo.ts'

const test = suite<{ bench: Bench; repo: Repository }>('history')
test.before.each(async context => {
  context.bench = await openBench()
  context.repo = await context.bench.create()
})
test.after.each(({ bench }) => bench.remove())

async function log(repo: Repository, head: Oid, options?: LogOptions): Promise<LoggedCommit[]> {
  const commits = []
  for await (const commit of firstParentLog(repo, head, options)) commits.push(commit)
  return commits
}

const short = ({ changes }: LoggedCommit) =>
  changes.map(({ status, path, from }) => [status, from, path].join(' '))

/** main with one page, a change request that moves it, and the merge of both. */
async function story(repo: Repository) {
  const first = await commitFiles(
    repo,
    { 'a.md': 'text\n'.repeat(9), 'b.md': 'b' },
    { message: 'First' },
  )
  const draft = 'refs/heads/change-requests/1'
  const side = await commitFiles(
    repo,
    { 'a.md': null, 'd/a.md': 'text\n'.repeat(9) },
    { ref: draft, parents: [first] },
  )
  const second = await commitFiles(repo, { 'b.md': 'B' }, { message: 'Second' })
  const quarantine = openQuarantine(repo)
  const { tree } = await mergeTrees(repo, second, side, quarantine)
  const message = 'Merge\n\n:100644 100644 x\0y'
  const merge = await quarantine.writeCommit({
    tree,
    parents: [second, side],
    author: ada,
    committer: ada,
    message,
  })

  await quarantine.flush()
  await moveRefs(repo, [{ ref: main, from: second, to: merge }])

  return { first, side, second, merge, draft }
}

test('the first-parent line lists the changes of each step, including merges', async ({ repo }) => {
  const { first, second, side, merge } = await story(repo)
  const commits = await log(repo, merge)
  assert.equal(
    commits.map(commit => commit.oid),
    [merge, second, first],
  )

  assert.equal(commits.map(short), [
    ['renamed a.md d/a.md'],
    ['modified  b.md'],
    ['added  a.md', 'added  b.md'],
  ])
  assert.equal(commits[0]!.parents, [second, side])
  assert.is(commits[1]!.message, 'Second\n')
})

test('the walk ends at a commit, at a limit, or when the caller stops', async ({ repo }) => {
  const { first, second, merge } = await story(repo)
  assert.equal(
    (await log(repo, merge, { until: first })).map(commit => commit.oid),
    [merge, second],
  )

  assert.equal(
    (await log(repo, merge, { limit: 1 })).map(commit => commit.oid),
    [merge],
  )

  for await (const commit of firstParentLog(repo, merge)) {
    assert.is(commit.oid, merge)
    break
  }

  const error = await log(repo, asOid('1'.repeat(40))).catch((reason: unknown) => reason)

  assert.ok(isGitError(error, 'not_found'))
})

test('arbitrary bytes in messages, people and names do no harm; a commit without changes is listed', async ({
  repo,
}) => {
  const first = await commitFiles(repo, { 'a.md': 'a' })
  const tree = gitOutside(repo.dir, ['rev-parse', 'main^{tree}'])
  const commit = Buffer.concat([
    Buffer.from(`tree ${tree}\nparent ${first}\nauthor \u001b[31m`),
    Buffer.from([0xff]),
    Buffer.from(' <> 1 +0000\ncommitter x <x> 1 +0000\n\n'),
    Buffer.from([0xfe, 10, 0x3a, 0x31]),
  ])
  const odd = asOid(gitOutside(repo.dir, ['hash-object', '-t', 'commit', '-w', '--stdin'], commit))

  await moveRefs(repo, [{ ref: main, from: first, to: odd }])
  const last = await commitFiles(repo, { 'b.md': 'b' })
  const commits = await log(repo, last)

  assert.equal(
    commits.map(each => each.changes.length),
    [1, 0, 1],
  )
  assert.is(commits[1]!.message, 'þ\n:1')
})

test('a long history is complete and in order', async ({ repo }) => {
  const input = Array.from(
    { length: 1500 },
    (_, i) =>
      `commit refs/heads/long\ncommitter A <a> ${1_700_000_000 + (i % 7)} +0000\ndata 4\nm${String(i).padStart(3, '0').slice(-3)}\nM 644 inline p${i % 50}.md\ndata ${String(i).length}\n${i}\n`,
  ).join('\n')

  gitOutside(repo.dir, ['fast-import', '--quiet'], input)
  const head = asOid(gitOutside(repo.dir, ['rev-parse', 'refs/heads/long']))
  const commits = await log(repo, head)

  assert.is(commits.length, 1500)
  assert.is(commits.filter(commit => commit.changes.length === 1).length, 1500)
  for (const [i, commit] of commits.slice(0, -1).entries())
    assert.is(commit.parents[0], commits[i + 1]!.oid)
})

test('a commit is reachable from the branches that contain it', async ({ repo }) => {
  const { first, side, merge, draft } = await story(repo)
  assert.ok(await reachable(repo, first, [main]))
  assert.ok(await reachable(repo, side, [merge]))
  assert.not(await reachable(repo, merge, [draft]))
  assert.ok(await reachable(repo, merge, [draft, main]))
  assert.not(await reachable(repo, first, []))
})

test.run()
