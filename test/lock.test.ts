import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { lockFolder } from '../src/lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'stemma-lock-'))
test.after(() => rmSync(folder, { recursive: true }))

/**
 * Tries to lock the folder in another process, because locks of one process do not exclude each
 * other. Returns the error or 'locked'.
 */
function lockElsewhere(): string {
  const module = new URL('../src/lock.ts', import.meta.url).href
  const code = `import(${JSON.stringify(module)}).then(({ lockFolder }) => {
    try { lockFolder(${JSON.stringify(folder)}, 'elsewhere'); console.log('locked') }
    catch (error) { console.log(error.constructor.name, error.message) }
  })`
  return spawnSync(process.execPath, ['--import', 'tsx', '-e', code], {
    encoding: 'utf8',
  }).stdout.trim()
}

test('a folder has one holder, even when its lock files are removed or recreated', () => {
  const lock = lockFolder(folder, 'here')
  assert.match(lockElsewhere(), /^LockedError .*\(process \d+, here\)/)
  assert.equal(lock.renew(), [])

  for (const name of ['lock.db', 'stemma.db-lock']) {
    rmSync(join(folder, name))
    assert.match(lockElsewhere(), /^LockedError/, name)
    assert.equal(lock.renew(), [name])
    assert.match(lockElsewhere(), /^LockedError/, name)
  }

  for (const name of ['lock.db', 'stemma.db-lock', 'lock.txt']) rmSync(join(folder, name))
  assert.equal(lock.renew(), ['lock.db', 'stemma.db-lock'])
  assert.match(lockElsewhere(), /^LockedError/)
  assert.match(readFileSync(join(folder, 'lock.txt'), 'utf8'), /here/)
  lock.release()
  assert.is(lockElsewhere(), 'locked')
})

test.run()
