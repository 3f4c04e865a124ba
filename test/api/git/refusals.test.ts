import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createSpace } from '../../../src/actions/spaces/create-space.ts'
import { findUser } from '../../../src/store/people/users.ts'
import { type App, startApp } from '../../support/app.ts'

let app: App
let space: string

test.before(async () => {
  app = await startApp()
  const by = findUser(app.ctx.store, app.admin.id)
  if (!by) throw new Error('no admin')
  space = (await createSpace(app.ctx, { organization_id: 'acme', title: 'Handbook' }, by)).id
})
test.after(async () => {
  await app.stop()
})

const good = { url: 'https://example.org/docs.git', ref: 'refs/heads/main' }

const urls: [url: string, status: number, says: RegExp][] = [
  ['ext::sh -c "touch /tmp/stemma-x"', 400, /https:/],
  ['Ext::sh -c x', 400, /https:/],
  ['--upload-pack=touch /tmp/x', 400, /https:/],
  ['-u', 400, /https:/],
  ['/etc', 400, /https:/],
  ['file:///etc', 400, /https:/],
  ['ssh://git@example.org/x', 400, /https: .* Write it as https:\/\/example\.org\/x\.$/],
  [
    'ssh://ada:secret@example.org:2222/x/y.git',
    400,
    /Write it as https:\/\/example\.org\/x\/y\.git\.$/,
  ],
  ['git@example.org:x/y.git', 400, /https: .* Write it as https:\/\/example\.org\/x\/y\.git\.$/],
  ['git://example.org/x', 400, /https:/],
  ['http://example.org/x.git', 400, /http: only if .*STEMMA_ALLOW_PRIVATE_REMOTES=true\.$/],
  ['https://127.0.0.1/x.git', 403, /private.*STEMMA_ALLOW_PRIVATE_REMOTES=true/],
  ['https://localhost/x.git', 403, /private/],
  ['https://2130706433/x.git', 403, /private/],
  ['https://0x7f000001/x.git', 403, /private/],
  ['https://127.1/x.git', 403, /private/],
  ['https://[::1]/x.git', 403, /private/],
  ['https://[::ffff:127.0.0.1]/x.git', 403, /private/],
  ['https://169.254.169.254/latest', 403, /private/],
  ['https://10.0.0.1/x.git', 403, /private/],
  ['https://127.0.0.1:9101\\@example.org/', 400, /not valid/],
  ['https://a:b@c:d@example.org/x', 400, /not valid/],
  ['https://a:b%0d%0a@example.org/x', 400, /not valid/],
  ['https://example.org/x.git#frag', 400, /not valid/],
  ['https://', 400, /./],
]

for (const [url, status, says] of urls) {
  test(`a remote "${url}" is refused immediately`, async () => {
    const reply = await app.admin.post(`/v1/spaces/${space}/git/import`, { ...good, url })
    assert.is(reply.status, status, reply.text)
    assert.match(reply.body.error.message, says)
  })
}

for (const ref of [
  'main',
  'refs/heads/',
  'refs/heads/a..b',
  'refs/heads/.a',
  'refs/heads/a.lock',
  'refs/heads/a b',
  'refs/heads/x^',
  'refs/heads/a//b',
  'refs/heads/@{u}',
  'refs/heads/-x',
  'refs/heads/HEAD',
  'refs/heads/refs/heads/main',
  'refs/heads/change-requests/1',
  'refs/tags/v1',
  `refs/heads/${'x'.repeat(300)}`,
]) {
  test(`a branch "${ref.slice(0, 40)}" is refused immediately`, async () => {
    const reply = await app.admin.post(`/v1/spaces/${space}/git/import`, { ...good, ref })
    assert.is(reply.status, 400, reply.text)
    assert.match(reply.body.error.message, /"ref"/)
  })
}

test('other invalid bodies are refused', async () => {
  const bodies: [object, RegExp][] = [
    [{ ref: 'refs/heads/main' }, /"url"/],
    [{ ...good, repoProjectDirectory: '../x' }, /repoProjectDirectory/],
    [{ ...good, repoProjectDirectory: 'a/.git' }, /repoProjectDirectory/],
    [{ ...good, timestamp: 'yesterday' }, /timestamp/],
    [{ ...good, gitInfo: { provider: 'svn' } }, /provider/],
    [{ ...good, surprise: true }, /surprise/],
  ]

  for (const [body, says] of bodies) {
    const reply = await app.admin.post(`/v1/spaces/${space}/git/import`, body)
    assert.is(reply.status, 400)
    assert.match(reply.body.error.message, says)
  }

  const reply = await app.admin.post(`/v1/spaces/${space}/git/export`, {
    ...good,
    commitMessage: ' ',
  })
  assert.match(reply.body.error.message, /commitMessage/)
  assert.equal((await app.admin.get(`/v1/spaces/${space}/git/operations`)).body.items, [])
})

test('the roles that can import and export', async () => {
  const path = `/v1/spaces/${space}/git/import`
  assert.is((await app.user('Rita', 'read').post(path, good)).status, 403)
  assert.is((await app.user('Stan').post(path, good)).status, 404)
  assert.is((await app.anonymous.post(path, good)).status, 401)
  assert.is((await app.admin.get(`/v1/spaces/${space}/git/operations/nope`)).status, 404)
})

test.run()
