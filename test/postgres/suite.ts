import { type Callback, suite } from 'uvu'
import type { Store } from '../../src/store/store.ts'
import { skip } from '../support/skip.ts'
import { type Bench, openBench, putAdmins } from './bench.ts'
import { postgresPrograms } from './cluster.ts'

type PostgresSuite = {
  (name: string, test: () => Promise<void> | void): void
  run: () => void
}

/**
 * Returns a suite of tests that need PostgreSQL, with what runs before and after them. Without
 * PostgreSQL the suite is skipped and says so, but fails where TEST_POSTGRES is "required".
 */
export function postgresSuite(name: string, before: Callback, after: Callback): PostgresSuite {
  const tests = suite(name)
  if (postgresPrograms || process.env.TEST_POSTGRES === 'required') {
    tests.before(before)
    tests.after(after)
    return tests
  }
  tests(name, () => skip('PostgreSQL is not installed: apt-get install postgresql'))
  return Object.assign(() => {}, { run: () => tests.run() })
}

/** Two stores on one database, as two nodes have them. */
type TwoStores = { bench: Bench; here: Store; there: Store }

/**
 * Returns a suite of tests with two stores, in which "ada" and "bob" are the administrators of "acme".
 * `take` gets the stores before the tests.
 */
export function twoStoresSuite(name: string, take: (stores: TwoStores) => void): PostgresSuite {
  let bench: Bench | undefined
  return postgresSuite(
    name,
    async () => {
      bench = await openBench()
      const [here, there] = [bench.node(), bench.node()]
      putAdmins(here, 'acme', ['ada', 'bob'])
      take({ bench, here, there })
    },
    () => bench?.stop(),
  )
}
