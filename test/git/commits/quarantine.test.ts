import { createHash } from 'node:crypto'
import fs, {
  existsSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openQuarantine } from '../../../src/git/commits/quarantine.ts'
import { syncObjects } from '../../../src/git/objects/install-objects.ts'
import { readBlob, readCommit } from '../../../src/git/objects/objects.ts'
import { GitProcesses, type Repository } from '../../../src/git/process/processes.ts'
import { moveRefs } from '../../../src/git/refs/refs.ts'
import { checkPath } from '../../../src/git/trees/tree-edit.ts'
import { listFiles } from '../../../src/git/trees/tree-files.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import { asOid, type Oid } from '../../../src/lib/oid.ts'
import {
  ada,
  type Bench,
  commitFiles,
  fsck,
  gitOutside,
  main,
  openBench,
  readIndependently,
} from '../../support/git/repo.ts'
import { skip } from '../../support/skip.ts'

const test = suite<{ bench: Bench; repo: Repository }>('quarantine')
test.before.each(async context => {
  context.bench = await openBench()
  context.repo = await context.bench.create()
})
test.after.each(({ bench }) => bench.remove())

const looseFiles = (repo: Repository): string[] =>
  readdirSync(`${repo.dir}/objects`, { recursive: true, encoding: 'utf8' }).filter(name =>
    /^[0-9a-f]{2}\/./.test(name),
  )

const paths = async (repo: Repository, tree: Oid) =>
  (await listFiles(repo, tree)).files.map(file => file.path).sort()

const blobId = (text: string): string =>
  createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex')

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    return isGitError(error) ? error.code : String(error)
  }
  return 'no error'
}

test('Git and isomorphic-git read the written objects', async ({ repo }) => {
  const commit = await commitFiles(repo, {
    'a.md': 'ä',
    'd/e/f.md': Buffer.from([0, 255, 10]),
    'd.md': 'x',
  })

  fsck(repo)
  assert.is(gitOutside(repo.dir, ['ls-tree', '-r', '--name-only', commit]), 'a.md\nd.md\nd/e/f.md')
  assert.equal([...(await readIndependently(repo, commit, 'd/e/f.md'))], [0, 255, 10])
  assert.is(
    gitOutside(repo.dir, ['log', '-1', '--format=%an %ae %ad %s', '--date=raw']),
    'Ada ada@example.org 1700000000 +0000 A change',
  )
})

test('a change without a flush leaves nothing behind', async ({ repo }) => {
  const quarantine = openQuarantine(repo)
  const blob = await quarantine.writeBlob(Buffer.from('secret'))
  const tree = await quarantine.writeTree(null, [{ path: 'a/b.md', oid: blob }])
  assert.is((await quarantine.readObject(blob))?.content.toString(), 'secret')
  assert.is((await quarantine.readObject(tree))?.type, 'tree')
  assert.is(await readBlob(repo, blob), undefined)
  assert.equal(looseFiles(repo), [])
})

test('an existing object is not written again, and a second flush is harmless', async ({
  repo,
}) => {
  await commitFiles(repo, { 'a.md': 'same' })
  gitOutside(repo.dir, ['repack', '-q'])
  gitOutside(repo.dir, ['prune-packed', '-q'])
  const quarantine = openQuarantine(repo)

  await quarantine.writeBlob(Buffer.from('same'))
  await quarantine.writeBlob(Buffer.from('new'))
  await quarantine.flush()
  await quarantine.flush()
  assert.is(looseFiles(repo).length, 1)
})

/**
 * Returns the folders, relative to the repository's objects, that the work syncs; adds synced files
 * to `files`.
 */
async function syncedBy(
  repo: Repository,
  work: () => Promise<unknown>,
  files: string[] = [],
): Promise<string[]> {
  const synced: string[] = []
  const { fsync } = fs
  fs.fsync = ((fd: number, done: fs.NoParamCallback) => {
    const path = readlinkSync(`/proc/self/fd/${fd}`)
    if (fs.statSync(path).isDirectory())
      synced.push(path.slice(join(repo.dir, 'objects').length + 1))
    else files.push(path)
    fsync(fd, done)
  }) as typeof fs.fsync
  syncBuiltinESMExports()

  try {
    await work()
  } finally {
    fs.fsync = fsync
    syncBuiltinESMExports()
  }

  return synced.sort()
}

test('objects of a cache reach the disk when they are synced', async ({ repo: { dir } }) => {
  if (!existsSync('/proc/self/fd')) return skip('there is no /proc/self/fd')
  const repo = { dir, processes: new GitProcesses({ syncsLater: true }) }
  const quarantine = openQuarantine(repo)
  const oid = await quarantine.writeBlob(Buffer.from('a text'))
  const files: string[] = []
  assert.equal(await syncedBy(repo, quarantine.flush, files), [])
  assert.equal(files, [])
  assert.equal(await readBlob(repo, oid), Buffer.from('a text'))
  assert.equal(await syncedBy(repo, () => syncObjects(repo)), ['', oid.slice(0, 2)])
  assert.equal(await syncedBy(repo, () => syncObjects(repo)), [])
  repo.processes.close()
})

test('an object of a cache that a power cut has emptied is written again', async ({
  repo: { dir },
}) => {
  const repo = { dir, processes: new GitProcesses({ syncsLater: true }) }
  const write = async () => {
    const quarantine = openQuarantine(repo)
    const oid = await quarantine.writeBlob(Buffer.from('a text'))
    await quarantine.flush()
    return oid
  }
  const oid = await write()
  const file = join(dir, 'objects', oid.slice(0, 2), oid.slice(2))
  rmSync(file)
  writeFileSync(file, '')
  await write()
  assert.equal(await readBlob(repo, oid), Buffer.from('a text'))
  repo.processes.close()
})

test('names of objects that others wrote, and of recreated folders, are synced', async ({
  repo,
}) => {
  if (!existsSync('/proc/self/fd')) return skip('there is no /proc/self/fd')
  const write = async (text: string) => {
    const quarantine = openQuarantine(repo)
    const oid = await quarantine.writeBlob(Buffer.from(text))
    const synced = await syncedBy(repo, quarantine.flush)
    return { oid, folder: oid.slice(0, 2), synced }
  }
  const oid = gitOutside(repo.dir, ['hash-object', '-w', '--stdin'], 'by a writer that died')
  const found = await write('by a writer that died')

  assert.is(found.oid, oid)
  assert.equal(found.synced, ['', found.folder])
  assert.equal((await write('by a writer that died')).synced, [found.folder])

  gitOutside(repo.dir, ['pack-objects', '-q', 'objects/pack/pack'], `${oid}\n`)
  gitOutside(repo.dir, ['prune-packed', '-q'])
  const folder = join(repo.dir, 'objects', found.folder)
  if (existsSync(folder)) rmdirSync(folder)
  assert.equal((await write('by a writer that died')).synced, ['', 'pack'], 'in a pack')
  assert.equal((await write('by a writer that died')).synced, ['pack'])
  fs.mkdirSync(folder)
  const texts = Array.from({ length: 10_000 }, (_, i) => `text ${i}`)
  const alike = texts.find(text => blobId(text).startsWith(found.folder))!

  assert.equal((await write(alike)).synced, ['', found.folder])
})

test('an edit keeps all other entries byte for byte', async ({ repo }) => {
  const blob = gitOutside(repo.dir, ['hash-object', '-w', '--stdin'], 'x')
  const odd = Buffer.from([0x66, 0xfc, 0x6e, 0x66]) // "fünf" in Latin-1
  const raw = Buffer.concat([
    Buffer.from('100664 a\0'),
    Buffer.from(blob, 'hex'),
    Buffer.from('100644 '),
    odd,
    Buffer.from([0]),
    Buffer.from(blob, 'hex'),
    Buffer.from('120000 link\0'),
    Buffer.from(blob, 'hex'),
    Buffer.from('160000 sub\0'),
    Buffer.from(blob, 'hex'),
  ])
  const base = asOid(
    gitOutside(repo.dir, ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], raw),
  )
  const quarantine = openQuarantine(repo)
  const page = await quarantine.writeBlob(Buffer.from('page'))
  const added = await quarantine.writeTree(base, [{ path: 'new/page.md', oid: page }])
  const taken = await quarantine.writeTree(added, [{ path: 'new/page.md', oid: null }])

  assert.is(taken, base)
  const changed = (await quarantine.readObject(added))!.content

  assert.ok(changed.includes(odd) && changed.includes('100664 a\0'))
  await quarantine.flush()
  const list = await listFiles(repo, added)

  assert.is(list.unnamed, 1)
  assert.equal(
    list.files.map(file => `${file.mode} ${file.path}`),
    ['100644 a', '120000 link', '160000 sub', '100644 new/page.md'],
  )
})

test('a mode is kept on change, and set when given', async ({ repo }) => {
  const quarantine = openQuarantine(repo)
  const one = await quarantine.writeBlob(Buffer.from('1'))
  const two = await quarantine.writeBlob(Buffer.from('2'))
  const base = await quarantine.writeTree(null, [{ path: 'run.sh', oid: one, mode: '100755' }])
  const next = await quarantine.writeTree(base, [{ path: 'run.sh', oid: two }])
  const whole = await quarantine.writeTree(null, [{ path: 'docs', oid: next, mode: '40000' }])

  await quarantine.flush()
  assert.equal((await listFiles(repo, whole)).files, [
    { path: 'docs/run.sh', mode: '100755', oid: two },
  ])
})

test('a file and a folder never share a path unless the same change makes room', async ({
  repo,
}) => {
  const quarantine = openQuarantine(repo)
  const blob = await quarantine.writeBlob(Buffer.from('x'))
  const put = (path: string) => ({ path, oid: blob })
  const drop = (path: string) => ({ path, oid: null })
  const base = await quarantine.writeTree(null, [put('a'), put('d/e'), put('d/f')])

  assert.is(await codeOf(quarantine.writeTree(base, [put('a/b')])), 'path_conflict')
  assert.is(await codeOf(quarantine.writeTree(base, [put('d')])), 'path_conflict')
  assert.is(await codeOf(quarantine.writeTree(base, [put('d'), drop('d/e')])), 'path_conflict')
  assert.is(await codeOf(quarantine.writeTree(null, [put('n'), put('n/m')])), 'path_conflict')
  const results = [
    await quarantine.writeTree(base, [drop('a'), put('a/b')]),
    await quarantine.writeTree(base, [put('d'), drop('d/e'), drop('d/f')]),
    await quarantine.writeTree(base, [drop('a/x'), drop('nowhere'), drop('d')]),
    await quarantine.writeTree(base, [drop('a'), drop('d/e'), drop('d/f')]),
  ]

  await quarantine.flush()
  assert.equal(await paths(repo, results[0]!), ['a/b', 'd/e', 'd/f'])
  assert.equal(await paths(repo, results[1]!), ['a', 'd'])
  assert.equal(await paths(repo, results[2]!), ['a'])
  assert.equal(await paths(repo, results[3]!), [])
})

test('paths that Git or another system could misinterpret are refused', () => {
  const bad = [
    '',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    'a/../b',
    '.git',
    'a/.GIT/config',
    'git~1',
    '.git.',
    '.git ',
    '.git::$INDEX_ALLOCATION',
    '.g\u200cit',
    'a\nb',
    'a\0b',
    'a\\b',
    `${'x'.repeat(256)}.md`,
    Array(70).fill('d').join('/'),
    '\ud800',
  ]

  for (const path of bad)
    assert.throws(
      () => checkPath(path),
      (error: unknown) => isGitError(error, 'path_invalid'),
      JSON.stringify(path),
    )

  for (const path of [
    'a.md',
    '.gitbook/vars.yaml',
    '.gitignore',
    'ü/日本.md',
    '__proto__',
    'git',
    ' a',
  ])
    checkPath(path)
})

test('names and messages cannot break out of their lines', async ({ repo }) => {
  const quarantine = openQuarantine(repo)
  const tree = await quarantine.writeTree(null, [])
  const person = { name: 'Eve\n<x>\0, ', email: 'a>b\n@c', at: -5.5 }
  const oid = await quarantine.writeCommit({
    tree,
    parents: [],
    author: person,
    committer: { ...person, name: '' },
    message: 'a\0b\n\n',
  })

  await quarantine.flush()
  await moveRefs(repo, [{ ref: main, from: null, to: oid }])
  const commit = (await readCommit(repo, oid))!

  assert.equal(commit.author, { name: 'Eve x', email: 'a b @c', at: 0, zone: '+0000' })
  assert.is(commit.committer.name, 'unknown')
  assert.is(commit.message, 'ab\n')
  fsck(repo)
})

test('any set of paths results in the same tree as with Git', async ({ repo }) => {
  const part = fc.constantFrom('a', 'a.b', 'a-b', 'a0', 'b', 'ü', 'Z')
  const path = fc.array(part, { minLength: 1, maxLength: 3 }).map(parts => parts.join('/'))
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(path, { maxLength: 8 }), async all => {
      // Drop paths below another one, where a file would have to be a folder.
      const files = all.filter(one => !all.some(other => other.startsWith(`${one}/`)))
      const quarantine = openQuarantine(repo)
      const blob = await quarantine.writeBlob(Buffer.from('x'))
      let tree: Oid = await quarantine.writeTree(null, [])

      for (const file of files) tree = await quarantine.writeTree(tree, [{ path: file, oid: blob }])
      const atOnce = await quarantine.writeTree(
        null,
        files.map(file => ({ path: file, oid: blob })),
      )

      assert.is(tree, atOnce)
      await quarantine.flush()
      assert.equal(await paths(repo, tree), [...files].sort())
      gitOutside(repo.dir, ['fsck', '--strict', tree])
    }),
    { numRuns: 25 },
  )
})

test('many large and small objects are flushed together', async ({ repo }) => {
  const files = Object.fromEntries(
    Array.from({ length: 120 }, (_, i) => [`d${i % 7}/p${i}.md`, `page ${i}`]),
  )
  const commit = await commitFiles(
    repo,
    { ...files, 'big.bin': Buffer.alloc(3_000_000, 7) },
    { message: ada.name },
  )

  assert.is((await readIndependently(repo, commit, 'big.bin')).length, 3_000_000)
  assert.not(looseFiles(repo).some(name => name.includes('tmp_')))
  fsck(repo)
})

const packs = (repo: Repository, ending = '.pack'): string[] =>
  readdirSync(`${repo.dir}/objects/pack`).filter(name => name.endsWith(ending))

test('a change of many objects is one pack, and exactly its files and folders are synced', async ({
  repo,
}) => {
  if (!existsSync('/proc/self/fd')) return skip('there is no /proc/self/fd')
  const quarantine = openQuarantine(repo)
  for (let i = 0; i < 100; i++) await quarantine.writeBlob(Buffer.from(`page ${i}`))
  const files: string[] = []
  const open = fs.promises.open

  fs.promises.open = (async (...args: Parameters<typeof open>) => {
    const handle = await open(...args)
    const sync = handle.sync.bind(handle)
    handle.sync = () => {
      files.push(String(args[0]))
      return sync()
    }
    return handle
  }) as typeof open
  syncBuiltinESMExports()

  try {
    assert.equal(await syncedBy(repo, quarantine.flush, files), ['', 'pack'])
  } finally {
    fs.promises.open = open
    syncBuiltinESMExports()
  }

  assert.equal(files.map(file => file.replace(/.*\/(tmp_[a-z]+)_.*/, '$1')).sort(), [
    'tmp_idx',
    'tmp_pack',
  ])
  assert.equal([packs(repo).length, packs(repo, '.idx').length, looseFiles(repo).length], [1, 1, 0])
  fsck(repo)
})

test('a pack and its index equal those of Git byte for byte', async ({ repo }) => {
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.uint8Array({ minLength: 2000, maxLength: 5000 }),
  )

  await fc.assert(
    fc.asyncProperty(fc.array(content, { minLength: 30, maxLength: 60 }), async all => {
      const quarantine = openQuarantine(repo)
      const oids: Oid[] = []
      for (const [i, bytes] of all.entries())
        oids.push(
          await quarantine.writeBlob(Buffer.concat([Buffer.from(`${i} ${Math.random()}`), bytes])),
        )

      const before = new Set(packs(repo))
      const tree = await quarantine.writeTree(
        null,
        oids.map((oid, i) => ({ path: `${i % 7}/${i}`, oid })),
      )

      await quarantine.flush()
      const [name, ...others] = packs(repo).filter(pack => !before.has(pack))

      assert.ok(name && others.length === 0)
      const stem = join(repo.dir, 'objects/pack', name.slice(0, -'.pack'.length))
      const made = join(repo.dir, 'made.idx')

      gitOutside(repo.dir, ['index-pack', '--strict', '-o', made, `${stem}.pack`])
      assert.ok(fs.readFileSync(made).equals(fs.readFileSync(`${stem}.idx`)))
      fs.rmSync(made)
      gitOutside(repo.dir, ['verify-pack', `${stem}.idx`])
      assert.is((await paths(repo, tree)).length, oids.length)
    }),
    { numRuns: 8 },
  )
  fsck(repo)
})

test('packs do not accumulate: with many packs, new objects are loose', async ({ repo }) => {
  // Git ignores a pack without an index.
  for (let i = 0; i < 49; i++)
    fs.writeFileSync(join(repo.dir, `objects/pack/pack-${String(i).padStart(40, '0')}.pack`), '')
  const write = async (turn: number) => {
    const quarantine = openQuarantine(repo)
    for (let i = 0; i < 30; i++) await quarantine.writeBlob(Buffer.from(`${turn} ${i}`))
    await quarantine.flush()
  }

  await write(1)
  assert.equal([packs(repo).length, looseFiles(repo).length], [50, 0])
  await write(2)
  assert.equal([packs(repo).length, looseFiles(repo).length], [50, 30])
})

test.run()
