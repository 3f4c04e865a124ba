import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'
import { stemmaHere } from './stemma.ts'

const app = await startApp()
const folder = mkdtempSync(join(tmpdir(), 'stemma-integration-'))
test.after(async () => {
  await app.stop()
  rmSync(folder, { recursive: true, force: true })
})

const run = (...args: string[]) =>
  stemmaHere(['integration', 'publish', folder, ...args], {
    STEMMA_URL: app.url,
    STEMMA_TOKEN: app.admin.token,
  })

const put = (name: string, text: string | Buffer) => writeFileSync(join(folder, name), text)

test('an integration is published with the files that its manifest names', async () => {
  put(
    'gitbook-manifest.yaml',
    'name: widgets\ntitle: Widgets\ndescription: Puts widgets on pages.\norganization: nowhere\nscopes: [site:script:inject]\nicon: icon.png\nscript: main.js\npublishedScript: page.js\n',
  )
  put('icon.png', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))
  put('main.js', 'export default {}')
  const missing = await run('--org', 'acme')

  assert.equal([missing.code, missing.stdout], [1, ''])
  assert.match(missing.stderr, 'page.js')
  put('page.js', 'start()')
  const { code, stdout, stderr } = await run('--org', 'acme')

  assert.equal([code, stdout], [0, 'widgets 1\n'], stderr)
  assert.is(JSON.parse((await run('--org', 'acme', '--json')).stdout).version, 2)
  assert.ok((await app.admin.get('/v1/integrations/widgets')).body.urls.icon)
})

test('a refusal is a failure with its reason', async () => {
  const { code, stderr } = await run()
  assert.is(code, 1)
  assert.match(stderr, 'nowhere')
  put('gitbook-manifest.yaml', '- a list')
  assert.is((await run('--org', 'acme')).code, 1)
})

test.run()
