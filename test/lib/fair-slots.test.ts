import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { FairSlots } from '../../src/lib/fair-slots.ts'

const open = (
  options: { total?: number; perShare?: number; mostWaiting?: number; waitMs?: number } = {},
) =>
  new FairSlots({
    total: 2,
    perShare: 1,
    waitersPerShare: 2,
    waitMs: 60_000,
    refusal: share => new Error(`${share} is refused`),
    ...options,
  })

test('a free slot goes to the share that holds the fewest', async () => {
  const slots = open({ perShare: 2 })
  const [first, second] = [await slots.take('a'), await slots.take('a')]
  const order: string[] = []
  const waits = ['a', 'b'].map(async share => {
    const release = await slots.take(share)
    order.push(share)
    release()
  })

  first()
  await Promise.all(waits)
  second()
  assert.equal(order, ['b', 'a'])
  assert.equal(slots.load, { held: 0, waiting: 0 })
})

test('the line is bounded for each share and for all', async () => {
  const slots = open({ mostWaiting: 3 })
  const releases = [await slots.take('a'), await slots.take('b')]
  const waiting = ['a', 'a', 'b'].map(share => slots.take(share))
  for (const share of ['a', 'b', 'c']) {
    assert.is(await slots.take(share).catch(error => error.message), `${share} is refused`)
  }
  for (const release of releases) release()
  for (const taken of waiting) (await taken)()
  assert.equal(slots.load, { held: 0, waiting: 0 })
})

test('an aborted waiter leaves the line, and its slot goes to the next one', async () => {
  const slots = open({ total: 1 })
  const release = await slots.take('a')
  const gone = new AbortController()
  const left = slots.take('b', gone.signal).catch(error => error.message)
  const next = slots.take('c')

  gone.abort(new Error('the client left'))
  assert.is(await left, 'the client left')
  assert.equal(slots.load, { held: 1, waiting: 1 })
  release()
  ;(await next)()
  assert.is(await slots.take('d', gone.signal).catch(error => error.message), 'the client left')
  assert.equal(slots.load, { held: 0, waiting: 0 })
})

test('a waiter that waits too long is refused', async () => {
  const slots = open({ total: 1, waitMs: 1 })
  const release = await slots.take('a')
  assert.is(await slots.take('b').catch(error => error.message), 'b is refused')
  release()
  assert.equal(slots.load, { held: 0, waiting: 0 })
})

test('work holds its slot until it ends or fails', async () => {
  const slots = open()
  assert.equal(await slots.run('a', async () => slots.load), { held: 1, waiting: 0 })
  const failing = slots.run('a', () => Promise.reject(new Error('failed')))
  assert.is(await failing.catch(error => error.message), 'failed')
  assert.equal(slots.load, { held: 0, waiting: 0 })
})

test.run()
