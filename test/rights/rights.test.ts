import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkRights } from './check.ts'

test('no sequence of calls makes somebody stronger who may not be', async () => {
  assert.ok((await checkRights(6)) > 10)
})

test.run()
