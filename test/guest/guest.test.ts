import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { playGuest } from './play.ts'

test('no response to a guest shows a private OpenAPI spec or another space', async () => {
  assert.ok((await playGuest({ runs: 6 })) > 100)
})

test.run()
