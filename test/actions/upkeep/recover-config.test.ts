import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { repositoryConfig, upkeepConfig } from '../../../src/git/repositories/repository.ts'
import { makeSpace, type TestSpace } from '../../support/corpus/corpus.ts'
import { type Folder, openFolder } from '../../support/folder.ts'
import { restart } from '../../support/restart.ts'

let folder: Folder
let space: TestSpace

test.before.each(async () => {
  folder = await openFolder()
  space = await makeSpace({ ctx: folder.ctx, admin: { id: folder.adminId } })
})
test.after.each(() => folder.close())

test('a start restores preciousObjects in a repository whose upkeep was interrupted', async () => {
  const config = join(space.repo.dir, 'config')
  writeFileSync(config, upkeepConfig)
  await restart(folder.ctx)
  assert.is(readFileSync(config, 'utf8'), repositoryConfig)
})

test('a repository with a foreign configuration is left unchanged and does not prevent the start', async () => {
  const config = join(space.repo.dir, 'config')
  const changed = `${repositoryConfig}[alias]\n\tx = y\n`
  writeFileSync(config, changed)
  await restart(folder.ctx)
  assert.is(readFileSync(config, 'utf8'), changed)
})

test.run()
