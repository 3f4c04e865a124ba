import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Gate } from '../../../src/store/gate.ts'

/** Returns a gate whose looks end when they are told to, and how many of them have begun. */
function heldGate() {
  const looks: { end: () => void; fail: (error: Error) => void }[] = []
  const gate = new Gate(
    () =>
      new Promise((resolve, reject) => {
        looks.push({ end: () => resolve(Date.now()), fail: reject })
      }),
  )
  return { gate, looks }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

/** Returns the names of calls that have ended. */
function following(calls: Record<string, Promise<void>>): string[] {
  const ended: string[] = []
  for (const [name, call] of Object.entries(calls))
    call.then(
      () => ended.push(name),
      () => ended.push(`${name} failed`),
    )
  return ended
}

test('a call waits for a look that begins after it, and shares it', async () => {
  const { gate, looks } = heldGate()
  const ended = following({ first: gate.pass(), second: gate.pass(), third: gate.pass() })
  await turn()
  assert.is(looks.length, 1)
  assert.is(gate.waiting, 3)
  looks[0]?.end()
  await turn()
  assert.equal(ended, ['first'])
  assert.is(looks.length, 2, 'one look for both')
  looks[1]?.end()
  await turn()
  assert.equal(ended, ['first', 'second', 'third'])
  assert.is(gate.waiting, 0)
})

test('at most one look is in flight, whenever a call comes', async () => {
  const { gate, looks } = heldGate()
  let [begun, most] = [0, 0]
  const calls: Promise<void>[] = []
  for (let step = 0; step < 200; step++) {
    calls.push(gate.pass())
    if (step % 3 === 0 && begun < looks.length) looks[begun++]?.end()
    // A call after each microtask of the end of a look.
    for (let ticks = 0; ticks < step % 7; ticks++) await undefined
    most = Math.max(most, looks.length - begun)
  }
  while (begun < looks.length) {
    looks[begun++]?.end()
    await turn()
  }
  await Promise.all(calls)
  assert.is(most, 1)
})

test('a look that fails fails its own calls alone', async () => {
  const { gate, looks } = heldGate()
  const ended = following({ first: gate.pass(), second: gate.pass() })
  looks[0]?.fail(new Error('away'))
  await turn()
  assert.equal(ended, ['first failed'])
  assert.is(gate.hasFailed, true)
  looks[1]?.end()
  await turn()
  assert.equal(ended, ['first failed', 'second'])
  assert.is(gate.hasFailed, false)
})

test('knows how far the clock of the database is ahead', async () => {
  const hour = 3_600_000
  let ahead = hour
  const gate = new Gate(async () => Date.now() + ahead)
  for (ahead of [hour, -hour, 0]) {
    await gate.pass()
    assert.ok(Math.abs(gate.clockLeadMs - ahead) < 60_000)
  }
})

test.run()
