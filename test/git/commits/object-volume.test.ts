import { inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openObjectVolume } from '../../../src/git/commits/object-volume.ts'
import { openQuarantine } from '../../../src/git/commits/quarantine.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import { inGitOrder, isFolder, serializeTree } from '../../../src/git/trees/tree-edit.ts'
import { decodeName, type TreeEntry } from '../../../src/git/values/parse.ts'
import { asOid, emptyTree } from '../../../src/lib/oid.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { ada, type Bench, gitOutside, openBench } from '../../support/git/repo.ts'
import { runs } from '../../support/long-run.ts'

const test = suite<{ bench: Bench; repo: Repository }>('object volume')
test.before(async context => {
  context.bench = await openBench()
  context.repo = await context.bench.create()
})
test.after(({ bench }) => bench.remove())

const hashOf = (repo: Repository, type: string, content: Uint8Array): string =>
  gitOutside(repo.dir, ['hash-object', '-t', type, '--stdin'], content)

test('a blob of any bytes has the id of git hash-object, and is read back', async ({ repo }) => {
  const volume = openObjectVolume()
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 5000 }), async bytes => {
      const oid = await volume.writeBlob(bytes)
      assert.is(oid, hashOf(repo, 'blob', bytes))
      assert.equal(await volume.readObject(oid), { type: 'blob', content: Buffer.from(bytes) })
    }),
    { numRuns: 30 },
  )
})

const rawName = fc.oneof(
  fc
    .constantFrom(
      '\ufffd',
      '\ue000',
      '\u{1f600}',
      'a\\b',
      '.git',
      'ü',
      'Z',
      'a',
      'a.b',
      'a-b',
      'a0',
      'a\x01',
    )
    .map(name => Buffer.from(name)),
  fc
    .uint8Array({ minLength: 1, maxLength: 4 })
    .map(bytes => Buffer.from(bytes.map(byte => (byte === 0 || byte === 47 ? 65 : byte)))),
)
const mode = fc.constantFrom('100644', '100755', '120000', '40000', '160000')
const entries = fc.uniqueArray(
  fc
    .record({
      raw: rawName,
      mode,
      oid: fc.constantFrom(...'1af').map(digit => asOid(digit.repeat(40))),
    })
    .map((entry): TreeEntry => ({ ...entry, name: decodeName(entry.raw) })),
  { maxLength: 8, selector: ({ raw }) => raw.toString('hex') },
)

const typeOf = (value: string): string =>
  isFolder(value) ? 'tree' : value === '160000' ? 'commit' : 'blob'

test('a tree of any names has the id of git mktree, and is read back byte for byte', async ({
  repo,
}) => {
  const volume = openObjectVolume()
  await fc.assert(
    fc.asyncProperty(entries, async all => {
      const content = serializeTree(inGitOrder(all))
      const oid = await volume.writeContent('tree', content)
      const lines = all.flatMap(each => [
        Buffer.from(`${each.mode.padStart(6, '0')} ${typeOf(each.mode)} ${each.oid}\t`),
        each.raw,
        Buffer.of(0),
      ])

      assert.is(oid, gitOutside(repo.dir, ['mktree', '-z', '--missing'], Buffer.concat(lines)))
      assert.equal(await volume.readObject(oid), { type: 'tree', content })
    }),
    { numRuns: runs(60) },
  )
})

test('a commit with any message has the id of git hash-object', async ({ repo }) => {
  const quarantine = openQuarantine(repo)
  await fc.assert(
    fc.asyncProperty(anyText({ maxLength: 60 }), async message => {
      const commit = { tree: emptyTree, parents: [], author: ada, committer: ada, message }
      const oid = await quarantine.writeCommit(commit)
      const { content } = (await quarantine.readObject(oid))!
      assert.is(oid, hashOf(repo, 'commit', content))
      const person = 'Ada <ada@example.org> 1700000000 +0000'
      const text = message.replaceAll('\0', '').toWellFormed().trimEnd()

      assert.is(
        content.toString(),
        `tree ${emptyTree}\nauthor ${person}\ncommitter ${person}\n\n${text}\n`,
      )
    }),
    { numRuns: runs(40) },
  )
})

test('an object that is written twice has one loose file, which holds its header and content', async () => {
  const volume = openObjectVolume()
  const texts = ['', 'x', 'y'.repeat(300_000), 'x']
  for (const text of texts) await volume.writeBlob(Buffer.from(text))
  const wholes = texts.slice(0, 3).map(text => `blob ${text.length}\0${text}`)

  assert.is(volume.objects().length, wholes.length)

  for (const [i, { file, whole }] of volume.objects().entries()) {
    assert.is(inflateSync(await file()).toString(), wholes[i])
    assert.is(whole().toString(), wholes[i])
  }
})

test.run()
