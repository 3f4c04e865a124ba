import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { actor, startApp } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { stemmaHere } from './stemma.ts'

const app = await startApp()
const { space } = await makeSpace(app, { 'README.md': '# One\n' })
const run = (...args: string[]) => stemmaHere(args, { STEMMA_DATA: app.dataDir })

test.after(() => app.stop())

const create = (...args: string[]) =>
  run('token', 'create', '--user', 'ada', '--name', 'narrow', ...args)

test('an operator creates a token with scopes, a limit and an expiry, and lists it', async () => {
  const { code, stdout, stderr } = await create(
    '--scope',
    'content:read',
    'spaces:read',
    '--space',
    space.id,
    '--expires',
    '2099-01-01',
    '--json',
  )

  assert.is(code, 0, stderr)
  const made = JSON.parse(stdout)
  const narrow = actor(app.url, 'ada', made.secret)

  assert.is((await narrow.get(`/v1/spaces/${space.id}/content`)).status, 200)
  assert.is((await narrow.patch(`/v1/spaces/${space.id}`, { title: 'Other' })).status, 403)
  assert.is((await narrow.get('/v1/orgs/acme')).status, 403)
  const list = JSON.parse((await run('token', 'list', '--json')).stdout)
  const {
    scopes,
    space: limit,
    expiresAt,
  } = list.find((each: { id: string }) => each.id === made.id)

  assert.equal([scopes, limit], [['content:read', 'spaces:read'], space.id])
  assert.is(expiresAt, '2099-01-01T00:00:00.000Z')
  assert.match((await run('token', 'list')).stdout, `content:read spaces:read  ${space.id}`)
})

test('unknown scopes and limits are refused', async () => {
  assert.match((await create('--scope', 'everything')).stderr, /^--scope takes one of/)
  assert.match((await create('--space', 'nothing')).stderr, /There is no space "nothing"/)
  assert.match(
    (await create('--organization', 'nothing')).stderr,
    /There is no organization "nothing"/,
  )
})

test('all tokens of a user are revoked together', async () => {
  const bob = app.user('Bob', 'read')
  await bob.post('/v1/user/tokens', { name: 'child' })
  assert.is((await run('token', 'revoke', '--all')).code, 2)
  assert.is((await run('token', 'revoke', 'some', '--all', '--user', 'bob')).code, 2)
  const { code, stdout } = await run('token', 'revoke', '--all', '--user', 'bob', '--json')
  assert.is(code, 0)
  assert.is(JSON.parse(stdout).revoked.length, 2)
  assert.is((await bob.get('/v1/user')).status, 401)
})

test.run()
