import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findUser } from '../../src/store/people/users.ts'
import { startApp } from '../support/app.ts'
import { stemmaHere } from './stemma.ts'

const app = await startApp()
const member = app.user('Max', 'read')
test.after(() => app.stop())

const run = (...args: string[]) => stemmaHere(['user', ...args], { STEMMA_DATA: app.dataDir })

test('a member is disabled beside the server, immediately, and enabled again', async () => {
  assert.is((await member.get('/v1/orgs/acme')).status, 200)

  for (let twice = 0; twice < 2; twice++) {
    const { code, stdout } = await run('disable', 'max@example.org', '--org', 'acme')
    assert.is(code, 0)
    assert.is(stdout.trim(), 'max')
  }

  assert.is((await member.get('/v1/orgs/acme')).status, 404)
  assert.ok((await app.admin.get('/v1/orgs/acme/members/max')).body.disabled)
  const { stdout } = await run('enable', 'max', '--org', 'acme', '--json')

  assert.equal(JSON.parse(stdout), { id: 'max', organization: 'acme', disabled: false })
  assert.is((await member.get('/v1/orgs/acme')).status, 200)
})

test('the last admin and non-members cannot be disabled', async () => {
  const last = await run('disable', 'ada', '--org', 'acme')
  assert.is.not(last.code, 0)
  assert.match(last.stderr, /last admin/)
  assert.match((await run('disable', 'max')).stderr, /not a member of the organization "default"/)
  assert.match((await run('enable', 'nobody')).stderr, /no user "nobody"/)
})

test('an e-mail address is the same in every Unicode form', async () => {
  const made = await run('create', '--name', 'Zoë', '--email', 'ZOË@example.org', '--org', 'acme')
  assert.is(made.code, 0)
  assert.is(findUser(app.ctx.store, made.stdout.trim())?.email, 'ZOë@example.org')
  const again = await run(
    'create',
    '--name',
    'Zoë',
    '--email',
    'zoe\u0308@example.org',
    '--org',
    'acme',
  )

  assert.match(again.stderr, /already has the address/)
  assert.is(
    (await run('disable', 'zoe\u0308@EXAMPLE.org', '--org', 'acme')).stdout.trim(),
    made.stdout.trim(),
  )
})

test('a program is created as an agent', async () => {
  const { stdout, code } = await run(
    ...['create', '--name', 'Bot', '--email', 'bot@example.org', '--org', 'acme', '--agent'],
  )
  assert.is(code, 0)
  assert.is(findUser(app.ctx.store, stdout.trim())?.is_agent, 1)
  assert.is(findUser(app.ctx.store, 'max')?.is_agent, 0)
})

test.run()
