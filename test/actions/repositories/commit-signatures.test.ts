import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { authorOf } from '../../../src/actions/repositories/commit-signatures.ts'

test('the name of a commit author contains no email address, even if an old row does', () => {
  const nameOf = (display_name: string) =>
    authorOf({ id: 'ed', display_name, email: null }, new Date()).name
  assert.is(nameOf('Ed'), 'Ed')
  assert.is(nameOf('Admin <admin@example.org>'), 'Admin')
  assert.is(nameOf('<admin@example.org> Admin'), 'Admin')
  assert.is(nameOf('Admin <admin@example.org'), 'Admin')
  assert.is(nameOf('a <b> c <d@e>'), 'a c')
  assert.not.match(nameOf('<admin@example.org>'), /@/)
})

test.run()
