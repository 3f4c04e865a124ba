import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { inFlags } from '../../src/cli/output/in-flags.ts'

const flags = { repoProjectDirectory: '--directory', ref: '--ref' }

test('an API message names the flag that sets the field', () => {
  assert.is(
    inFlags(
      'The repository has no folder "docs" on this branch: check "repoProjectDirectory".',
      flags,
    ),
    'The repository has no folder "docs" on this branch: check --directory.',
  )
  assert.is(inFlags('"ref" in the body: takes a text.', flags), '--ref takes a text.')
  assert.is(inFlags('"ref.1" in the body: takes a text.', flags), '--ref takes a text.')
})

test('a field that is named with its flag is the flag alone', () => {
  const sentence = 'Use "force" (--force) to keep both, or "replace" (--replace).'
  const expected = 'Use --force to keep both, or --replace.'
  assert.is(inFlags(sentence, { force: '--force' }), expected)
  assert.is(inFlags(sentence, {}), expected)
})

test('other quoted words stay unchanged', () => {
  assert.is(
    inFlags('There is no branch "main" and no "toString".', flags),
    'There is no branch "main" and no "toString".',
  )
})

test.run()
