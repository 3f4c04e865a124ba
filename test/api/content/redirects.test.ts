import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type App, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'

let app: App

test.before(async () => {
  app = await startApp()
})
test.after(async () => {
  await app.stop()
})

test('a path without a page follows the redirects of .gitbook.yaml', async () => {
  const { space } = await makeSpace(app, {
    '.gitbook.yaml':
      'redirects:\n  Old/Install: ./setup/install.md#linux\n  old.html: README.md\n  setup/install: README.md\n  gone: nowhere.md\n',
    'README.md': '# Start\n',
    'SUMMARY.md': '# Summary\n\n* [Start](README.md)\n* [Install](setup/install.md)\n',
    'setup/install.md': '# Install\n',
  })
  const at = (path: string) => app.admin.get(`/v1/spaces/${space.id}/content/path/${path}`)
  assert.is((await at('old/install')).body.title, 'Install')
  assert.is((await at('OLD')).body.title, 'Start')

  // A page with the path wins over a redirect, and a redirect to a missing file is ignored.
  assert.is((await at('install')).body.title, 'Install')
  assert.is((await at('gone')).status, 404)
  assert.is((await at('never')).status, 404)
})

test.run()
