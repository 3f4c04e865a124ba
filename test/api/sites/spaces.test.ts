import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { forgetSpace } from '../../../src/actions/sites/structure/forget-space.ts'
import { purgeSpace } from '../../../src/jobs/purge-space.ts'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { findAlias, putAlias } from '../../../src/store/sites/aliases.ts'
import { findSitePermission, putSitePermission } from '../../../src/store/sites/site-permissions.ts'
import { listSiteSpacesWith } from '../../../src/store/sites/site-spaces.ts'
import { findSite } from '../../../src/store/sites/sites.ts'
import { readStructure } from '../../../src/store/sites/structure.ts'
import { findSpace, updateSpace } from '../../../src/store/spaces/spaces.ts'
import { query } from '../../../src/store/store.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const { admin } = app
const { store } = app.ctx
const at = '2026-01-01T00:00:00.000Z'
insertOrganization(store, { id: 'globex', title: 'Globex', created_at: at })
putMember(store, 'globex', admin.id, 'admin', at)
test.after(() => app.stop())

const sites = '/v1/orgs/acme/sites'

const newSpace = async (title: string, settings: object = {}): Promise<string> =>
  (await admin.post('/v1/orgs/acme/spaces', { title, ...settings })).body.id

async function publishedSite(title: string, spaces: string[]): Promise<string> {
  const { id } = (await admin.post(sites, { title, spaces })).body
  assert.is((await admin.post(`${sites}/${id}/publish`)).status, 200)
  return id
}

const shown = async (id: string): Promise<number> =>
  (await admin.get(`${sites}/${id}`)).body.siteSpaces

test('a deleted space leaves the sites that show it at once, and returns when it is restored', async () => {
  const [kept, gone] = [await newSpace('Kept'), await newSpace('Gone')]
  const id = await publishedSite('Deleting', [gone, kept])
  assert.is((await admin.delete(`/v1/spaces/${gone}`)).status, 204)
  assert.is(await shown(id), 1)
  assert.is(findSpace(store, gone)?.visibility, 'private')
  assert.is((await admin.get(`${sites}?space=${gone}`)).body.count, 0)
  assert.is((await admin.post(`${sites}/${id}/unpublish`)).status, 200)
  assert.is((await admin.patch(`${sites}/${id}`, { visibility: 'unlisted' })).status, 200)
  assert.is((await admin.post(`${sites}/${id}/publish`)).status, 200)
  const restored = await admin.post(`/v1/spaces/${gone}/restore`)

  assert.equal([restored.status, restored.body.visibility], [200, 'unlisted'])
  assert.is(await shown(id), 2)
})

test('a purged space takes its site spaces along, with the former paths and redirects to them', async () => {
  const [kept, gone] = [await newSpace('Stays'), await newSpace('Purged')]
  const id = await publishedSite('Purging', [gone, kept])
  const [ofGone] = listSiteSpacesWith(store, gone)
  const target = ofGone?.id ?? ''
  const place = { organizationId: 'acme', siteId: id, scope: '' }

  putAlias(store, place, 'former', { kind: 'site-space', id: target }, at)

  for (const [source, siteSpaceId] of [
    ['/old', target],
    ['/other', listSiteSpacesWith(store, kept)[0]?.id],
  ])
    store.run(
      query.insertInto('site_redirect').values({
        id: `${id}${source}`,
        site_id: id,
        source: String(source),
        source_folded: String(source),
        destination: { kind: 'site-space', siteSpaceId: String(siteSpaceId) },
        created_at: at,
      }),
    )

  assert.is((await admin.delete(`/v1/spaces/${gone}`)).status, 204)
  updateSpace(store, gone, { deleted_at: at })
  await purgeSpace(app.ctx, { spaceId: gone }, { signal: new AbortController().signal, attempt: 1 })
  assert.is(findSpace(store, gone), undefined)
  assert.equal(
    readStructure(store, id).siteSpaces.map(row => row.space_id),
    [kept],
  )
  assert.is(findAlias(store, place, 'former'), undefined)
  assert.is(findSite(store, id)?.default_site_space_id, listSiteSpacesWith(store, kept)[0]?.id)
  const left = store.all(
    query.selectFrom('site_redirect').select('source').where('site_id', '=', id),
  )

  assert.equal(left, [{ source: '/other' }])
})

test('the site space that acts as the default in place of a purged one stays the default', async () => {
  const [dee, aye, bee] = [await newSpace('Dee'), await newSpace('Aye'), await newSpace('Bee')]
  const id = await publishedSite('Defaults', [dee, aye, bee])
  const defaults = async () => {
    const { items } = (await admin.get(`${sites}/${id}/site-spaces?default=true`)).body
    return items.map((each: { title: string }) => each.title)
  }

  assert.is((await admin.delete(`/v1/spaces/${dee}`)).status, 204)
  assert.equal(await defaults(), ['Aye'])
  updateSpace(store, dee, { deleted_at: at })
  await purgeSpace(app.ctx, { spaceId: dee }, { signal: new AbortController().signal, attempt: 1 })
  const [ayeId, beeId] = [aye, bee].map(space => listSiteSpacesWith(store, space)[0]?.id)
  const moved = await admin.post(`${sites}/${id}/site-spaces/${beeId}/move`, {
    position: { before: { type: 'site-space', siteSpace: ayeId } },
  })

  assert.is(moved.status, 200, moved.text)
  assert.equal(await defaults(), ['Aye'])
})

test('a space on a site is not transferred; the message names the sites that the caller sees', async () => {
  const space = await newSpace('Bound', { editMode: 'live' })
  const id = await publishedSite('Public Handbook', [space])
  const lone = app.user('Lou', null)
  putMember(store, 'globex', lone.id, 'create', at)
  const given = await admin.post(`/v1/spaces/${space}/permissions`, {
    role: 'admin',
    users: [lone.id],
  })

  assert.is(given.status, 204, given.text)

  for (const who of [admin, lone]) {
    const refused = await who.post(`/v1/spaces/${space}/transfer`, { organization: 'globex' })
    assert.is(refused.status, 409, refused.text)
    assert.match(refused.body.error.message, /"Public Handbook"/)
  }

  assert.is((await admin.delete(`${sites}/${id}`)).status, 204)
  const moved = await admin.post(`/v1/spaces/${space}/transfer`, { organization: 'globex' })

  assert.is(moved.status, 200, moved.text)
})

test('a collection with a space on a site is not transferred; deleted spaces leave the sites', async () => {
  const { id: parent } = (await admin.post('/v1/orgs/acme/collections', { title: 'Shelf' })).body
  const [live, deleted] = [
    await newSpace('Live', { parent }),
    await newSpace('Deleted', { parent }),
  ]
  const id = await publishedSite('Shelf site', [live, deleted])
  assert.is((await admin.delete(`/v1/spaces/${deleted}`)).status, 204)
  const transfer = () =>
    admin.post(`/v1/collections/${parent}/transfer`, { organization: 'globex' })
  const refused = await transfer()

  assert.is(refused.status, 409, refused.text)
  assert.match(refused.body.error.message, /"Shelf site"/)
  store.transact(() => forgetSpace(app.ctx, live))
  assert.is((await transfer()).status, 200)
  assert.equal(readStructure(store, id).siteSpaces, [])
  const restored = await admin.post(`/v1/spaces/${deleted}/restore`)

  assert.equal([restored.status, restored.body.organization], [200, 'globex'])
})

test('a removed member or team has no role on sites any more', async () => {
  const id = await publishedSite('Granted', [await newSpace('Granted')])
  const member = app.user('Mia', null)
  const { id: team } = (await admin.put('/v1/orgs/acme/teams', { title: 'Writers' })).body
  const subjects = [
    { kind: 'user', id: member.id },
    { kind: 'team', id: team },
  ] as const

  for (const { kind, id: subject } of subjects)
    putSitePermission(store, {
      site_id: id,
      subject_kind: kind,
      subject_id: subject,
      role: 'create',
      created_at: at,
    })

  assert.is((await member.patch(`${sites}/${id}`, { title: 'By Mia' })).status, 200)
  assert.is((await admin.delete(`/v1/orgs/acme/members/${member.id}`)).status, 204)
  assert.is((await admin.delete(`/v1/orgs/acme/teams/${team}`)).status, 204)
  for (const subject of subjects) assert.is(findSitePermission(store, id, subject), undefined)
})

test.run()
