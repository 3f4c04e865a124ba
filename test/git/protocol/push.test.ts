import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { packetsOf } from '../../../src/git/protocol/packet-reader.ts'
import { flushPacket, packet } from '../../../src/git/protocol/packets.ts'
import { ProtocolError } from '../../../src/git/protocol/protocol-error.ts'
import { type PushRequest, PushRequestReader } from '../../../src/git/protocol/push-request.ts'
import { decodeRaw, encodeRaw, isUtf8 } from '../../../src/git/protocol/raw-text.ts'
import { cleanText, encodeReport } from '../../../src/git/protocol/report.ts'
import { asOid, zeroOid } from '../../../src/lib/oid.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { runs } from '../../support/long-run.ts'

const a = asOid('a'.repeat(40))
const b = asOid('b'.repeat(40))
const pack = Buffer.from('PACK and so on')

/** Reads a request in chunks of this size. */
function read(
  bytes: Buffer,
  size = bytes.length,
): { request: PushRequest; rest: Buffer } | undefined {
  const reader = new PushRequestReader()
  for (let at = 0; at < bytes.length; at += size) {
    const found = reader.read(bytes.subarray(at, at + size))
    if (found)
      return {
        ...found,
        rest: Buffer.concat([found.rest, bytes.subarray(Math.min(at + size, bytes.length))]),
      }
  }

  return undefined
}

test('a push is read up to its pack, in chunks of any size', () => {
  const bytes = Buffer.concat([
    packet(`shallow ${b}`),
    packet(
      `${a} ${b} refs/heads/main\0 report-status-v2 push-options object-format=sha1 agent=git/2`,
    ),
    packet(`${zeroOid} ${b} refs/for/mäin\n`),
    packet(`${a} ${zeroOid} refs/heads/x`),
    flushPacket,
    packet('topic=a b'),
    packet('draft\n'),
    flushPacket,
    pack,
  ])
  fc.assert(
    fc.property(fc.integer({ min: 1, max: bytes.length }), size => {
      const found = read(bytes, size)
      assert.equal(found?.request.commands, [
        { ref: 'refs/heads/main', from: a, to: b },
        { ref: 'refs/for/mäin', from: null, to: b },
        { ref: 'refs/heads/x', from: a, to: null },
      ])
      assert.equal(found?.request.options, ['topic=a b', 'draft'])
      assert.ok(found?.request.capabilities.has('report-status-v2'))
      assert.equal(found?.rest, pack)
    }),
    { numRuns: runs(100) },
  )
})

test('a name and an option that are not UTF-8 are read, and the report repeats the bytes of the name', () => {
  const name = Buffer.from('refs/heads/caf\xe9 \xff', 'latin1')
  const command = Buffer.concat([
    Buffer.from(`${a} ${b} `),
    name,
    Buffer.from('\0report-status push-options'),
  ])
  const option = Buffer.from('title=\xe9', 'latin1')
  const found = read(Buffer.concat([packet(command), flushPacket, packet(option), flushPacket]))
  const ref = found!.request.commands[0]!.ref

  assert.is(isUtf8(ref), false)
  assert.equal(encodeRaw(ref), name)
  assert.equal(encodeRaw(found!.request.options[0]!), option)
  const verdicts = [{ ref, ok: false, reason: 'not \ud83d\ude00' }] as const
  const bytes = encodeReport({ unpack: 'ok', verdicts }, new Set(['report-status']))
  const line = Buffer.concat([Buffer.from('ng '), name, Buffer.from(' not \ud83d\ude00\n')])

  assert.ok(bytes.includes(packet(line)))
})

test('all bytes are a text from which they can be had again', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
      assert.equal(encodeRaw(decodeRaw(bytes)), Buffer.from(bytes))
    }),
    { numRuns: runs(400) },
  )
})

test('a flush alone is a push without commands', () => {
  assert.equal(read(flushPacket)?.request.commands, [])
})

test('a push without options has its pack after the first flush', () => {
  const found = read(Buffer.concat([packet(`${a} ${b} refs/heads/main\0quiet`), flushPacket, pack]))
  assert.equal([...found!.request.capabilities], ['quiet'])
  assert.equal(found!.rest, pack)
})

test('a push beyond the limits, signed, of another format, or with odd names is a protocol error', () => {
  const command = (ref: string, words = 'push-options') => packet(`${a} ${b} ${ref}\0${words}`)
  const next = packet(`${a} ${b} refs/heads/y`)
  const cases: Record<string, Buffer> = {
    'too many commands': Buffer.concat([command('refs/heads/x'), ...Array(10_000).fill(next)]),
    'too many options': Buffer.concat([
      command('refs/heads/x'),
      flushPacket,
      ...Array(51).fill(packet('x')),
    ]),
    'too long options': Buffer.concat([
      command('refs/heads/x'),
      flushPacket,
      ...Array(2).fill(packet('x'.repeat(40_000))),
    ]),
    'a certificate': packet(`push-cert\0push-cert=x`),
    'another format': command('refs/heads/x', 'object-format=sha256'),
    'a newline': command('refs/heads/x\ny'),
    'an escape': command('refs/heads/\x1b[31m'),
    'a NUL': packet(`${a} ${b} refs/heads/x\0quiet\0y`),
    'capabilities that are not UTF-8': packet(
      Buffer.from(`${a} ${b} refs/heads/x\0agent=\xe9`, 'latin1'),
    ),
    'a newline after a byte that is not UTF-8': packet(
      Buffer.from(`${a} ${b} refs/\xe9\ny\0quiet`, 'latin1'),
    ),
    'not a command': packet('hello'),
    'capabilities twice': Buffer.concat([command('refs/heads/x'), command('refs/heads/y')]),
    'a delimiter': Buffer.from('0001'),
    'a bad length': Buffer.from('0003'),
  }

  for (const [name, bytes] of Object.entries(cases))
    assert.throws(() => read(bytes), isProtocolError, name)
})

test('any bytes are a request, incomplete, or a protocol error', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), fc.boolean(), (datas, flush) => {
      try {
        read(Buffer.concat([...datas.map(packet), ...(flush ? [flushPacket] : [])]))
      } catch (error) {
        assert.instance(error, ProtocolError)
      }
    }),
    { numRuns: runs(400) },
  )
})

const show = (bytes: Buffer) =>
  [...packetsOf(bytes)].map(each => (each.kind === 'data' ? each.data.toString() : each.kind))

const report = {
  unpack: 'ok',
  verdicts: [
    { ref: 'refs/heads/main', ok: true },
    {
      ref: 'refs/for/main',
      ok: true,
      moved: { ref: 'refs/heads/change-requests/2', from: null, to: b },
    },
    { ref: 'refs/tags/v1', ok: false, reason: 'tags are not taken here' },
  ],
  messages: ['Change request #2 opened: \x1b[31mHow\nto'],
} as const

test('a report has the options of moved refs in its second version alone', () => {
  assert.equal(show(encodeReport(report, new Set(['report-status-v2']))), [
    'unpack ok\n',
    'ok refs/heads/main\n',
    'ok refs/for/main\n',
    'option refname refs/heads/change-requests/2\n',
    `option old-oid ${zeroOid}\n`,
    `option new-oid ${b}\n`,
    'ng refs/tags/v1 tags are not taken here\n',
    'flush',
  ])
  assert.equal(show(encodeReport(report, new Set(['report-status']))), [
    'unpack ok\n',
    'ok refs/heads/main\n',
    'ok refs/for/main\n',
    'ng refs/tags/v1 tags are not taken here\n',
    'flush',
  ])
})

test('with side bands, lines for the user come before the report, without control characters', () => {
  const [line, status, end] = show(
    encodeReport(report, new Set(['report-status', 'side-band-64k'])),
  )
  assert.is(line, '\x02Change request #2 opened:  [31mHow to\n')
  assert.is(show(Buffer.from(status!.slice(1)))[0], 'unpack ok\n')
  assert.is(status![0], '\x01')
  assert.is(end, 'flush')
  assert.equal(show(encodeReport(report, new Set(['side-band-64k']))).length, 2)
  assert.is(encodeReport(report, new Set()).length, 0)
})

test('a text is one line of at most 900 bytes of whole characters', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 1200 }), text => {
      const clean = cleanText(text.repeat(3))
      assert.ok(Buffer.byteLength(clean) <= 900)
      assert.not.match(clean, /\p{Cc}/u)
      assert.not.match(clean, text.includes('\ufffd') ? /$^/ : /\ufffd/)
    }),
    { numRuns: runs(200) },
  )
  assert.is(cleanText('ü'.repeat(500)), 'ü'.repeat(450))
})

const isProtocolError = (error: unknown) => error instanceof ProtocolError

test.run()
