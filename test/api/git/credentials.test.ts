import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openSyncBench, type SyncBench } from '../../support/git/remote.ts'

const secret = 'pass-Word-0123456789'
let bench: SyncBench

test.before(async () => {
  bench = await openSyncBench(`ci:${secret}`)
})
test.after(async () => {
  await bench.stop()
})

const docs = { 'README.md': '# Handbook\n', 'SUMMARY.md': '# Summary\n\n* [Handbook](README.md)\n' }
const withSecret = (name: string, user = `ci:${secret}`) =>
  `${bench.host.origin.replace('://', `://${user}@`)}/${name}.git`

/** Returns all files below a folder that contain the text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(file => readFileSync(file).includes(text))
}

test('credentials in the URL are used and stored nowhere', async () => {
  bench.remote('private', docs)
  const space = await bench.space()
  const { admin } = bench.app
  const operation = await bench.sync('import', space, {
    url: withSecret('private'),
    ref: 'refs/heads/main',
  })

  assert.is(operation.state, 'success', operation.error)
  assert.is(operation.url, `${bench.host.origin}/private.git`)
  const exported = await bench.sync('export', space, {
    url: withSecret('private'),
    ref: 'refs/heads/copy',
    commitMessage: 'Copy',
  })

  assert.is(exported.state, 'success', exported.error)
  const shown = [
    await admin.get(`/v1/spaces/${space}/git/info`),
    await admin.get(`/v1/spaces/${space}/git/operations`),
  ]

  for (const { text } of shown) assert.not.match(text, new RegExp(secret))
  bench.app.ctx.store.checkpoint()
  assert.equal(filesWith(bench.app.dataDir, secret), [])
  assert.equal(filesWith(bench.app.dataDir, Buffer.from(`ci:${secret}`).toString('base64')), [])
})

test('wrong credentials are an error message that does not repeat them', async () => {
  bench.remote('closed', docs)
  const space = await bench.space()
  for (const user of ['ci:wrong-one', '']) {
    const url = user ? withSecret('closed', user) : `${bench.host.origin}/closed.git`
    const operation = await bench.sync('import', space, { url, ref: 'refs/heads/main' })
    assert.is(operation.state, 'failure')
    assert.match(operation.error, /credentials/)
    assert.not.match(operation.error, /wrong-one/)
  }
})

test.run()
