import { setImmediate } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SharedWork } from '../../src/lib/shared-work.ts'
import { inSlices } from '../../src/lib/slices.ts'

function* endless() {
  for (;;) yield
}

test('concurrent callers share the result of one run', async () => {
  const work = new SharedWork<number>()
  let runs = 0
  const make = async () => {
    await setImmediate()
    return ++runs
  }

  assert.equal(
    await Promise.all([work.join('a', undefined, make), work.join('a', undefined, make)]),
    [1, 1],
  )
  assert.is(await work.join('a', undefined, make), 2)
  assert.equal(
    await Promise.all([work.join('a', undefined, make), work.join('b', undefined, make)]),
    [3, 4],
  )
})

test('work continues until its last caller leaves', async () => {
  const work = new SharedWork<number>()
  const [first, second] = [new AbortController(), new AbortController()]
  let stopped = false
  let finish = (_: number) => {}
  const make = (signal: AbortSignal) => {
    signal.addEventListener('abort', () => {
      stopped = true
    })
    return new Promise<number>(resolve => {
      finish = resolve
    })
  }
  const gone = work.join('a', first.signal, make).catch(error => error.message)
  const stays = work.join('a', second.signal, make)

  first.abort(new Error('the first has gone'))
  assert.is(await gone, 'the first has gone')
  assert.not(stopped)
  finish(7)
  assert.is(await stays, 7)
})

test('abandoned work stops, and the next caller gets a new run', async () => {
  const work = new SharedWork<string>()
  const caller = new AbortController()
  const ends: string[] = []
  const left = work
    .join('a', caller.signal, async signal => {
      await inSlices(endless(), signal).catch(error => ends.push(error.message))
      return 'never'
    })
    .catch(error => error.message)

  caller.abort(new Error('gone'))
  const next = work.join('a', undefined, async () => 'anew')

  assert.is(await left, 'gone')
  assert.is(await next, 'anew')
  while (ends.length === 0) await setImmediate()
  assert.equal(ends, ['gone'])
})

test('a caller that has already left starts nothing', async () => {
  const work = new SharedWork<string>()
  const reason = new Error('gone')
  let started = false
  const joined = work.join('a', AbortSignal.abort(reason), async () => {
    started = true
    return ''
  })

  assert.is(await joined.catch(error => error), reason)
  assert.not(started)
})

test('a failure reaches every waiting caller', async () => {
  const work = new SharedWork<string>()
  const fail = async () => {
    throw new Error('broken')
  }
  const said = await Promise.all(
    [1, 2].map(() => work.join('a', undefined, fail).catch(error => error.message)),
  )
  assert.equal(said, ['broken', 'broken'])
})

test.run()
