import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { listAllOrganizations } from '../../src/store/people/organizations.ts'
import { listAllTokens } from '../../src/store/people/tokens.ts'
import { listUsers } from '../../src/store/people/users.ts'
import { startApp } from '../support/app.ts'
import { stemmaHere } from './stemma.ts'

const env = { STEMMA_MAX_TOKENS: '3' }
const app = await startApp(env)
const bob = app.user('Bob', 'read')
test.after(() => app.stop())

const run = (...args: string[]) => stemmaHere(args, { STEMMA_DATA: app.dataDir, ...env })
const rows = () => [
  listUsers(app.ctx.store).length,
  listAllOrganizations(app.ctx.store).length,
  listAllTokens(app.ctx.store).length,
]

const user = (name: string, email = 'eve@example.org') => [
  ...['user', 'create', '--org', 'acme', '--name', name, '--email', email],
]
const org = (title: string, id = 'other') => [
  ...['org', 'create', '--admin', 'ada', '--title', title, '--id', id],
]
const token = (name: string, ...more: string[]) => [
  ...['token', 'create', '--user', 'bob', '--name', name, ...more],
]

const refused: readonly (readonly [title: string, args: string[], message: RegExp])[] = [
  ['a long name', user('N'.repeat(65)), /^--name takes 1 to 64 characters\.$/m],
  ['an empty name', user(' '), /--name takes 1 to 64/],
  ['a name with line breaks', user('One\u2028Two'), /--name takes one line/],
  ['a name with angle brackets', user('<b>'), /--name takes no angle brackets/],
  ['a name that runs backwards', user('Eve\u202e'), /--name contains the invisible .*U\+202E/],
  ['a long address', user('Eve', `${'e'.repeat(250)}@a.org`), /--email takes up to 254/],
  ['an address without a host', user('Eve', 'eve'), /--email takes an e-mail address/],
  ['a noncharacter in an address', user('Eve', 'e\ufffe@a.org'), /--email takes an e-mail/],
  ['a long title', org('T'.repeat(256)), /--title takes 2 to 255 characters/],
  ['a short title', org('T'), /--title takes 2 to 255 characters/],
  ['a title with a control character', org('T\u0007T'), /--title takes one line/],
  ['an id with a blank', org('Title', 'a b'), /--id takes up to 64 letters/],
  ['a reserved id', org('Title', 'admin'), /id "admin" is reserved/],
  ['a long name of a token', token('N'.repeat(101)), /--name takes 1 to 100 characters/],
  ['a token with a line break', token('One\nTwo'), /--name takes one line/],
  ['an invisible character in a token', token('a\u200bb'), /--name contains the invisible/],
  ['a repeated list of scopes', token('x', '--scope', ...Array(99).fill('read')), /--scope/],
  ['an unknown scope', token('x', '--scope', 'everything'), /--scope/],
  ['an end in the past', token('x', '--expires', '2001-01-01'), /--expires takes a time in the/],
  ['a day that does not exist', token('x', '--expires', '2099-02-31'), /--expires takes a time/],
  ['an organization of others', token('x', '--organization', 'default'), /no organization/],
]

for (const [title, args, message] of refused)
  test(`${title} is refused as over HTTP, and nothing is written`, async () => {
    const before = rows()
    const { code, stderr, stdout } = await run(...args)
    assert.is.not(code, 0)
    assert.match(stderr, message)
    assert.is(stdout, '')
    assert.equal(rows(), before)
  })

test('the limit of tokens of a user holds for operators', async () => {
  assert.is((await bob.post('/v1/user/tokens', { name: 'second' })).status, 201)
  assert.is((await run(...token('third'))).code, 0)
  assert.match((await run(...token('fourth'))).stderr, /3 tokens/)
})

test('a name of 64 characters is trimmed and stored', async () => {
  const { code, stdout, stderr } = await run(...user(` ${'N'.repeat(64)} `, 'nia@example.org'))
  assert.is(code, 0, stderr)
  const made = await app.admin.get(`/v1/users/${stdout.trim()}`)
  assert.is(made.body.displayName, 'N'.repeat(64))
})

test.run()
