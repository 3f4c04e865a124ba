import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { recover } from '../../../src/actions/upkeep/recover.ts'
import { openFolder } from '../../support/folder.ts'

test('temporary files of a killed server are removed at the next start', async () => {
  const { ctx, close } = await openFolder()
  try {
    const left = ['tmp/fetch-1', 'staging/push-1/objects'].map(path =>
      join(ctx.config.dataDir, path),
    )
    for (const path of left) {
      mkdirSync(join(path, '..'), { recursive: true })
      writeFileSync(path, 'a part of an answer')
    }

    await recover(ctx)
    assert.equal(left.map(existsSync), [false, false])
  } finally {
    await close()
  }
})

test.run()
