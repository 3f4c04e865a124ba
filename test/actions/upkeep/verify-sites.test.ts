import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { verifySites } from '../../../src/actions/upkeep/verify-sites.ts'
import { keysFrom } from '../../../src/lib/keys.ts'
import {
  insertSection,
  insertSectionGroup,
  updateSectionGroup,
} from '../../../src/store/sites/sections.ts'
import { updateSite } from '../../../src/store/sites/sites.ts'
import { updateVisitorAuth } from '../../../src/store/sites/visitor-auth.ts'
import { query } from '../../../src/store/store.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const { store } = app.ctx
const at = '2026-01-01T00:00:00.000Z'
const space = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Guides' })).body.id
const site = (await app.admin.post('/v1/orgs/acme/sites', { spaces: [space] })).body.id
test.after(() => app.stop())

const found = () => verifySites(app.ctx).map(({ what }) => what.replace(/^.* is damaged: /, ''))

test('a sound site has no problems', () => {
  assert.equal(found(), [])
})

test('defaults that are elsewhere, both kinds at the root, and groups in a circle are found', () => {
  insertSection(store, {
    id: 'sec',
    site_id: site,
    title: 'Part',
    path: 'part',
    position: 0,
    created_at: at,
  })
  updateSite(store, site, { default_section_id: 'none' })
  for (const id of ['one', 'two'])
    insertSectionGroup(store, { id, site_id: site, title: id, position: 1, created_at: at })
  updateSectionGroup(store, 'one', { parent_id: 'two' })
  assert.equal(found(), [
    'its default section is not on it.',
    'it has sections and site spaces at its root.',
  ])
  updateSectionGroup(store, 'two', { parent_id: 'one' })
  assert.ok(found().includes('its groups are nested in more than two levels.'))
})

test('a visitor key and a share link that do not open are found', async () => {
  const links = `/v1/orgs/acme/sites/${site}/share-links`
  const [lost, kept] = [
    await app.admin.post(links, { name: 'Lost' }),
    await app.admin.post(links, { name: 'Kept' }),
  ]

  assert.equal([lost.status, kept.status], [201, 201])
  const sound = found()
  const foreign = keysFrom(Buffer.alloc(32, 7)).seal('share link', 'a key')

  store.run(
    query.updateTable('share_link').set({ key_sealed: foreign }).where('id', '=', lost.body.id),
  )
  updateVisitorAuth(store, site, { key_sealed: 'nothing' })
  assert.equal(
    found().filter(what => !sound.includes(what)),
    [
      `The visitor key of the site ${site} cannot be decrypted.`,
      `The key of the share link ${lost.body.id} of the site ${site} cannot be decrypted.`,
    ],
  )

  assert.is(
    (await app.admin.post(`/v1/orgs/acme/sites/${site}/publishing/auth/regenerate`)).status,
    200,
  )
  assert.is((await app.admin.delete(`${links}/${lost.body.id}`)).status, 204)
  assert.equal(found(), sound)
})

test.run()
