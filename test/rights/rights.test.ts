import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkRights } from './check.ts'

test('no sequence of calls gives a user more rights than allowed', async () => {
  assert.ok((await checkRights(6)) > 10)
})

test.run()
