import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createWelcomeCode } from '../../../src/actions/sso/welcome.ts'
import { backup } from '../../../src/actions/upkeep/backup.ts'
import { restore } from '../../../src/actions/upkeep/restore.ts'
import { verify } from '../../../src/actions/upkeep/verify.ts'
import { readConfig } from '../../../src/config.ts'
import type { Context } from '../../../src/context.ts'
import { start as startServer } from '../../../src/server.ts'
import { query } from '../../../src/store/store.ts'
import { ssoTables } from '../../../src/store/tables/sso.ts'
import { purposeOf } from '../../lib/sealed.ts'
import { actor, startApp } from '../../support/app.ts'
import { answerTo, Browser, newSamlProvider, signInWith, start } from '../../support/sso/browser.ts'
import { putProvider } from '../../support/sso/rows.ts'

const env = { STEMMA_PUBLIC_URL: 'https://docs.example.org' }
const app = await startApp(env)
const folder = mkdtempSync(join(tmpdir(), 'stemma-sign-in-'))
const target = join(folder, 'restored')
mkdirSync(target)
test.after(async () => {
  await app.stop()
  rmSync(folder, { recursive: true, force: true })
})

const provider = await newSamlProvider(app, { defaultRole: 'edit' })
putProvider(app.ctx, {
  kind: 'oidc',
  label: 'OIDC',
  secret_sealed: app.ctx.keys.seal('client secret', 'hidden'),
})
const acs = provider.service.acsURL

const tables = Object.keys(ssoTables) as (keyof typeof ssoTables)[]

const rowsOf = ({ store, keys }: Context) =>
  tables.map(table => ({
    table,
    rows: store
      .all(query.selectFrom(table).selectAll())
      .map(row =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            name.endsWith('_sealed') && value !== null
              ? keys.open(purposeOf(table, name), String(value))
              : value,
          ]),
        ),
      ),
  }))

test('a restored server knows providers, identities, sessions and used responses', async () => {
  const { token, user } = await signInWith(app, provider)
  const signedIn = new Browser(app)
  const done = await start(signedIn, provider, { return_to: '/app/account' })
  const used = { SAMLResponse: answerTo(done, provider, { assertionId: '_used' }) }

  assert.is((await signedIn.post(acs, used)).status, 303)
  const waiting = new Browser(app)
  const open = await start(waiting, provider)
  app.ctx.store.transact(() => createWelcomeCode(app.ctx, { userId: user.id, introduces: false }))

  for (const { table, rows } of rowsOf(app.ctx)) assert.ok(rows.length > 0, table)

  const file = join(folder, 'sign-in.tar')

  await backup(app.ctx, file, { program: '1' })
  await restore(file, target)
  const config = readConfig({ STEMMA_DATA: target, PORT: '0', NODE_ENV: 'test', ...env })
  const server = await startServer(config, pino({ level: 'silent' }))

  try {
    assert.equal(rowsOf(server.ctx), rowsOf(app.ctx))
    assert.equal(await verify(server.ctx), [])
    assert.is((await actor(server.url, user.id, token).get('/v1/orgs/acme')).status, 200)
    const account = new Browser(server)

    account.cookie = signedIn.cookie
    assert.is((await account.get('https://docs.example.org/app/account')).status, 200)

    const replaying = new Browser(server)
    const next = await start(replaying, provider)

    assert.is((await replaying.post(acs, used)).status, 400)
    const again = { SAMLResponse: answerTo(next, provider, { assertionId: '_used' }) }
    const refused = await replaying.post(acs, again)

    assert.is(refused.status, 403)
    assert.match(refused.text, /used before/)

    const late = new Browser(server)

    late.cookie = waiting.cookie
    const page = await late.post(acs, { SAMLResponse: answerTo(open, provider) })

    assert.is(page.status, 200, page.text)
  } finally {
    await server.stop()
  }
})

test.run()
