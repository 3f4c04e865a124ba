import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'
import { stemmaHere } from './stemma.ts'

const app = await startApp()
test.after(() => app.stop())

const run = (...args: string[]) =>
  stemmaHere(['site', ...args, '--org', 'acme'], {
    STEMMA_URL: app.url,
    STEMMA_TOKEN: app.admin.token,
  })

async function result(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args)
  assert.is(code, 0, stderr)
  return stdout.trimEnd()
}

test('a site is created, listed, published and unpublished, with only the result on stdout', async () => {
  const space = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Guides' })).body.id
  const site = await result(
    'create',
    '--title',
    'Docs',
    '--space',
    space,
    '--visibility',
    'unlisted',
  )

  assert.match(await result('list'), new RegExp(`^ID .*\n${site} +Docs +unlisted +no`))
  const address = await result('publish', site)

  assert.match(address, /\/sites\/acme\/docs\/$/)
  const [listed] = JSON.parse(await result('list', '--json'))

  assert.equal([listed.id, listed.published, listed.siteSpaces], [site, true, 1])
  assert.is((await app.admin.get(`/v1/spaces/${space}`)).body.urls.published, address)
  assert.is(await result('unpublish', site), site)
  assert.is(JSON.parse(await result('unpublish', site, '--json')).published, false)
})

test('a share link is created, and its address is printed', async () => {
  const site = await result('create', '--title', 'Shared', '--visibility', 'share-link')
  const published = await run('publish', site)
  assert.equal([published.code, published.stdout], [0, ''])
  assert.match(published.stderr, `"stemma site share-link ${site}" creates one`)
  assert.match(
    await result('share-link', site, '--name', 'Partners'),
    /\/sites\/acme\/shared\/[^/]+\/$/,
  )
  assert.is(JSON.parse(await result('share-link', site, '--json')).name, 'Share link')
})

test('a site for members is listed as one', async () => {
  const site = await result('create', '--title', 'Inside', '--visibility', 'members')
  assert.match(await result('list'), new RegExp(`^${site} +Inside +members +no`, 'm'))
})

test('a refusal names the flag, and an unknown site is a failure', async () => {
  const refused = await run('create', '--title', 'x')
  assert.equal([refused.code, refused.stdout], [1, ''])
  assert.match(refused.stderr, /--title takes 2 to 128 characters/)
  const unknown = await run('publish', 'nothing')
  assert.is(unknown.code, 1)
  assert.match(unknown.stderr, /no site "nothing"/)
})

test.run()
