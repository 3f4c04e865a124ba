import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { keysFrom } from '../../src/lib/keys.ts'
import { firstSealed } from './sealed.ts'

const secret = randomBytes(32)
const keys = keysFrom(secret)

test('a sealed text opens for its purpose, and for no other', () => {
  const purpose = fc.oneof(
    fc.string(),
    fc.constantFrom('webhook', 'webhook ', 'share link', 'visitor session', ''),
  )
  fc.assert(
    fc.property(purpose, purpose, fc.string({ unit: 'grapheme' }), (mine, other, text) => {
      const sealed = keys.seal(mine, text)
      assert.is(keys.open(mine, sealed), text)
      if (mine !== other) assert.throws(() => keys.open(other, sealed))
    }),
  )
})

test('a changed or shortened text, and one of another secret, does not open', () => {
  const sealed = keys.seal('webhook', 'text')
  for (const at of [3, 12, 30, sealed.length - 2]) {
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
    assert.throws(() => keys.open('webhook', changed), /./, String(at))
  }

  for (const end of [0, 3, 10, 19, 30])
    assert.throws(() => keys.open('webhook', sealed.slice(0, end)))
  assert.throws(() => keysFrom(randomBytes(32)).open('webhook', sealed))
  assert.is(keysFrom(randomBytes(32), [secret]).open('webhook', sealed), 'text')
})

test('what another key has signed is accepted as long as that key is named', () => {
  const fresh = randomBytes(32)
  const [both, alone] = [keysFrom(fresh, [secret]), keysFrom(fresh)]
  const [signature, mac] = [keys.sign('cursor', 'text'), keys.mac('visitor', 'text')]
  assert.ok(both.verify('cursor', 'text', signature) && both.verifyMac('visitor', 'text', mac))
  assert.not.ok(alone.verify('cursor', 'text', signature))
  assert.not.ok(alone.verifyMac('visitor', 'text', mac))
  assert.not.ok(both.verify('other', 'text', signature))
  assert.is(both.sign('cursor', 'text'), alone.sign('cursor', 'text'))
})

test('the first version, without a purpose, opens only where it is replaced', () => {
  const old = firstSealed(secret, 'text')
  assert.is(keys.openFirst(old), 'text')
  const sealed = keys.seal('webhook', 'text')
  for (const given of [old, `v2.${old}`]) assert.throws(() => keys.open('webhook', given))
  for (const given of [sealed, sealed.slice(3)]) assert.throws(() => keys.openFirst(given))
})

test.run()
