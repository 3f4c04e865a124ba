import { type Callback, suite } from 'uvu'
import { skip } from '../support/skip.ts'
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
