import { sql } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sha256 } from '../../../src/lib/digest.ts'
import { findActiveShareLink } from '../../../src/store/sites/share-links.ts'
import { sqlRows } from '../../../src/store/store.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const creator = app.user('Cleo', 'create')
const reader = app.user('Rae', 'read')
test.after(() => app.stop())

const sites = '/v1/orgs/acme/sites'
const { id: space } = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Guides' })).body
const { id: site } = (await app.admin.post(sites, { visibility: 'share-link', spaces: [space] }))
  .body
const { id: other } = (await app.admin.post(sites, { title: 'Other' })).body
const links = `${sites}/${site}/share-links`

const keyOf = (link: { urls: { published: string } }): string =>
  new URL(link.urls.published).pathname.split('/').at(-2) as string

const found = (siteId: string, key: string) => findActiveShareLink(app.ctx.store, siteId, key)?.id

test('a share link is active, and its address ends with a key of 20 characters', async () => {
  const created = await app.admin.post(links, { name: 'Partners' })
  assert.is(created.status, 201, created.text)
  const { id, name, active, urls } = created.body
  assert.equal([name, active], ['Partners', true])
  assert.match(urls.published, /\/sites\/acme\/guides\/[0-9A-Za-z]{20}\/$/)
  assert.is(created.headers.get('location'), `${app.url}${links}/${id}`)
  assert.equal((await app.admin.get(links)).body.items, [created.body])
})

test('the key is stored as a hash and sealed', async () => {
  const { body } = await app.admin.post(links, { name: '' })
  const [row] = app.ctx.store.all(
    sqlRows<{ key_hash: string; key_sealed: string }>(
      sql`select key_hash, key_sealed from share_link where id = ${body.id}`,
    ),
  )
  assert.is(row?.key_hash, sha256(keyOf(body)))
  assert.is(app.ctx.keys.open('share link', row?.key_sealed ?? ''), keyOf(body))
})

test('a key is found by its exact text, on its own site, while the link is active', async () => {
  const { body: link } = await app.admin.post(links, { name: 'Case' })
  const key = keyOf(link)
  const swapped = [...key].map(each =>
    each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase(),
  )
  assert.equal(
    [found(site, key), found(other, key), found(site, swapped.join('')), found(site, '')],
    [link.id, undefined, undefined, undefined],
  )
  const one = `${links}/${link.id}`

  assert.is((await app.admin.patch(one, { active: false })).body.active, false)
  assert.is(found(site, key), undefined)
  const again = await app.admin.patch(one, { active: true, name: 'Again' })

  assert.equal([again.body.name, keyOf(again.body), found(site, key)], ['Again', key, link.id])
  assert.is((await app.admin.delete(one)).status, 204)
  assert.is(found(site, key), undefined)
  assert.is((await app.admin.delete(one)).status, 204)
  assert.is((await app.admin.patch(one, { active: true })).status, 404)
})

test('a share link of another site is not found', async () => {
  const { body: link } = await app.admin.post(`${sites}/${other}/share-links`, { name: 'There' })
  assert.is((await app.admin.patch(`${links}/${link.id}`, { active: false })).status, 404)
  assert.is((await app.admin.delete(`${links}/${link.id}`)).status, 204)
  assert.is(found(other, keyOf(link)), link.id)
})

test('only admins of the site list and change share links', async () => {
  assert.equal(
    [(await creator.get(links)).status, (await reader.post(links, { name: 'x' })).status],
    [403, 403],
  )
})

test('wrong bodies are refused', async () => {
  const { body: link } = await app.admin.post(links, { name: 'Body' })
  const answers = [
    await app.admin.post(links, {}),
    await app.admin.post(links, { name: 'x'.repeat(51) }),
    await app.admin.post(links, { name: 'x', key: 'mine' }),
    await app.admin.patch(`${links}/${link.id}`, {}),
  ]

  assert.equal(
    answers.map(each => each.status),
    [400, 400, 400, 400],
  )
})

test('the list is newest first, page by page', async () => {
  const newest = (await app.admin.post(links, { name: 'Newest' })).body
  const all = (await app.admin.get(`${links}?limit=1000`)).body
  const first = (await app.admin.get(`${links}?limit=1`)).body
  assert.equal([first.items[0].id, first.count], [newest.id, 1])
  const second = (await app.admin.get(`${links}?limit=1&page=${first.next.page}`)).body
  assert.equal(second.items, [all.items[1]])
})

test('audit events name the link and never its key', async () => {
  const { body: link } = await app.admin.post(links, { name: 'Audited' })
  await app.admin.patch(`${links}/${link.id}`, { active: false })
  await app.admin.delete(`${links}/${link.id}`)
  const { text, body } = await app.admin.get('/v1/orgs/acme/audit-events?limit=100')
  const actions = body.items.filter(
    (each: { details?: { shareLink?: string } }) => each.details?.shareLink === link.id,
  )

  assert.equal(actions.map((each: { action: string }) => each.action).sort(), [
    'share_link.created',
    'share_link.deleted',
    'share_link.updated',
  ])
  assert.not.ok(text.includes(keyOf(link)))
})

test('share links are found by a part of their name, or by their key', async () => {
  const { body: link } = await app.admin.post(links, { name: 'Für Prüfer' })
  await app.admin.post(links, { name: 'Für andere' })
  const names = async (search: string) =>
    (await app.admin.get(`${links}?search=${encodeURIComponent(search)}`)).body.items.map(
      (each: { name: string }) => each.name,
    )
  assert.equal(await names('PRÜF'), ['Für Prüfer'])
  assert.equal(await names('für'), ['Für andere', 'Für Prüfer'])
  assert.equal(await names(keyOf(link)), ['Für Prüfer'])
  assert.equal(await names('nothing'), [])
  const first = (await app.admin.get(`${links}?search=für&limit=1`)).body
  const second = (await app.admin.get(`${links}?search=für&limit=1&page=${first.next.page}`)).body
  assert.equal([second.items[0].name, second.next], ['Für Prüfer', undefined])
})

test('a site has at most 1,000 share links', async () => {
  const { ctx } = app
  const { count } = (await app.admin.get(links)).body
  ctx.store.run(
    sqlRows(sql`
      insert into share_link (id, site_id, name, key_hash, key_sealed, created_at)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${1000 - count})
      select 'l' || i, ${site}, '', 'h' || i, ${ctx.keys.seal('share link', 'x')}, '2026-01-01T00:00:00.000Z' from n`),
  )
  const refused = await app.admin.post(links, { name: 'One more' })

  assert.is(refused.status, 409)
  assert.match(refused.body.error.message, /1000 share links/)
})

test.run()
