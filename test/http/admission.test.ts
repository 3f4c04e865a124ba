import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Fault } from '../../src/errors.ts'
import { Admission, type Applicant, applicantOf } from '../../src/http/limits/admission.ts'

/** Starts runs that end when they are told to. */
function begin(admission: Admission, applicants: readonly Applicant[]) {
  let resolve = () => {}
  const promise = new Promise<void>(end => {
    resolve = end
  })
  const runs = applicants.map(each =>
    admission.run(each, undefined, () => promise).catch((error: unknown) => error),
  )

  return {
    end: async () => {
      resolve()
      return Promise.all(runs)
    },
  }
}

const stranger = (share: string): Applicant => ({ kind: 'stranger', share })
const user = (share: string): Applicant => ({ kind: 'user', share })

test('strangers do not take the slots of users, and an address has no more than its share', async () => {
  const admission = new Admission()
  const busy = begin(
    admission,
    Array.from({ length: 64 }, (_, at) => stranger(`192.0.2.${at % 8}`)),
  )

  assert.equal(admission.loads.stranger, { held: 2, waiting: 62 })
  assert.is(await admission.run(user('ada'), undefined, async () => 'answered'), 'answered')
  const one = begin(
    new Admission(),
    Array.from({ length: 3 }, () => stranger('192.0.2.1')),
  )

  await Promise.all([busy.end(), one.end()])
  assert.equal(admission.loads.stranger, { held: 0, waiting: 0 })
})

test('the addresses of one IPv6 network share one turn', async () => {
  const admission = new Admission()
  const busy = begin(
    admission,
    ['2001:db8::1', '2001:db8::2'].map(address => applicantOf({ type: 'anonymous' }, address)),
  )
  assert.equal(admission.loads.stranger, { held: 1, waiting: 1 })
  await busy.end()
  assert.equal(admission.loads.stranger, { held: 0, waiting: 0 })
})

test('a full line is refused with the time after which to try again', async () => {
  const admission = new Admission()
  const busy = begin(
    admission,
    Array.from({ length: 102 }, () => stranger('192.0.2.1')),
  )

  assert.is(
    await admission.run(stranger('192.0.2.2'), undefined, async () => 'another address'),
    'another address',
  )
  const outcomes = await busy.end()
  const refused = outcomes.filter(each => each instanceof Fault)

  assert.is(refused.length, 1)
  assert.is(refused[0]?.kind, 'unavailable')
  assert.is(refused[0]?.refusal?.label, 'admission')
  assert.match(refused[0]?.message ?? '', /Try again in \d+ s\./)
})

test('one large run holds its texts at a time, and small runs go on', async () => {
  const admission = new Admission()
  const order: string[] = []
  let end = () => {}
  const ended = new Promise<void>(resolve => {
    end = resolve
  })
  const large = (share: string, wait: Promise<void>) =>
    admission.run(user(share), undefined, async hold => {
      await hold(40_000)
      await hold(40_000)
      order.push(`${share} begins`)
      await wait
      await hold(40_000)
      order.push(`${share} ends`)
    })
  const runs = [large('a', ended), large('b', Promise.resolve())]
  const small = await admission.run(stranger('192.0.2.1'), undefined, async hold => {
    await hold(10_000)
    return 'small'
  })

  assert.is(small, 'small')
  end()
  await Promise.all(runs)
  assert.equal(order, ['a begins', 'a ends', 'b begins', 'b ends'])
})

test('work that fails gives its slot back', async () => {
  const admission = new Admission()
  for (let run = 0; run < 5; run++) {
    const work = () => Promise.reject(new Error('failed'))
    assert.is(
      await admission.run(user('ada'), undefined, work).catch(error => error.message),
      'failed',
    )
  }

  assert.equal(admission.loads.user, { held: 0, waiting: 0 })
})

test.run()
