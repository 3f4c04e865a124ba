import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { serializeTree } from '../../../src/git/trees/tree-edit.ts'
import {
  decodeName,
  parseCommit,
  parseRefLines,
  parseSignature,
  parseTag,
  parseTree,
} from '../../../src/git/values/parse.ts'
import { asOid } from '../../../src/lib/oid.ts'
import { assertLinear } from '../../support/cpu-time.ts'

const a = asOid('a'.repeat(40))
const b = asOid('b'.repeat(40))

test('a commit is parsed with its parents, people and message', () => {
  const bytes = Buffer.from(
    `tree ${a}\nparent ${a}\nparent ${b}\nauthor Ada L. <ada@x> 1700000000 +0200\ncommitter Bo <> 5 -0130\n` +
      `gpgsig -----BEGIN\n author Mallory <m@x> 1 +0000\n -----END\n\nSubject\n\nBody\n`,
  )
  const commit = parseCommit(b, bytes)
  assert.is(commit.tree, a)
  assert.equal(commit.parents, [a, b])
  assert.equal(commit.author, { name: 'Ada L.', email: 'ada@x', at: 1700000000, zone: '+0200' })
  assert.equal(commit.committer, { name: 'Bo', email: '', at: 5, zone: '-0130' })
  assert.is(commit.message, 'Subject\n\nBody\n')
})

test('a commit is decoded with its encoding, and as Latin-1 when that is unknown', () => {
  const head = `tree ${a}\nauthor X <x> 1 +0000\ncommitter X <x> 1 +0000\n`
  const sjis = Buffer.concat([
    Buffer.from(`${head}encoding Shift_JIS\n\n`),
    Buffer.from([0x82, 0xa0]),
  ])

  assert.is(parseCommit(b, sjis).message, 'あ')
  const bare = Buffer.concat([Buffer.from(`${head}\n`), Buffer.from([0x47, 0xfc])])

  assert.is(parseCommit(b, bare).message, 'Gü')
  const unknown = Buffer.from(`${head}encoding klingon\n\nGü`)

  assert.is(parseCommit(b, unknown).message, 'Gü')
})

test('incomplete signatures are parsed leniently', () => {
  assert.equal(parseSignature(''), { name: '', email: '', at: 0, zone: '+0000' })
  assert.equal(parseSignature('Name only'), { name: 'Name only', email: '', at: 0, zone: '+0000' })
  assert.equal(parseSignature(' <a@b> 12'), { name: '', email: 'a@b', at: 12, zone: '+0000' })
  assert.equal(parseSignature('A <x<y>z> 1 +0000'), {
    name: 'A',
    email: 'x<y>z',
    at: 1,
    zone: '+0000',
  })
  assert.equal(parseSignature('A <a> -5 +0000').at, -5)
  assert.equal(parseSignature('A <a> 99999999999999999999 +0000').at, 0)
})

test('all parents of a commit are parsed, and of other lines the first thousand', async () => {
  const id = (n: number) => n.toString(16).padStart(40, '0')
  const parents = Array.from({ length: 3_000 }, (_, n) => `parent ${id(n)}\n`).join('')
  const rest = 'author A <a> 1 +0000\ncommitter A <a> 1 +0000\n'
  const text = `tree ${id(1)}\n${parents}${rest}${'x y\n'.repeat(2_000)}encoding no\n\nText\n\nMore\n`
  const commit = parseCommit(asOid(id(2)), Buffer.from(text))

  assert.is(commit.parents.length, 3_000)
  assert.is(commit.author.name, 'A')
  assert.is(commit.message, 'Text\n\nMore\n')
  const long = (lines: number) =>
    Buffer.from(`tree ${id(1)}\n${rest}${'gpgsig a\n'.repeat(lines)}\nText\n`)

  assert.is(parseCommit(asOid(id(2)), long(460_000)).message, 'Text\n')
  await assertLinear(460_000, long, bytes => parseCommit(asOid(id(2)), bytes))
})

test('a commit without a message, and one that begins with an empty line', () => {
  const id = '1'.repeat(40)
  assert.is(parseCommit(asOid(id), Buffer.from(`tree ${id}\n`)).message, '')
  assert.is(parseCommit(asOid(id), Buffer.from(`tree ${id}\n\n`)).message, '')
  assert.throws(() => parseCommit(asOid(id), Buffer.from(`\ntree ${id}\n\nText\n`)))
})

test('a tag names its object', () => {
  const tag = parseTag(
    Buffer.from(`object ${a}\ntype commit\ntag v1\ntagger A <a> 1 +0000\n\nOne\n`),
  )
  assert.is(tag.object, a)
  assert.is(tag.type, 'commit')
  assert.is(tag.name, 'v1')
  assert.is(tag.message, 'One\n')
})

test('a tree is serialized byte for byte as it was parsed, whatever its names', () => {
  const entry = fc.record({
    mode: fc.constantFrom('100644', '100755', '40000', '120000', '160000', '100664'),
    oid: fc.constantFrom(a, b),
    raw: fc
      .uint8Array({ minLength: 1, maxLength: 300 })
      .filter(raw => !raw.includes(0))
      .map(raw => Buffer.from(raw)),
  })
  fc.assert(
    fc.property(fc.array(entry), entries => {
      const bytes = serializeTree(entries.map(each => ({ ...each, name: undefined })))
      const read = parseTree(bytes)
      assert.ok(serializeTree(read).equals(bytes))
      assert.equal(
        read.map(each => each.raw.toString('hex')),
        entries.map(each => each.raw.toString('hex')),
      )
    }),
  )
})

test('bytes that are not a tree are refused', () => {
  for (const text of ['100644', '100644 a', '100644 a\0short'])
    assert.throws(() => parseTree(Buffer.from(text)), /Not a tree/)
})

test('only names in UTF-8 are text', () => {
  assert.is(decodeName(Buffer.from('ü.md')), 'ü.md')
  assert.is(decodeName(Buffer.from([0xfc])), undefined)
  assert.is(decodeName(Buffer.from('\ufffd')), '\ufffd')
})

test('ref lines with a space or tab are parsed, others skipped', () => {
  const refs = parseRefLines(
    `# pack-refs with: peeled\n${a} refs/heads/x\n^${b}\n${b}\trefs/heads/__proto__\nzzz\n`,
  )
  assert.equal(
    [...refs],
    [
      ['refs/heads/x', a],
      ['refs/heads/__proto__', b],
    ],
  )
})

test.run()
