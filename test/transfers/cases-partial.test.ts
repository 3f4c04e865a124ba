import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { remoteOf } from '../support/git/client.ts'
import { openPushBench, type PushBench, told } from '../support/git/pushing.ts'

let bench: PushBench
let spaceId = ''
let remote = ''
/** The commits of the primary content that were pushed, the oldest first. */
const commits: string[] = []

test.before(async () => {
  bench = await openPushBench()
  spaceId = await bench.space()
  remote = remoteOf(bench.app.url, spaceId, bench.app.admin.token)
  const source = await bench.clone(spaceId)

  for (const [i, name] of ['two', 'three', 'four'].entries())
    commits.push(
      await bench.commit(
        source,
        { [`${name}.md`]: `# ${name}\n`, 'long.md': `${i} ${'word '.repeat(400)}` },
        name,
      ),
    )

  await bench.push(source, 'origin', 'main')
  await bench.client.ok(['checkout', '-q', '-b', 'idea', commits[0]!], { in: source })
  await bench.commit(source, { 'idea.md': '# Idea\n' })
  await bench.push(source, 'origin', 'idea')
})
test.after(() => bench.stop())

const versions = ['0', '1', '2'] as const
const at = (version: string) => ['-c', `protocol.version=${version}`]

let made = 0
/** Clones the space with these options. Returns the name of the clone. */
async function clone(version: string, ...options: string[]): Promise<string> {
  const folder = `cut-${++made}`
  await bench.client.ok([...at(version), 'clone', '-q', ...options, remote, folder])
  return folder
}

const git = (folder: string, ...args: string[]) => bench.client.ok(args, { in: folder })
const count = (folder: string, ...args: string[]) => git(folder, 'rev-list', '--count', ...args)
const graft = async (folder: string) =>
  (await readFile(join(bench.client.folder, folder, '.git/shallow'), 'utf8'))
    .trim()
    .split('\n')
    .sort()

/** The objects that a clone lacks, by their number. */
const missing = async (folder: string) =>
  (await git(folder, 'rev-list', '--objects', '--all', '--missing=print'))
    .split('\n')
    .filter(line => line.startsWith('?')).length

test('a shallow clone stays shallow when it fetches what is new', async () => {
  const id = await bench.space()
  await bench.edit(id, 'Two')

  for (const version of versions) {
    const folder = `stays-${version}`
    const url = remoteOf(bench.app.url, id, bench.app.admin.token)
    await bench.client.ok([...at(version), 'clone', '-q', '--depth=1', url, folder])
    const before = await graft(folder)
    const revision = await bench.edit(id, `New ${version}`)

    await git(folder, ...at(version), 'fetch', '-q')
    assert.is(await git(folder, 'rev-parse', 'origin/main'), revision)
    assert.equal(await graft(folder), before)
    await git(folder, ...at(version), 'fetch', '-q', '--depth=1')

    // The branch of the clone still ends at the first cut.
    assert.equal(await graft(folder), [revision, ...before].sort())
  }
})

test('a depth beyond the history is the whole of it, and fetching again asks for nothing', async () => {
  for (const version of versions) {
    const folder = await clone(version, '--depth=2')
    await git(folder, ...at(version), 'fetch', '-q', '--depth=2147483647')
    assert.is(await git(folder, 'rev-parse', '--is-shallow-repository'), 'false')
    const whole = await bench.client.git(['fetch', '--unshallow'], { in: folder })
    assert.match(whole.stderr, /--unshallow on a complete repository does not make sense/)
  }
})

test('depths that are none are refused by the client', async () => {
  for (const depth of ['0', '-1', 'x']) {
    const { code, stderr } = await bench.client.git([
      'clone',
      `--depth=${depth}`,
      remote,
      'no-depth',
    ])
    assert.is(code, 128)
    assert.match(stderr, new RegExp(`depth ${depth} is not a positive number`))
  }
})

test('one branch of a shallow clone is deepened, the others stay', async () => {
  for (const version of versions) {
    const folder = await clone(version, '--depth=1', '--no-single-branch')
    await git(folder, ...at(version), 'fetch', '-q', '--deepen=1', 'origin', 'main')
    assert.is(await count(folder, 'origin/main'), '2')
    await git(folder, ...at(version), 'fetch', '-q', '--depth=3', 'origin', 'idea:refs/heads/idea')
    assert.is(await count(folder, 'idea'), '3')
    await git(folder, 'fsck', '--strict')
  }
})

test('a shallow clone is bounded by a date and by a branch', async () => {
  const id = await bench.space()
  const source = await bench.clone(id)
  for (const year of [2031, 2033]) {
    const env = { GIT_COMMITTER_DATE: `${year}-01-01T00:00:00Z` }
    const made = await bench.client.git(['commit', '-q', '--allow-empty', '-m', String(year)], {
      in: source,
      env,
    })
    assert.is(made.code, 0, made.stderr)
  }

  assert.is((await bench.push(source, 'origin', 'main')).code, 0)
  const url = remoteOf(bench.app.url, id, bench.app.admin.token)

  for (const version of versions) {
    const since = `since-${version}`
    await bench.client.ok([...at(version), 'clone', '-q', '--shallow-since=2032-01-01', url, since])
    assert.is(await count(since, 'HEAD'), '1')
    await git(since, ...at(version), 'fetch', '-q', '--shallow-since=2030-01-01')
    assert.is(await count(since, 'origin/main'), '2')
    const without = await clone(version, '--shallow-exclude=idea')

    assert.is(await count(without, 'HEAD'), '2')
    const both = await clone(
      version,
      '--shallow-exclude=refs/heads/idea',
      '--no-single-branch',
      '-b',
      'main',
    )

    assert.is(await count(both, 'origin/main'), '2')
  }
})

test('a clone that must not be shallow is whole, and one of a shallow clone can be pushed', async () => {
  await clone('2', '--reject-shallow')
  const folder = await clone('2', '--depth=1')
  const first = await bench.commit(
    folder,
    { 'from-shallow.md': '# Shallow\n' },
    'From a shallow clone',
  )
  const pushed = await bench.push(folder, 'origin', 'HEAD:refs/for/main')

  assert.is(pushed.code, 0, pushed.stderr)
  assert.match(told(pushed)[0]!, /opened: From a shallow clone$/)
  assert.is(bench.inside(spaceId, 'rev-parse', `${first}~1`), commits[2])

  // A history that begins at the cut has nothing in common with that of the space.
  await git(folder, 'checkout', '-q', '--orphan', 'new')
  await bench.commit(folder, { 'alone.md': '# Alone\n' })
  assert.match(
    (await bench.push(folder, 'origin', 'HEAD:refs/for/main')).stderr,
    /it has no commit in common with main/,
  )
})

test('a commit that is not a tip is fetched with a depth', async () => {
  await bench.client.ok(['init', '-q', 'by-id'])
  await git('by-id', ...at('2'), 'fetch', '-q', '--depth=1', remote, commits[1]!)
  assert.is(await count('by-id', 'FETCH_HEAD'), '1')
  assert.equal(await graft('by-id'), [commits[1]])
})

test('a file of a commit is fetched by its id alone, in version 2', async () => {
  const blob = bench.inside(spaceId, 'rev-parse', 'main~2:long.md')
  await bench.client.ok(['init', '-q', 'by-blob'])
  await git('by-blob', ...at('2'), 'fetch', '-q', remote, blob)
  assert.match(await git('by-blob', 'cat-file', 'blob', blob), /^0 word/)
})

test('filters leave out what they name', async () => {
  for (const [filter, lacks] of [
    ['blob:none', true],
    ['blob:limit=0', true],
    ['blob:limit=1024', true],
    ['blob:limit=1048576', false],
    ['tree:0', true],
    ['object:type=commit', true],
    ['combine:blob:limit=1024+tree:1', true],
  ] as const) {
    const folder = await clone('2', '--bare', `--filter=${filter}`)
    assert.is((await missing(folder)) > 0, lacks, filter)
    assert.is(await git(folder, 'config', 'remote.origin.partialclonefilter'), filter)
  }
})

test('filters that are not served are refused with their names', async () => {
  for (const [filter, printed = filter] of [
    ['tree:2'],
    ['tree:100'],
    ['sparse:oid=main:patterns'],
    ['combine:blob:none+tree:3'],
  ] as const) {
    const { code, stderr } = await bench.client.git([
      'clone',
      '-q',
      `--filter=${filter}`,
      remote,
      'filtered',
    ])

    assert.is(code, 128, filter)
    assert.ok(stderr.includes(`fatal: remote error: filter '${printed}' not supported`), stderr)
  }

  const nonsense = await bench.client.git(['clone', '-q', '--filter=nonsense', remote, 'filtered'])
  assert.match(nonsense.stderr, /invalid filter-spec 'nonsense'/)
})

test('a partial clone asks once for all files of a checkout', async () => {
  const folder = await clone('2', '--filter=blob:none', '--no-checkout')
  const { code, stderr } = await bench.client.git(['checkout', '-q', 'main'], {
    in: folder,
    env: { GIT_TRACE_PACKET: '1' },
  })

  assert.is(code, 0, stderr)
  assert.is((stderr.match(/fetch> command=fetch/g) ?? []).length, 1)
  assert.ok((stderr.match(/fetch> want /g) ?? []).length > 2)
  assert.is(await git(folder, 'status', '--porcelain'), '')
})

test('a partial clone reads old versions, compares, blames and merges', async () => {
  const folder = await clone('2', '--filter=tree:0')
  assert.match(await git(folder, 'show', `${commits[0]}:long.md`), /^0 word/)
  assert.match(await git(folder, 'diff', commits[0]!, 'HEAD', '--stat'), /four\.md/)
  assert.match(await git(folder, 'blame', '-s', 'long.md'), new RegExp(commits[2]!.slice(0, 7)))
  await git(folder, 'merge', '-q', '-m', 'Both', 'origin/idea')
  await git(folder, 'fsck')
})

test('a partial clone is packed and checked without fetching what it lacks', async () => {
  const folder = await clone('2', '--filter=blob:none', '--no-checkout')
  const lacks = await missing(folder)
  await git(folder, 'gc', '-q', '--prune=now')
  await git(folder, 'repack', '-q', '-a', '-d', '-f')
  await git(folder, 'fsck', '--strict', '--full')
  assert.is(await missing(folder), lacks)
  await git(folder, 'checkout', '-q', 'main')
  await git(folder, 'gc', '-q', '--prune=now')
  await git(folder, 'fsck', '--strict', '--full')
  assert.is(await git(folder, 'status', '--porcelain'), '')
})

test('a client that checks every object takes whole, shallow and partial clones', async () => {
  for (const [i, options] of [[], ['--depth=1'], ['--filter=blob:none']].entries()) {
    const settings = ['-c', 'transfer.fsckObjects=true', ...at('2')]
    const folder = `checked-${i}`
    await bench.client.ok([...settings, 'clone', '-q', ...options, remote, folder])
    assert.is(await git(folder, 'rev-parse', 'HEAD'), commits[2])
  }
})

test('what a partial clone fetches later is filtered too, and the filter can be lifted', async () => {
  const folder = await clone('2', '--filter=blob:none', '--bare')
  await git(folder, ...at('2'), 'fetch', '-q', 'origin', 'idea:refs/heads/x')
  assert.ok((await missing(folder)) > 0)
  await git(
    folder,
    'fetch',
    '-q',
    '--no-filter',
    '--refetch',
    'origin',
    '+refs/heads/*:refs/heads/*',
  )
  assert.is(await missing(folder), 0)
})

test('an edit in a partial, shallow clone is pushed', async () => {
  const folder = await clone('2', '--filter=blob:none', '--depth=1')
  const commit = await bench.commit(folder, { 'partial.md': '# Partial\n' }, 'From a partial clone')
  const pushed = await bench.push(folder, 'origin', 'HEAD:refs/heads/partial')
  assert.is(pushed.code, 0, pushed.stderr)
  assert.is(bench.inside(spaceId, 'show', `${commit}:partial.md`), '# Partial')
})

test('a file that the space does not have is an error, and the clone stays as it was', async () => {
  const folder = await clone('2', '--filter=blob:none')
  const absent = '1'.repeat(40)
  const { code, stderr } = await bench.client.git(['cat-file', 'blob', absent], { in: folder })
  assert.is(code, 128)
  assert.match(stderr, new RegExp(`remote error: upload-pack: not our ref ${absent}`))
  await git(folder, 'fsck')
})

test.run()
