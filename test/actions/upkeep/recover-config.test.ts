import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { recover } from '../../../src/actions/upkeep/recover.ts'
import { repositoryConfig, upkeepConfig } from '../../../src/git/repositories/repository.ts'
import { makeSpace } from '../../api/change-requests/bench.ts'
import { type App, startApp } from '../../support/app.ts'

let app: App

test.before(async () => {
  app = await startApp()
})
test.after(() => app.stop())

test('a repository whose upkeep was interrupted has precious objects again after the next start', async () => {
  const space = await makeSpace(app)
  const config = join(space.repo.dir, 'config')
  writeFileSync(config, upkeepConfig)
  await recover(app.ctx)
  assert.is(readFileSync(config, 'utf8'), repositoryConfig)
})

test('one that somebody else configured is left as it is, and does not keep the server from starting', async () => {
  const space = await makeSpace(app)
  const config = join(space.repo.dir, 'config')
  const changed = `${repositoryConfig}[alias]\n\tx = y\n`
  writeFileSync(config, changed)
  await recover(app.ctx)
  assert.is(readFileSync(config, 'utf8'), changed)
})

test.run()
