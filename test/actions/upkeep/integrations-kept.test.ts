import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { backup } from '../../../src/actions/upkeep/backup.ts'
import { restore } from '../../../src/actions/upkeep/restore.ts'
import { verify } from '../../../src/actions/upkeep/verify.ts'
import { verifySecrets } from '../../../src/actions/upkeep/verify-secrets.ts'
import { readConfig } from '../../../src/config.ts'
import type { Context } from '../../../src/context.ts'
import { keysFrom } from '../../../src/lib/keys.ts'
import { openContext } from '../../../src/open.ts'
import { query } from '../../../src/store/store.ts'
import { integrationsTables } from '../../../src/store/tables/integrations.ts'
import { stemmaHere } from '../../cli/stemma.ts'
import { purposeOf } from '../../lib/sealed.ts'
import { startApp } from '../../support/app.ts'
import { restart } from '../../support/restart.ts'

const app = await startApp()
const folder = mkdtempSync(join(tmpdir(), 'stemma-integrations-'))
const target = join(folder, 'restored')
mkdirSync(target)
test.after(async () => {
  await app.stop()
  rmSync(folder, { recursive: true, force: true })
})

const post = async (path: string, body: object) => {
  const reply = await app.admin.post(path, body)
  assert.ok(reply.status < 300, reply.text)
  return reply.body
}

const site = (await post('/v1/orgs/acme/sites', { title: 'Guides' })).id
await post('/v1/integrations/widgets', {
  organization: 'acme',
  title: 'Widgets',
  description: 'Puts widgets on pages.',
  scopes: ['site:metadata:read'],
  script: 'the hidden script',
  secrets: { API: 'the hidden secret' },
  icon: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64'),
  configurations: {
    account: { properties: { client_secret: { type: 'string' } } },
    site: { properties: { tag: { type: 'string' } } },
  },
})
const { id } = await post('/v1/integrations/widgets/installations', { organization: 'acme' })
const at = `/v1/integrations/widgets/installations/${id}`
await app.admin.patch(at, { configuration: { client_secret: 'hidden' } })
await post(`${at}/sites`, { siteId: site })
await app.admin.patch(`${at}/sites/${site}`, { configuration: { tag: 'A-1' } })

const tables = Object.keys(integrationsTables) as (keyof typeof integrationsTables)[]

const rowsOf = ({ store, keys }: Context) =>
  tables.map(table => ({
    table,
    rows: store
      .all(query.selectFrom(table).selectAll())
      .map(row =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            name.endsWith('_sealed') ? keys.open(purposeOf(table, name), String(value)) : value,
          ]),
        ),
      ),
  }))

async function inRestored(check: (ctx: Context) => void | Promise<void>): Promise<void> {
  const ctx = openContext(
    readConfig({ STEMMA_DATA: target, NODE_ENV: 'test' }),
    pino({ level: 'silent' }),
  )
  try {
    await check(ctx)
  } finally {
    ctx.close()
  }
}

test('a backup restores integrations with their images, installations and sealed configurations', async () => {
  for (const { table, rows } of rowsOf(app.ctx)) assert.is(rows.length, 1, table)
  const file = join(folder, 'integrations.tar')
  await backup(app.ctx, file, { program: '1' })
  await restore(file, target)
  await inRestored(async ctx => {
    await restart(ctx)
    assert.equal(rowsOf(ctx), rowsOf(app.ctx))
    assert.equal(await verify(ctx), [])
  })
})

test('a key rotation seals secrets and configurations again', async () => {
  const run = await stemmaHere(['key', 'rotate', '--json'], { STEMMA_DATA: target })
  assert.is(run.code, 0, run.stderr)
  await inRestored(async ctx => {
    assert.equal(rowsOf(ctx), rowsOf(app.ctx))
    assert.equal(await verify(ctx), [])
  })
})

test('secrets and configurations that do not open are found', () => {
  assert.equal(verifySecrets(app.ctx), [])
  const { store } = app.ctx
  const foreign = keysFrom(Buffer.alloc(32, 7)).seal('integration secrets', '{}')
  const before = store.get(query.selectFrom('integration').select('secrets_sealed'))

  store.run(query.updateTable('integration').set({ secrets_sealed: foreign }))
  store.run(query.updateTable('integration_installation').set({ configuration_sealed: 'nothing' }))
  store.run(query.updateTable('integration_site').set({ configuration_sealed: foreign }))
  assert.equal(
    verifySecrets(app.ctx).map(({ what }) => what),
    [
      'The secrets of the integration widgets cannot be decrypted.',
      `The configuration of the installation ${id} of an integration cannot be decrypted.`,
      `The configuration of the installation ${id} of an integration on the site ${site} cannot be decrypted.`,
    ],
  )
  store.run(
    query.updateTable('integration').set({ secrets_sealed: before?.secrets_sealed ?? null }),
  )
})

test('a deleted site is no longer among the sites of an installation', async () => {
  assert.is((await app.admin.delete(`/v1/orgs/acme/sites/${site}`)).status, 204)
  assert.equal(app.ctx.store.all(query.selectFrom('integration_site').selectAll()), [])
})

test.run()
