import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  advertiseFetch,
  advertisePush,
  advertiseVersion2,
} from '../../../src/git/protocol/advertise.ts'
import { parseCommand } from '../../../src/git/protocol/command-request.ts'
import {
  encodeFetch,
  type FetchRequest,
  isPlainClone,
} from '../../../src/git/protocol/fetch-request.ts'
import { answerListRefs, parseListRefs } from '../../../src/git/protocol/list-refs.ts'
import { inOrder, type ListedRefs } from '../../../src/git/protocol/listed-refs.ts'
import { encodeOldFetch, parseOldFetch } from '../../../src/git/protocol/old-fetch-request.ts'
import { packetsOf } from '../../../src/git/protocol/packet-reader.ts'
import { delimPacket, flushPacket, packet } from '../../../src/git/protocol/packets.ts'
import { ProtocolError, ProtocolRefusal } from '../../../src/git/protocol/protocol-error.ts'
import { asOid, zeroOid } from '../../../src/lib/oid.ts'
import { runs } from '../../support/long-run.ts'

const a = asOid('a'.repeat(40))
const b = asOid('b'.repeat(40))
const listed: ListedRefs = {
  head: 'refs/heads/main',
  refs: [
    { name: 'refs/heads/change-requests/1', oid: b },
    { name: 'refs/heads/main', oid: a },
  ],
}
const untouched: ListedRefs = { head: 'refs/heads/main', refs: [] }
const git = { v1: ['multi_ack', 'no-done'], fetch: ['shallow', 'filter'] }

const show = (bytes: Buffer) =>
  [...packetsOf(bytes)].map(each => (each.kind === 'data' ? each.data.toString() : each.kind))

const message = (head: readonly string[], lines?: readonly string[]) =>
  Buffer.concat([
    ...head.map(line => packet(`${line}\n`)),
    ...(lines ? [delimPacket, ...lines.map(line => packet(`${line}\n`))] : []),
    flushPacket,
  ])

test('versions 0 and 1 list HEAD first, with the capabilities on the first line', () => {
  assert.equal(show(advertiseFetch(listed, 0, git, 'stemma/1')), [
    '# service=git-upload-pack\n',
    'flush',
    `${a} HEAD\0multi_ack no-done symref=HEAD:refs/heads/main object-format=sha1 agent=stemma/1\n`,
    `${b} refs/heads/change-requests/1\n`,
    `${a} refs/heads/main\n`,
    'flush',
  ])
  assert.is(show(advertiseFetch(listed, 1, git, 'x'))[2], 'version 1\n')
})

test('a repository without branches has its capabilities on a line of their own', () => {
  assert.is(
    show(advertiseFetch(untouched, 0, git, 'x'))[2],
    `${zeroOid} capabilities^{}\0multi_ack no-done object-format=sha1 agent=x\n`,
  )
})

test('a push is told the branches without HEAD', () => {
  const [service, , first] = show(advertisePush(listed, 0, 'stemma/1'))
  assert.is(service, '# service=git-receive-pack\n')
  assert.is(
    first,
    `${b} refs/heads/change-requests/1\0report-status report-status-v2 delete-refs side-band-64k quiet ` +
      'atomic ofs-delta no-thin push-options object-format=sha1 agent=stemma/1\n',
  )
})

test('version 2 offers what is served', () => {
  assert.equal(show(advertiseVersion2(git, 'stemma/1')), [
    'version 2\n',
    'agent=stemma/1\n',
    'ls-refs=unborn\n',
    'fetch=shallow filter\n',
    'object-format=sha1\n',
    'flush',
  ])
})

test('ls-refs lists what the prefixes ask for', () => {
  const answer = (...lines: string[]) => show(answerListRefs(listed, parseListRefs(lines)))
  assert.equal(answer(), [
    `${a} HEAD\n`,
    `${b} refs/heads/change-requests/1\n`,
    `${a} refs/heads/main\n`,
    'flush',
  ])

  assert.equal(answer('peel', 'symrefs', 'ref-prefix HEAD', 'ref-prefix refs/tags/'), [
    `${a} HEAD symref-target:refs/heads/main\n`,
    'flush',
  ])

  assert.equal(answer('ref-prefix refs/heads/ma', 'ref-prefix refs/heads/main'), [
    `${a} refs/heads/main\n`,
    'flush',
  ])

  assert.equal(show(answerListRefs(untouched, parseListRefs(['symrefs', 'unborn']))), [
    'unborn HEAD symref-target:refs/heads/main\n',
    'flush',
  ])
  assert.equal(show(answerListRefs(untouched, parseListRefs([]))), ['flush'])
  assert.throws(() => parseListRefs(['want x']), refused)
})

test('ls-refs lists the refs that start with a prefix, for any prefixes', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '/'), minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(fc.uniqueArray(name), fc.array(name, { minLength: 1 }), (names, prefixes) => {
      const refs = inOrder(names.map(each => ({ name: each, oid: a })))
      const request = { command: 'ls-refs' as const, symrefs: false, unborn: false, prefixes }
      assert.equal(show(answerListRefs({ head: 'refs/heads/x', refs }, request)), [
        ...refs
          .filter(ref => prefixes.some(prefix => ref.name.startsWith(prefix)))
          .map(ref => `${a} ${ref.name}\n`),
        'flush',
      ])
    }),
    { numRuns: runs(400) },
  )
})

test('a fetch is read line by line, and written for Git without what names the client', () => {
  const lines = [
    ...['thin-pack', 'no-progress', 'include-tag', 'ofs-delta', 'wait-for-done', 'deepen-relative'],
    ...[
      `want ${a}`,
      `have ${b}`,
      `shallow ${b}`,
      'deepen 3',
      'deepen-since 1700000000',
      'deepen-not main',
    ],
    ...['filter combine:blob:none+tree%3A1', 'done'],
  ]
  const request = parseCommand(
    message(['command=fetch', 'agent=git/2.39', 'object-format=sha1', 'session-id=x'], lines),
  )
  assert.equal(request, { command: 'fetch', wants: [a], done: true, excluded: ['main'], lines })
  assert.equal(show(encodeFetch((request as FetchRequest).lines)), [
    'command=fetch\n',
    'object-format=sha1\n',
    'delim',
    ...lines.map(line => `${line}\n`),
    'flush',
  ])
})

test('a line, command or format that is not served is refused', () => {
  for (const line of [
    ...[
      'want-ref refs/heads/main',
      'packfile-uris https',
      'sideband-all',
      'filter sparse:oid=x',
      'filter',
    ],
    ...[
      'filter tree:9',
      'filter combine:tree:9+blob:none',
      'filter combine:%',
      `want ${a} x`,
      'want x',
    ],
    ...['deepen 0', 'deepen -1', 'deepen 9999999999', 'deepen-since now', 'deepen-not --all', ''],
    ...[
      `want ${a.toUpperCase()}`,
      `have ${a}\nhave ${a}`,
      `filter combine:${'tree:1+'.repeat(9)}tree:1`,
    ],
  ])
    assert.throws(() => parseCommand(message(['command=fetch'], [line])), refused, line)
  for (const head of [
    ['command=object-info'],
    ['command=bundle-uri'],
    ['command=fetch', 'object-format=sha256'],
    ['command=fetch', 'server-option=x'],
  ])
    assert.throws(() => parseCommand(message(head, [])), refused, head.join())
})

test('a message that is not one command is a protocol error', () => {
  for (const bytes of [
    Buffer.from('hello'),
    Buffer.alloc(0),
    packet('command=fetch\n'),
    Buffer.concat([packet('command=fetch\n'), delimPacket, packet('done\n')]),
    Buffer.concat([packet('command=fetch\n'), delimPacket, delimPacket, flushPacket]),
    message(['agent=x'], []),
    message(['command=fetch', 'command=fetch'], []),
    Buffer.concat([message(['command=fetch'], []), message(['command=fetch'], [])]),
  ])
    assert.throws(() => parseCommand(bytes), malformed, bytes.toString())
  assert.is(parseCommand(flushPacket), undefined)
})

test('any sequence of packets is a request, refused or malformed', () => {
  const line = fc.constantFrom(
    ...[
      'command=fetch',
      'agent=x',
      `want ${a}`,
      `want ${a} thin-pack`,
      'done',
      'filter tree:0',
      '\0',
    ],
    'command=ls-refs',
  )

  const part = fc.oneof(
    line.map(packet),
    fc.constantFrom(flushPacket, delimPacket, Buffer.from('0002')),
  )

  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), parts => {
      for (const parse of [parseCommand, parseOldFetch])
        try {
          parse(Buffer.concat(parts))
        } catch (error) {
          assert.ok(refused(error) || malformed(error), String(error))
        }
    }),
    { numRuns: runs(1000) },
  )
})

test('a fetch of version 0 keeps its lines and offered capabilities', () => {
  const bytes = Buffer.concat([
    packet(
      `want ${a} multi_ack_detailed no-done side-band-64k thin-pack agent=git/1 object-format=sha1 filter include-tag\n`,
    ),
    packet(`want ${b}\n`),
    packet('deepen 1\n'),
    flushPacket,
    packet(`have ${b}\n`),
    packet('done\n'),
  ])
  const request = parseOldFetch(bytes)
  assert.equal(request.wants, [a, b])
  assert.is(request.done, true)
  assert.equal(show(encodeOldFetch(request.lines)), [
    `want ${a} multi_ack_detailed no-done side-band-64k thin-pack object-format=sha1\n`,
    `want ${b}\n`,
    'deepen 1\n',
    'flush',
    `have ${b}\n`,
    'done\n',
  ])
})

test('a fetch of version 0 with a line that is not offered is refused', () => {
  for (const line of [
    `want ${a} object-format=sha256`,
    'filter blob:none',
    'thin-pack',
    'push x',
    `have x`,
  ])
    assert.throws(() => parseOldFetch(packet(line)), refused, line)
  assert.throws(() => parseOldFetch(delimPacket), malformed)
})

test('a clone is plain where nothing is left out, and nothing is there', () => {
  const lines = [`want ${a}`, 'ofs-delta', 'thin-pack', 'done']
  assert.ok(isPlainClone(lines))
  assert.ok(isPlainClone(['no-progress', ...lines, `want ${b}`]))

  for (const more of [
    `have ${b}`,
    'deepen 1',
    'wait-for-done',
    'filter blob:none',
    `shallow ${a}`,
    null,
  ])
    assert.not.ok(isPlainClone([...lines, more]), String(more))

  for (const less of [`want ${a}`, 'ofs-delta', 'done'])
    assert.not.ok(isPlainClone(lines.filter(line => line !== less)), less)
})

const refused = (error: unknown) => error instanceof ProtocolRefusal
const malformed = (error: unknown) => error instanceof ProtocolError

test.run()
