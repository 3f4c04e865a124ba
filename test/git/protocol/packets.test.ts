import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type Packet,
  PacketReader,
  packetsOf,
  textOf,
} from '../../../src/git/protocol/packet-reader.ts'
import {
  bandPackets,
  delimPacket,
  errorPacket,
  flushPacket,
  maxPacketData,
  packet,
} from '../../../src/git/protocol/packets.ts'
import { ProtocolError } from '../../../src/git/protocol/protocol-error.ts'
import { runs } from '../../support/long-run.ts'

test('a packet begins with its length, which counts itself', () => {
  assert.is(packet('a\n').toString(), '0006a\n')
  assert.is(packet('ü').toString(), '0006ü')
  assert.is(packet('').toString(), '0004')
  assert.is(packet(Buffer.alloc(maxPacketData)).toString('latin1', 0, 4), 'fff0')
  assert.throws(() => packet(Buffer.alloc(maxPacketData + 1)))
  assert.is(errorPacket('no').toString(), '000aERR no')
})

test('data of a band is split into packets of at most 65,520 bytes', () => {
  const data = Buffer.alloc(200_000, 'x')
  const packets = [...packetsOf(bandPackets(1, data))].map(each => (each as { data: Buffer }).data)
  assert.equal(
    packets.map(each => each.length),
    [65_516, 65_516, 65_516, 3456],
  )
  assert.ok(packets.every(each => each[0] === 1))
  assert.equal(Buffer.concat(packets.map(each => each.subarray(1))), data)
  assert.is(bandPackets(2, '').length, 0)
})

test('packets are read whatever the chunks they arrive in', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constantFrom('flush', 'delim'))),
      fc.uint8Array({ maxLength: 9 }),
      fc.array(fc.nat(30)),
      (contents, rest, cuts) => {
        const encoded = contents.map(each =>
          each === 'flush'
            ? flushPacket
            : each === 'delim'
              ? delimPacket
              : packet(each as Uint8Array),
        )
        const bytes = Buffer.concat(encoded)
        const reader = new PacketReader()
        const read: Packet[] = []
        let at = 0

        for (const size of [...cuts, bytes.length]) {
          reader.push(bytes.subarray(at, at + size))
          at += size
          for (let next = reader.next(); next; next = reader.next()) read.push(next)
        }

        reader.push(Buffer.from(rest))
        assert.equal(reader.rest(), Buffer.from(rest))
        assert.equal(
          read.map(each => (each.kind === 'data' ? each.data.toString('hex') : each.kind)),
          contents.map(each =>
            typeof each === 'string' ? each : Buffer.from(each).toString('hex'),
          ),
        )
      },
    ),
    { numRuns: runs(400) },
  )
})

test('any bytes are packets or a protocol error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), bytes => {
      try {
        for (const each of packetsOf(Buffer.from(bytes)))
          if (each.kind === 'data') textOf(each.data)
      } catch (error) {
        assert.instance(error, ProtocolError)
      }
    }),
    { numRuns: runs(1000) },
  )
})

test('a wrong length, a packet that breaks off, and bytes that are not UTF-8 are protocol errors', () => {
  for (const bytes of ['0003', 'zzzz', 'fff1', '-001', '0x10', '00'])
    assert.throws(() => [...packetsOf(Buffer.from(bytes))], isProtocolError)
  assert.throws(() => [...packetsOf(Buffer.from('0006a'))], isProtocolError)
  assert.throws(() => textOf(Buffer.from([0xff])), isProtocolError)
})

const isProtocolError = (error: unknown) => error instanceof ProtocolError

test.run()
