import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { authorOf } from '../../../src/actions/repositories/commit-signatures.ts'

test('the author of a commit has no address in the name, whatever an old row says', () => {
  const nameOf = (display_name: string) => authorOf({ id: 'ed', display_name, email: null }, new Date()).name
  assert.is(nameOf('Ed'), 'Ed')
  assert.is(nameOf('Admin <admin@example.org>'), 'Admin')
  assert.is(nameOf('<admin@example.org> Admin'), 'Admin')
  assert.is(nameOf('Admin <admin@example.org'), 'Admin')
  assert.is(nameOf('a <b> c <d@e>'), 'a c')
  assert.not.match(nameOf('<admin@example.org>'), /@/)
})

test.run()
