import { createHmac } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { decodeProtectedHeader } from 'jose'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  publicKeys,
  rotateOrganizationKey,
  signingKey,
} from '../../../src/actions/people/organization-key.ts'
import { readConfig } from '../../../src/config.ts'
import { openContext } from '../../../src/open.ts'
import { beginRotation, finishRotation } from '../../../src/secret.ts'
import { findWebhook } from '../../../src/store/events/webhooks.ts'
import { sealedColumns } from '../../../src/store/sealed.ts'
import { query } from '../../../src/store/store.ts'
import { stemma, stemmaHere } from '../../cli/stemma.ts'
import { firstSealed } from '../../lib/sealed.ts'
import { startApp } from '../../support/app.ts'
import { openReceiver } from '../../support/http/receiver.ts'

const app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
const receiver = await openReceiver()
const top = mkdtempSync(join(tmpdir(), 'stemma-rotation-'))
test.after(async () => {
  await receiver.stop()
  await app.stop()
  rmSync(top, { recursive: true, force: true })
})

const [first, second, third] = ['first', 'second', 'third'].map(
  word => `${word} secret of the webhook`,
) as [string, string, string]

/** The secrets that signed the last delivery, in order. */
async function signedWith(webhook: string): Promise<string[]> {
  const { length } = receiver.received
  await app.admin.post(`${webhook}/ping`)
  const got = (await receiver.until(length + 1)).at(-1)!
  const [time, ...hexes] = String(got.headers['stemma-signature'])
    .split(',')
    .map(part => part.replace(/^\w+=/, ''))

  return hexes.map(
    hex =>
      [first, second, third].find(
        secret => createHmac('sha256', secret).update(`${time}.${got.text}`).digest('hex') === hex,
      ) ?? 'unknown',
  )
}

test('after a secret is rotated, deliveries are signed with both secrets for the overlap period', async () => {
  const made = await app.admin.post('/v1/orgs/acme/webhooks', {
    url: receiver.url,
    events: ['space_updated'],
    secret: first,
  })
  const path = new URL(made.body.urls.location).pathname
  assert.equal(await signedWith(path), [first])
  const changed = await app.admin.patch(path, { secret: second })

  assert.is(changed.status, 200, changed.text)
  const left = Date.parse(changed.body.previousSecretUntil) - Date.now()

  assert.ok(Math.abs(left - 24 * 3_600_000) < 60_000, changed.body.previousSecretUntil)
  assert.equal(await signedWith(path), [second, first])
  app.ctx.store.run(
    query.updateTable('webhook').set({ former_until: new Date(Date.now() - 1).toISOString() }),
  )
  assert.equal(await signedWith(path), [second])
  assert.not('previousSecretUntil' in (await app.admin.get(path)).body)
  await app.admin.patch(path, { secret: first })
  const leaked = await app.admin.patch(path, { secret: third, previousSecretHours: 0 })

  assert.not('previousSecretUntil' in leaked.body)
  assert.equal(await signedWith(path), [third])
  assert.is((await app.admin.patch(path, { previousSecretHours: 3 })).status, 400)
  assert.is((await app.admin.patch(path, { secret: first, previousSecretHours: 169 })).status, 400)
})

test('after a key rotation, an organization shows the former key until its tokens expire', async () => {
  const kidOf = async () => {
    const visit = await app.admin.post('/v1/orgs/acme/ping')
    return visit.status === 200
      ? decodeProtectedHeader(visit.body.serviceVisitorClaims).kid
      : undefined
  }
  const before = (await signingKey(app.ctx, 'acme')).kid as string
  const rotated = await app.admin.post('/v1/orgs/acme/keys/rotate')
  assert.is(rotated.status, 200, rotated.text)
  const kids = rotated.body.keys.map((key: { kid: string }) => key.kid)

  assert.is(kids.length, 2)
  assert.is(kids[1], before)
  for (const key of rotated.body.keys) assert.not('d' in key)
  assert.is((await signingKey(app.ctx, 'acme')).kid, kids[0])
  assert.ok([undefined, kids[0]].includes(await kidOf()))
  const again = await rotateOrganizationKey(app.ctx, 'acme', { userId: null, origin: null })

  assert.is(again.former, kids[0])
  assert.equal(
    (await app.anonymous.get('/v1/orgs/acme/.well-known/jwks.json')).body.keys.map(
      (key: { kid: string }) => key.kid,
    ),
    [again.kid, ...kids],
  )
  const later = { ...app.ctx, now: () => new Date(Date.now() + 66 * 60_000) }

  assert.equal(
    publicKeys(later, 'acme')?.map(key => key.kid),
    [again.kid],
  )
  const run = await stemmaHere(['org', 'rotate-key', 'acme'], { STEMMA_DATA: app.dataDir })

  assert.is(run.code, 0, run.stderr)
})

test('the rotation covers every column with sealed values', () => {
  const database = new Database(app.ctx.store.file, { readonly: true })
  const columns = database
    .prepare(
      `select m.name || '.' || c.name from sqlite_schema m, pragma_table_info(m.name) c
       where m.type = 'table' and c.name like '%sealed%' order by 1`,
    )
    .pluck()
    .all()

  database.close()
  assert.equal(columns, sealedColumns.map(([table, column]) => `${table}.${column}`).sort())
})

/** Copies the database and the key of the data folder. */
function copyFolder(name: string): string {
  const dataDir = join(top, name)
  openContext(readConfig({ STEMMA_DATA: dataDir }), pino({ level: 'silent' })).close()
  app.ctx.store.checkpoint()
  copyFileSync(app.ctx.store.file, join(dataDir, 'stemma.db'))
  copyFileSync(join(app.dataDir, 'key'), join(dataDir, 'key'))
  return dataDir
}

const open = (dataDir: string, check = false) =>
  openContext(readConfig({ STEMMA_DATA: dataDir }), pino({ level: 'silent' }), { check })

/** The webhook's secret as the data folder decrypts it. */
function secretIn(dataDir: string, check = false): string {
  const ctx = open(dataDir, check)
  try {
    const id = ctx.store.get(query.selectFrom('webhook').select('id'))!.id
    return ctx.keys.open('webhook', findWebhook(ctx.store, id)!.sealed)
  } finally {
    ctx.close()
  }
}

test('a command rotates the folder key while no server runs, and everything sealed opens with the new key', async () => {
  const refused = await stemma(['key', 'rotate'], { STEMMA_DATA: app.dataDir })
  assert.is(refused.code, 75, refused.stdout)
  const dataDir = copyFolder('rotated')
  const key = readFileSync(join(dataDir, 'key'))
  const run = await stemmaHere(['key', 'rotate', '--json'], { STEMMA_DATA: dataDir })

  assert.is(run.code, 0, run.stderr)
  assert.ok(JSON.parse(run.stdout).sealed >= 2, run.stdout)
  assert.not(readFileSync(join(dataDir, 'key')).equals(key))
  assert.is(statSync(join(dataDir, 'key')).mode & 0o777, 0o600)
  assert.not(existsSync(join(dataDir, 'key.next')))
  assert.is(secretIn(dataDir), third)
})

test('values that an earlier version sealed without a purpose are sealed again when the folder is opened', () => {
  for (const rotating of [false, true]) {
    const dataDir = copyFolder(`earlier ${rotating}`)
    const ctx = open(dataDir)
    const key = readFileSync(join(dataDir, 'key'))
    ctx.store.run(query.updateTable('webhook').set({ sealed: firstSealed(key, 'earlier') }))
    ctx.close()
    if (rotating) beginRotation(dataDir)
    assert.is(secretIn(dataDir, rotating), 'earlier')
    assert.is(secretIn(dataDir), 'earlier')
  }
})

test('a rotation killed at any step is completed by the next start', () => {
  for (const stop of ['before sealing', 'before the key is replaced'] as const) {
    const dataDir = copyFolder(stop)
    beginRotation(dataDir)
    const next = readFileSync(join(dataDir, 'key.next'))

    if (stop === 'before the key is replaced') {
      const old = readFileSync(join(dataDir, 'key'))
      const ctx = open(dataDir)
      finishRotation(dataDir, ctx.store)
      ctx.close()

      // As if the process had been killed before the rename.
      copyFileSync(join(dataDir, 'key'), join(dataDir, 'key.next'))
      rmSync(join(dataDir, 'key'))
      copyFileSync(join(app.dataDir, 'key'), join(dataDir, 'key'))
      assert.ok(old.equals(readFileSync(join(dataDir, 'key'))))
    }

    // A command that runs meanwhile can open values sealed with either key.
    assert.is(secretIn(dataDir), third, stop)
    assert.is(secretIn(dataDir, true), third, stop)
    assert.ok(readFileSync(join(dataDir, 'key')).equals(next), stop)
    assert.not(existsSync(join(dataDir, 'key.next')))
    assert.is(secretIn(dataDir), third, stop)
  }
})

test.run()
