import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { destroyWait, JumpWatch, steadyClock } from '../../src/lib/clock.ts'
import { readLastSeen, writeLastSeen } from '../../src/lib/last-seen.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** A machine whose clock can be set. */
function machine(at = Date.parse('2026-06-01T12:00:00Z')) {
  const time = { wall: at, steady: 5_000 }
  const wall = () => time.wall
  const steady = () => time.steady
  const pass = (ms: number) => {
    time.wall += ms
    time.steady += ms
  }
  const set = (ms: number) => {
    time.wall += ms
  }

  return { wall, steady, pass, set, jumps: new JumpWatch(wall, steady) }
}

test("time never repeats and stays within a minute of the machine's clock, whatever that does", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -3 * day, max: 3 * day }), { maxLength: 50 }), steps => {
      let at = 1_800_000_000_000
      const now = steadyClock(() => at)
      let last = now().getTime()

      for (const step of steps) {
        at += step
        const time = now().getTime()
        assert.ok(time - at <= minute + steps.length && time >= at, `${time - at} ms ahead`)
        assert.ok(time > last || step < -minute + 1, 'it repeats, or goes back after a small step')
        last = time
      }
    }),
  )
})

test('nothing is deleted within an hour of uptime after a jump, forwards or backwards', () => {
  for (const jump of [8 * day, -8 * day, 2 * minute]) {
    const { wall, steady, pass, set, jumps } = machine()
    const wait = destroyWait(wall(), jumps, wall, steady)
    assert.is(wait(), 0)
    set(jump)
    assert.is(wait(), hour)
    pass(hour - 1)
    assert.is(wait(), 1)
    pass(1)
    assert.is(wait(), 0)
  }
})

test('a correction of a minute and a busy process are not jumps; a second jump is detected', () => {
  const { wall, steady, pass, set, jumps } = machine()
  const wait = destroyWait(undefined, jumps, wall, steady)
  set(minute)
  pass(20 * minute)
  assert.is(wait(), 0)
  set(day)
  assert.is(wait(), hour)
  pass(40 * minute)
  set(-day)
  assert.is(wait(), hour)
  pass(40 * minute)
  assert.is(wait(), 20 * minute)
})

test('a start long after the last recorded time, or before it, waits for an hour of uptime', () => {
  for (const [seen, expected] of [
    [-9 * minute, 0],
    [-7 * day, hour],
    [30_000, 0],
    [2 * minute, hour],
  ] as const) {
    const { wall, steady, pass, jumps } = machine()
    const wait = destroyWait(wall() + seen, jumps, wall, steady)
    assert.is(wait(), expected, String(seen))
    pass(hour)
    assert.is(wait(), 0)
  }
})

test('a jump is reported once', () => {
  const { pass, set, jumps } = machine()
  pass(hour)
  assert.is(jumps.takeJump(), 0)
  set(-day)
  jumps.sinceJump()
  set(hour)
  assert.is(jumps.takeJump(), hour - day)
  assert.is(jumps.takeJump(), 0)
})

test('the last recorded time is read back; an invalid or unwritable file does no harm', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stemma-seen-'))
  const file = join(folder, 'seen.txt')
  assert.is(readLastSeen(file), undefined)
  writeLastSeen(file, new Date(1_800_000_000_000))
  assert.is(readLastSeen(file), 1_800_000_000_000)
  writeLastSeen(join(folder, 'none', 'seen.txt'), new Date())
  writeFileSync(file, 'yesterday')
  assert.is(readLastSeen(file), undefined)
  assert.is(readFileSync(file, 'utf8'), 'yesterday')
  rmSync(folder, { recursive: true })
})

test.run()
