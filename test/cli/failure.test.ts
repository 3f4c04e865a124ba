import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Failure, failureOf } from '../../src/cli/output/failure.ts'
import { bar } from '../../src/cli/output/progress.ts'
import { Fault } from '../../src/errors.ts'
import { GitError } from '../../src/git/values/errors.ts'
import { Store } from '../../src/store/store.ts'

const thrown = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('It went well.')
}

test('an error becomes a sentence and an exit code', () => {
  const fault = failureOf(new Fault('file_exists', 'It exists.'))
  assert.equal(fault, { sentence: 'It exists.', exitCode: 1 })
  assert.equal(failureOf(new Failure('Say which.', 2)), { sentence: 'Say which.', exitCode: 2 })
  assert.is(
    failureOf(new GitError('no_space', 'The disk is full.', {}, 'a trace')).sentence,
    'The disk is full.',
  )

  assert.is(
    failureOf(thrown(() => readFileSync('/nowhere'))).sentence,
    '/nowhere: It does not exist.',
  )
  assert.match(failureOf(thrown(() => JSON.parse('{'))).sentence, /^Unexpected error/)
})

test('an invalid database, and one of a newer program, are reported', () => {
  const database = thrown(() => new Store(new URL(import.meta.url).pathname))
  assert.match(
    failureOf(database).sentence,
    /is damaged .*fill an empty one from the last good backup with "stemma restore"/,
  )

  assert.match(
    failureOf(new Error('The database has schema 9.')).sentence,
    /^The database has schema 9\.$/,
  )
})

test('a progress bar is full at the end and never longer', () => {
  assert.is(bar(0), `[${'.'.repeat(24)}]`)
  assert.is(bar(0.5), `[${'#'.repeat(12)}${'.'.repeat(12)}]`)
  assert.is(bar(7), `[${'#'.repeat(24)}]`)
})

test.run()
