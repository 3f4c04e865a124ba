import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { loadIntegrations } from '../../src/integrations/read-folder.ts'
import { startApp } from '../support/app.ts'

const folder = mkdtempSync(join(tmpdir(), 'stemma-integrations-'))
const app = await startApp({ STEMMA_INTEGRATIONS: folder })
test.after(async () => {
  await app.stop()
  rmSync(folder, { recursive: true, force: true })
})

const manifest = (name: string, more = '') =>
  `name: ${name}\ntitle: Provided\ndescription: From the operator.\norganization: acme\nvisibility: public\nscopes:\n  - site:script:inject\n${more}`

function put(name: string, text: string, files: Record<string, string | Buffer> = {}): void {
  mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, name, 'gitbook-manifest.yaml'), text)
  for (const [file, bytes] of Object.entries(files)) writeFileSync(join(folder, name, file), bytes)
}

const names = async () => {
  loadIntegrations(app.ctx)
  const { body } = await app.admin.get('/v1/integrations')
  return body.items.map((each: { name: string; version: number }) => `${each.name} ${each.version}`)
}

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

test('an integration of the folder is verified, and a changed manifest is its next version', async () => {
  const more =
    'icon: icon.png\npublishedScript: page.js\ncontentSecurityPolicy:\n  script-src: |\n    https://cdn.example.com\n'
  put('provided', manifest('provided', more), { 'icon.png': png, 'page.js': 'run()' })
  assert.equal(await names(), ['provided 1'])
  assert.equal(await names(), ['provided 1'])
  const { body } = await app.admin.get('/v1/integrations/provided')

  assert.equal(
    [body.verified, body.contentSecurityPolicy],
    [true, 'script-src https://cdn.example.com'],
  )
  assert.ok(body.urls.icon)
  put('provided', manifest('provided', 'summary: More words.\n'))
  assert.equal(await names(), ['provided 2'])
})

test('its name is taken, and the API cannot take it back', async () => {
  const again = {
    organization: 'acme',
    title: 'Mine',
    description: '',
    script: '',
    scopes: [],
  }

  assert.is((await app.admin.post('/v1/integrations/provided', again)).status, 409)
  assert.is((await app.admin.delete('/v1/integrations/provided')).status, 409)
})

test('a folder that cannot be used is left out', async () => {
  put('broken', 'name: [')
  put('secretive', manifest('secretive', `secrets:\n  A: $${'{{'} env.A }}\n`))
  put('elsewhere', manifest('elsewhere').replace('acme', 'nowhere'))
  put('misnamed', manifest('other-name'))
  put('outside', manifest('outside', 'icon: ../provided/icon.png\n'))
  put('linked', manifest('linked', 'icon: link.png\n'))
  symlinkSync('/etc/hostname', join(folder, 'linked', 'link.png'))
  put('bomb', `a: &a [x]\nb: *a\n${manifest('bomb')}`)
  assert.equal(await names(), ['provided 2'])
})

test('an unreadable manifest leaves the stored version; a removed folder removes it', async () => {
  put('provided', 'name: [')
  assert.equal(await names(), ['provided 2'])
  rmSync(join(folder, 'provided'), { recursive: true })
  assert.equal(await names(), [])
})

test.run()
