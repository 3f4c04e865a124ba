import * as assert from 'uvu/assert'
import type { Store } from '../../../src/store/store.ts'
import { type Bench, readTitle, writeTitle } from '../bench.ts'
import { twoStoresSuite } from '../suite.ts'

let bench: Bench
let here: Store
let there: Store
const test = twoStoresSuite('rows that are fetched after a write', stores => {
  ;({ bench, here, there } = stores)
})

const titleAt = (store: Store): string | undefined =>
  store.remember('title', () => readTitle(store, 'acme'), { organizationId: 'acme' })

/** Returns what a request at a node reads, and how often it waits for the database. */
async function request(store: Store): Promise<[title: string | undefined, trips: number]> {
  // A request comes after the turn of the event loop in which another one has written.
  await new Promise(setImmediate)
  await store.gate?.pass()
  const before = store.figures?.trips ?? 0
  return [titleAt(store), (store.figures?.trips ?? 0) - before]
}

test('are there for the next request', async () => {
  await request(here)
  writeTitle(here, 'acme', 'New')
  assert.equal(await request(here), ['New', 0])
})

test('are not used after a later write of another node', async () => {
  await request(here)
  writeTitle(here, 'acme', 'Mine')
  // They are fetched, but not used.
  await here.gate?.pass()
  writeTitle(there, 'acme', 'Theirs')
  assert.equal(await request(here), ['Theirs', 1])
})

test('are not used after a later write of the same node', async () => {
  await request(here)
  writeTitle(here, 'acme', 'One')
  const passed = here.gate?.pass()
  await new Promise(setImmediate)
  writeTitle(here, 'acme', 'Two')
  await passed
  assert.is(titleAt(here), 'Two')
})

test('are those after the last of several transactions of a turn', async () => {
  await request(here)
  for (const title of ['One', 'Two', 'Three'])
    here.transact(() => {
      writeTitle(here, 'acme', title)
      writeTitle(here, 'acme', `${title} again`)
    })
  assert.equal(await request(here), ['Three again', 0])
})

test('are read as before when they cannot be fetched', async () => {
  await request(here)
  writeTitle(here, 'acme', 'Kept')
  await bench.cluster.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'stemma'`,
  )
  assert.is((await request(here))[0], 'Kept')
})

test.run()
