import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { PackHeader } from '../../../src/git/protocol/pack-header.ts'

const answer = Buffer.concat([
  Buffer.from('0008NAK\n0015\x02Counting: PACK\n0025\x01PACK\0\0\0\x02'),
  Buffer.from([0, 1, 2, 3]),
  Buffer.from('more PACK\0\0\0\x02\0\0\0\x09'),
])

test('the number of objects is found, however the answer is divided', () => {
  for (let size = 1; size <= answer.length; size++) {
    const header = new PackHeader()
    for (let at = 0; at < answer.length; at += size) header.add(answer.subarray(at, at + size))
    assert.is(header.objects, 0x010203, `parts of ${size} bytes`)
  }
})

test('an answer without a pack has no number', () => {
  const header = new PackHeader()
  header.add(Buffer.from('0008NAK\n'))
  assert.is(header.objects, undefined)
})

test.run()
