import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { runs } from '../support/long-run.ts'
import { playGuest } from './play.ts'

test('no response to a guest shows a private OpenAPI spec or another space', async () => {
  assert.ok((await playGuest({ runs: runs(32) })) > 100)
})

test.run()
