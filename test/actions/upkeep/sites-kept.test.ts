import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openReadingToken } from '../../../src/access/reading-token.ts'
import { backup } from '../../../src/actions/upkeep/backup.ts'
import { restore } from '../../../src/actions/upkeep/restore.ts'
import { verify } from '../../../src/actions/upkeep/verify.ts'
import { readConfig } from '../../../src/config.ts'
import type { Context } from '../../../src/context.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { openContext } from '../../../src/open.ts'
import { replaceHostRules } from '../../../src/store/sites/host-rules.ts'
import { recordFeedback } from '../../../src/store/sites/page-feedback.ts'
import { query } from '../../../src/store/store.ts'
import { sitesTables } from '../../../src/store/tables/sites.ts'
import { newGroup, newSection, newSite } from '../../api/site-structure/world.ts'
import { stemmaHere } from '../../cli/stemma.ts'
import { type Reply, startApp } from '../../support/app.ts'
import { restart } from '../../support/restart.ts'
import { readingToken } from '../../support/sites.ts'

const app = await startApp()
const { admin } = app
app.user('Gus', null)
const folder = mkdtempSync(join(tmpdir(), 'stemma-sites-'))
const target = join(folder, 'restored')
mkdirSync(target)
test.after(async () => {
  await app.stop()
  rmSync(folder, { recursive: true, force: true })
})

const fine = (reply: Reply): Reply['body'] => {
  assert.ok(reply.status < 300, reply.text)
  return reply.body
}

const flat = await newSite(app, ['Guides', 'API'], { visibility: 'visitor-auth' })
const deep = await newSite(app, [], { visibility: 'share-link' })
const section = await newSection(app, deep, 'Handbook')
fine(await admin.patch(`${deep.path}/sections/${section.id}`, { path: 'manual' }))
await newGroup(app, deep, { title: 'Products', sections: [section.id] })
const { key } = await fill()

/**
 * Puts a row into every table of sites. Returns the key of the share link, which is in its address.
 */
async function fill() {
  const schema = {
    type: 'object',
    properties: { beta: { type: 'boolean', description: 'Beta' } },
    additionalProperties: false,
  }

  fine(await admin.put(`${flat.path}/adaptive-schema`, { jsonSchema: schema }))
  fine(await admin.post(`${flat.path}/permissions`, { role: 'create', users: ['gus'] }))
  const destination = { kind: 'site-space', siteSpaceId: flat.siteSpaces.API }

  fine(await admin.post(`${flat.path}/redirects`, { source: '/old', destination }))
  const link = { title: 'Status', url: 'https://status.example.org/' }
  fine(await admin.post(`${deep.path}/external-links`, link))
  const day = '2026-01-02'
  const answer = {
    page_id: 'page',
    reader: 'reader',
    day,
    revision: 'revision' as Oid,
    rating: 'yes',
  } as const
  const [site, space] = [flat.path.split('/').at(-1) as string, flat.siteSpaces.API as string]
  const rule = {
    pattern: '*.acme.example',
    named: 'acme',
    organization_id: 'acme',
    resolved_at: `${day}T00:00:00.000Z`,
  }

  const event = { kind: 'page_view', siteId: site, siteSpaceId: space, pageId: 'page' }
  app.ctx.siteEvents.note({ ...event, words: '', isNothing: false })
  app.ctx.siteEvents.write()
  replaceHostRules(app.ctx.store, [rule])
  recordFeedback(app.ctx.store, { ...answer, site_id: site, site_space_id: space })
  const [shown] = fine(await admin.get(`${flat.path}/site-spaces`)).items
  const requests = `/v1/spaces/${shown.space.id}/change-requests`
  const { number } = fine(await admin.post(requests, { subject: 'Preview' }))
  fine(await admin.post(`${requests}/${number}/preview-links`))
  fine(await admin.post(`${flat.path}/publish`))
  fine(await admin.post(`${deep.path}/publish`))
  const { urls } = fine(await admin.post(`${deep.path}/share-links`, { name: 'Partners' }))

  return { key: new URL(urls.published).pathname.split('/').at(-2) as string }
}

const tables = Object.keys(sitesTables) as (keyof typeof sitesTables)[]

const rowsOf = ({ store }: Context, without: (name: string) => boolean = () => false) =>
  tables.map(table => ({
    table,
    rows: store
      .all(query.selectFrom(table).selectAll())
      .map(row => Object.fromEntries(Object.entries(row).filter(([name]) => !without(name)))),
  }))

/** The decrypted keys of the share links and of the visitors. */
const keysOf = ({ store, keys }: Context) => [
  ...store
    .all(query.selectFrom('share_link').select('key_sealed'))
    .map(row => keys.open('share link', row.key_sealed)),
  ...store
    .all(query.selectFrom('site_visitor_auth').select('key_sealed').orderBy('site_id'))
    .map(row => keys.open('visitor key', row.key_sealed)),
]

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

const isSealed = (name: string) => name === 'key_sealed'

test('a backup restores the sites with their structure, share links, visitor keys, roles and redirects', async () => {
  for (const { table, rows } of rowsOf(app.ctx)) assert.ok(rows.length > 0, table)
  assert.is(keysOf(app.ctx)[0], key)
  const file = join(folder, 'sites.tar')
  await backup(app.ctx, file, { program: '1' })
  await restore(file, target)
  await inRestored(async ctx => {
    await restart(ctx)
    assert.equal(rowsOf(ctx), rowsOf(app.ctx))
    assert.equal(keysOf(ctx), keysOf(app.ctx))
    assert.equal(await verify(ctx), [])
  })
})

test('a key rotation seals share links and visitor keys again; reading tokens of the former key end', async () => {
  const token = readingToken(app, flat.id)
  await inRestored(ctx => assert.is(openReadingToken(ctx, token)?.site, flat.id))
  const run = await stemmaHere(['key', 'rotate', '--json'], { STEMMA_DATA: target })
  assert.is(run.code, 0, run.stderr)
  const sealedIn = ({ store }: Context) =>
    store.all(query.selectFrom('site_visitor_auth').select('key_sealed')).map(row => row.key_sealed)

  await inRestored(async ctx => {
    assert.equal(keysOf(ctx), keysOf(app.ctx))
    assert.equal(rowsOf(ctx, isSealed), rowsOf(app.ctx, isSealed))
    assert.not(sealedIn(ctx).some(text => sealedIn(app.ctx).includes(text)))
    assert.is(openReadingToken(ctx, token), undefined)
    assert.equal(await verify(ctx), [])
  })
})

test.run()
