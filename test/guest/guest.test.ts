import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { playGuest } from './play.ts'

test('whatever a guest does, no answer shows a private description or another space', async () => {
  assert.ok((await playGuest({ runs: 6 })) > 100)
})

test.run()
