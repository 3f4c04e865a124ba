import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Repository } from '../../../src/git/process/processes.ts'
import { PackRefused } from '../../../src/git/receiving/pack-refused.ts'
import { moveRefs } from '../../../src/git/refs/refs.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { craft, page, pageOid, treeOf } from '../../support/git/raw-commit.ts'
import { copyDelta, objectId, type PackEntry, packOf } from '../../support/git/raw-pack.ts'
import { pushInto, ways } from '../../support/git/receive.ts'
import { commitFiles, fsck, gitOutside, openBench } from '../../support/git/repo.ts'

const bench = await openBench()
test.after(() => bench.remove())
const push = pushInto(bench)

let made = 0
const create = () => bench.create(`${++made}.git`)
const gitOf = (repo: Repository, ...args: string[]): string => gitOutside(repo.dir, args)
const blob = (content: Buffer): PackEntry => ({ type: 'blob', content })
const pageTree = treeOf([['100644', 'page.md', pageOid]])

const isThere = (repo: Repository, oid: string): boolean =>
  gitOutside(repo.dir, ['cat-file', '--batch-check'], oid) !== `${oid} missing`

/** Every file of a repository, with its bytes. */
const filesOf = async ({ dir }: Repository): Promise<string[]> => {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
  return Promise.all(
    files.sort().map(async file => `${file} ${objectId('blob', await readFile(file))}`),
  )
}

const hasMore =
  'the pack has objects that no pushed branch leads to: leave them out, as "git push" does'

/**
 * Pushes a commit with more objects in its pack, which must be refused in both ways, with nothing
 * left behind.
 */
async function refuses(
  repo: Repository,
  head: Oid,
  more: PackEntry[],
  fileBytes?: number,
): Promise<void> {
  const { pack, to } = craft([head], [pageTree], [blob(page), ...more])
  for (const way of ways) {
    const before = await filesOf(repo)
    const error = await push(repo, pack, to, { way, ...(fileBytes && { fileBytes }) }).catch(
      each => each,
    )
    assert.instance(error, PackRefused, String(error))
    assert.is(error.message, hasMore)
    assert.equal(await filesOf(repo), before)
  }
}

test('a pack with objects that its commits do not lead to is refused', async () => {
  const repo = await create()
  const head = await commitFiles(repo, { 'a.md': 'a\n' })
  const beside = craft([head], [treeOf([['100644', 'b.md', pageOid]])], [])
  const who = 'Mallory <mallory@example.org> 1700000000 +0000'
  const tag = Buffer.from(`object ${head}\ntype commit\ntag x\ntagger ${who}\n\nCrafted\n`)

  await refuses(repo, head, [blob(Buffer.from('beside'))])
  await refuses(repo, head, [{ type: 'tree', content: treeOf([['100644', 'b.md', pageOid]]) }])
  await refuses(repo, head, [
    { type: 'commit', content: beside.commit },
    { type: 'tree', content: treeOf([['100644', 'b.md', pageOid]]) },
  ])
  await refuses(repo, head, [{ type: 'tag', content: tag }])

  // Too large for memory: read by Git alone.
  await refuses(repo, head, [blob(randomBytes(300_000))])
  await refuses(repo, head, [blob(Buffer.alloc(5 * 1024 ** 2))])
})

test('an object that only hidden refs lead to is refused like one that is not there', async () => {
  const repo = await create()
  const head = await commitFiles(repo, { 'a.md': 'a\n' })
  const hidden = await commitFiles(
    repo,
    { 'secret.md': 'The code is 1234.\n' },
    { ref: 'refs/heads/x' },
  )

  await moveRefs(repo, [
    { ref: 'refs/heads/x', from: hidden, to: null },
    { ref: 'refs/stemma/x', from: null, to: hidden },
  ])
  for (const code of ['1234', '1235'])
    await refuses(repo, head, [blob(Buffer.from(`The code is ${code}.\n`))])
})

test('objects that the repository shows on another branch or in its history are taken again', async () => {
  const repo = await create()
  const old = await commitFiles(repo, { 'a.md': 'old\n', 'b.md': 'b\n' })
  const base = await commitFiles(repo, { 'a.md': 'base\n' })
  await commitFiles(repo, { 'a.md': 'main\n' })
  await commitFiles(repo, { 'c.md': 'other\n' }, { ref: 'refs/heads/other', parents: [base] })
  const bytes = (text: string) => blob(Buffer.from(text))
  const ofText = (text: string) => objectId('blob', Buffer.from(text))

  // Picked from branches that the client has not fetched, whose files it sends as new ones.
  for (const text of ['main\n', 'other\n', 'old\n']) {
    const { pack, to } = craft([base], [treeOf([['100644', 'a.md', ofText(text)]])], [bytes(text)])
    for (const way of ways) await push(repo, pack, to, { way })
  }

  // The whole history, as a client sends it that knows of no branch.
  const whole = gitOutside(repo.dir, [
    'rev-list',
    '--objects',
    '--no-object-names',
    'main',
    'other',
  ])

  const entries = whole.split('\n').map((oid): PackEntry => {
    const type = gitOf(repo, 'cat-file', '-t', oid) as 'blob'
    return { type, content: readRaw(repo, type, oid) }
  })

  for (const way of ways) {
    await push(repo, packOf(entries), gitOf(repo, 'rev-parse', 'main'), { way })
    const { commit, to } = craft([old], [pageTree], [])
    const more: PackEntry[] = [
      { type: 'commit', content: commit },
      { type: 'tree', content: pageTree },
      blob(page),
    ]
    await push(repo, packOf([...entries, ...more]), to, { way })
  }

  fsck(repo)
})

/** Returns the content of an object of text or ids. */
const readRaw = (repo: Repository, type: string, oid: string): Buffer =>
  execFileSync('git', ['cat-file', type, oid], { cwd: repo.dir })

test('objects of refused commands are left out', async () => {
  const repo = await create()
  const head = await commitFiles(repo, { 'a.md': 'a\n' })
  const noise = randomBytes(20_000)
  const changed = Buffer.concat([noise, Buffer.from('end')])
  const tree = treeOf([
    ['100644', 'changed.bin', objectId('blob', changed)],
    ['100644', 'page.md', pageOid],
  ])
  const large = Buffer.alloc(3 * 1024 ** 2)
  const { pack, to } = craft(
    [head],
    [tree],
    [
      blob(page),
      blob(noise),
      // Its base is not kept.
      { type: 'delta', base: 3, content: copyDelta(noise.length, noise.length, 1, 'end') },
      blob(large),
    ],
  )

  for (const way of ways) {
    await push(repo, pack, to, { way, isPartial: true })
    for (const oid of [to, objectId('tree', tree), pageOid, objectId('blob', changed)])
      assert.ok(isThere(repo, oid), oid)
    for (const content of [noise, large]) assert.not(isThere(repo, objectId('blob', content)))
  }

  gitOf(repo, 'fsck', '--strict', to)
  const before = await filesOf(repo)

  await push(repo, packOf([blob(large)]), head, { isPartial: true })
  assert.equal(await filesOf(repo), before)
})

test.run()
