import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readStructure } from '../../../src/store/sites/structure.ts'
import { fullSettings, plainSettings } from '../../content/customization/settings.ts'
import { startApp } from '../../support/app.ts'
import { eventsOf } from '../../support/events.ts'

const app = await startApp()
const creator = app.user('Cleo', 'create')
const reader = app.user('Rae', 'read')
const guest = app.user('Gus', null)
test.after(() => app.stop())

/** Creates a site with two site spaces; the second space cannot be read by plain members. */
async function newSite() {
  const { body: open } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Open' })
  const { body: closed } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Closed' })
  await app.admin.patch(`/v1/spaces/${closed.id}`, { defaultLevel: null })
  const site = await app.admin.post('/v1/orgs/acme/sites', {
    title: 'Acme',
    spaces: [open.id, closed.id],
  })

  assert.is(site.status, 201, site.text)
  const { body } = site
  const { siteSpaces: rows } = readStructure(app.ctx.store, body.id)
  const path = `/v1/orgs/acme/sites/${body.id}`
  const ofSpace = (spaceId: string) =>
    `${path}/site-spaces/${rows.find(row => row.space_id === spaceId)?.id}/customization`

  return {
    id: body.id as string,
    path,
    settings: `${path}/customization`,
    override: ofSpace(open.id),
    hiddenOverride: ofSpace(closed.id),
    spaceId: open.id as string,
  }
}

test('a new site has the default settings', async () => {
  const { settings, override } = await newSite()
  const { status, body, text } = await reader.get(settings)
  assert.is(status, 200, text)
  const { socialAccounts, ...rest } = body
  assert.equal(socialAccounts, [])
  assert.equal(rest.styling.primaryColor, { light: '#346DDB', dark: '#346DDB' })
  assert.equal(rest.header, plainSettings().header)
  assert.equal((await reader.get(override)).body, body)
})

test('a PUT takes what the GET returns, and replaces all settings', async () => {
  const { settings } = await newSite()
  const put = await creator.put(settings, fullSettings())
  assert.is(put.status, 200, put.text)
  const { body } = await reader.get(settings)

  assert.equal(body, put.body)
  assert.is(body.title, 'Acme documentation')
  assert.equal(body.header.links, fullSettings().header.links)
  const again = await creator.put(settings, body)

  assert.equal([again.status, again.body], [200, body])
  const { title, announcement, ...rest } = body

  assert.ok(title && announcement)
  const reset = await creator.put(settings, { ...rest, ...plainSettings() })

  assert.is(reset.status, 200, reset.text)
  assert.equal([reset.body.title, reset.body.announcement], [undefined, undefined])
})

test('the query "unmasked" has no effect', async () => {
  const { settings, override } = await newSite()
  for (const path of [settings, override]) {
    const { body } = await reader.get(path)
    assert.equal((await reader.get(`${path}?unmasked=true`)).body, body)
    assert.is((await reader.get(`${path}?unmasked=maybe`)).status, 400)
    assert.equal((await reader.get(`${path}?masked=true`)).body, body)
  }
})

test('the icon of a site is its favicon', async () => {
  const { path, settings } = await newSite()
  assert.is((await reader.get(path)).body.icon, undefined)
  await creator.put(settings, { ...plainSettings(), favicon: { emoji: '📘' } })
  assert.equal((await reader.get(path)).body.icon, { emoji: '📘' })
  const icon = { light: 'https://example.org/l.png', dark: 'https://example.org/d.png' }
  await creator.put(settings, { ...plainSettings(), favicon: { icon } })
  const { body } = await reader.get('/v1/orgs/acme/sites?limit=1')
  assert.equal(body.items[0].icon, { icon })
})

test('a site space overrides settings of the site until its override is deleted', async () => {
  const { settings, override } = await newSite()
  const patched = await creator.patch(override, {
    title: 'Version 1',
    styling: { theme: 'bold', sidebar: { list: 'pill' } },
    announcement: { enabled: true, message: 'Old version', style: 'warning' },
  })

  assert.is(patched.status, 200, patched.text)
  await creator.put(settings, {
    ...plainSettings(),
    styling: { ...plainSettings().styling, depth: 'flat' },
  })
  const { title, styling, announcement } = (await reader.get(override)).body

  assert.equal(
    [title, styling.theme, styling.depth, styling.corners],
    ['Version 1', 'bold', 'flat', 'rounded'],
  )
  assert.equal(styling.sidebar, { background: 'default', list: 'pill' })
  assert.is(announcement.message, 'Old version')
  assert.is((await reader.get(settings)).body.styling.theme, 'clean')
  const one = await creator.patch(override, { styling: { theme: null }, announcement: null })

  assert.equal(
    [one.body.styling.theme, one.body.title, one.body.announcement],
    ['clean', 'Version 1', undefined],
  )
  assert.is((await creator.delete(override)).status, 204)
  assert.is((await creator.delete(override)).status, 204)
  assert.equal((await reader.get(override)).body, (await reader.get(settings)).body)
})

test('refusals name the setting', async () => {
  const { settings, override } = await newSite()
  const refused = async (method: 'PUT' | 'PATCH', body: unknown): Promise<string> => {
    const reply = await creator.request(method, method === 'PUT' ? settings : override, body)
    assert.is(reply.status, 400, reply.text)
    return reply.body.error.message
  }
  const { pdf: _, ...withoutPdf } = plainSettings()
  assert.match(await refused('PUT', withoutPdf), /"pdf" in the body: must be there/)
  assert.match(await refused('PUT', { ...plainSettings(), colour: 1 }), /has "colour"/)
  assert.match(
    await refused('PATCH', { styling: { font: 'Inter' } }),
    /"font", which cannot be overridden/,
  )

  assert.match(
    await refused('PATCH', { ai: { mode: 'search' }, x: 1 }),
    /"ai", which cannot be overridden/,
  )

  assert.match(
    await refused('PATCH', { styling: { colour: 1 } }),
    /has "colour", which this operation/,
  )

  assert.match(
    await refused('PATCH', { header: null }),
    /"header" in the body: takes an object, not null/,
  )
  assert.match(await refused('PUT', '{"__proto__": {"admin": true}}'), /"__proto__" is not allowed/)
  assert.match(
    await refused('PUT', {
      ...plainSettings(),
      privacyPolicy: { url: 'https://ada:secret@example.org/' },
    }),
    /without user name and password/,
  )
  const url = `https://example.org/${'a'.repeat(2000)}`
  const group = { title: 'Far', links: Array(50).fill({ title: 'Far', to: { kind: 'url', url } }) }
  const large = { groups: Array(3).fill(group) }

  assert.match(await refused('PUT', { ...plainSettings(), footer: large }), /256 KB/)
  assert.match(await refused('PATCH', { footer: large }), /256 KB/)
  assert.equal((await reader.get(override)).body, (await reader.get(settings)).body)
  assert.is(({} as { admin?: boolean }).admin, undefined)
})

test('a condition is an expression over the visitor', async () => {
  const { settings, override } = await newSite()
  const links = (condition: string) => [
    { title: 'Home', to: null, links: [] },
    { title: 'Beta', to: null, links: [], condition },
  ]

  const put = (condition: string) =>
    creator.put(settings, {
      ...plainSettings(),
      header: { preset: 'default', links: links(condition) },
    })
  const patch = (condition: string) =>
    creator.patch(override, { header: { links: links(condition) } })

  for (const send of [put, patch]) {
    for (const condition of ['', 'visitor.claims.beta', 'visitor.claims.unsigned.plan === "pro"'])
      assert.is((await send(condition)).status, 200, condition)

    for (const [condition, position] of [
      ['visitor.claims.', 15],
      ['site.id', 0],
      ['space.vars.beta', 0],
      ['visitor.claims = 1', 0],
    ] as const) {
      const { status, body, text } = await send(condition)
      assert.is(status, 400, condition)
      assert.match(body.error.message, /^"header\.links\.1\.condition" in the body: [A-Z]/)
      assert.is(body.details.position, position, text)
    }

    assert.is((await send('a'.repeat(1025))).status, 400)
  }

  for (const path of [settings, override]) {
    const { body } = await reader.get(path)
    assert.is(body.header.links[1].condition, 'visitor.claims.unsigned.plan === "pro"')
  }
})

test('changes are recorded with the names of settings, without their values', async () => {
  const { id, settings, override } = await newSite()
  await creator.put(settings, plainSettings())
  await creator.put(settings, {
    ...plainSettings(),
    title: 'Secret plans',
    favicon: { emoji: '📘' },
  })
  await creator.patch(override, {})
  await creator.patch(override, { title: 'Version 1', pdf: { enabled: false } })
  await creator.patch(override, { title: 'Version 1' })
  await creator.delete(override)
  await creator.delete(override)
  const events = eventsOf(app, id).filter(({ action }) => action === 'site.customization_updated')
  const siteSpace = override.split('/').at(-2)

  assert.equal(
    events.map(({ user, details }) => [user, details]),
    [
      ['cleo', { changed: ['favicon', 'title'] }],
      ['cleo', { siteSpace, changed: ['pdf', 'title'] }],
      ['cleo', { siteSpace, changed: ['pdf', 'title'] }],
    ],
  )
})

test('a site space of another site, or of a space that the caller may not read, does not exist', async () => {
  const [one, other] = [await newSite(), await newSite()]
  const crossed = one.override.replace(one.id, other.id)
  for (const [actor, path] of [
    [app.admin, crossed],
    [reader, one.hiddenOverride],
    [guest, one.override],
  ] as const) {
    assert.is((await actor.get(path)).status, 404)
    assert.is((await actor.patch(path, { title: 'Mine' })).status, 404)
    assert.is((await actor.delete(path)).status, 204)
  }

  assert.is((await app.admin.get(one.hiddenOverride)).status, 200)
  assert.is((await reader.patch(one.override, { title: 'Mine' })).status, 403)
  assert.is((await reader.put(one.settings, plainSettings())).status, 403)
  assert.is((await reader.delete(one.override)).status, 403)
})

test('the override of a deleted space does not exist, and is back with the space', async () => {
  const { override, spaceId } = await newSite()
  await creator.patch(override, { title: 'Version 1' })
  assert.is((await app.admin.delete(`/v1/spaces/${spaceId}`)).status, 204)
  assert.is((await app.admin.get(override)).status, 404)
  assert.is((await app.admin.delete(override)).status, 204)
  assert.is((await app.admin.post(`/v1/spaces/${spaceId}/restore`)).status, 200)
  assert.is((await app.admin.get(override)).body.title, 'Version 1')
})

test.run()
