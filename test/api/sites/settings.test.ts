import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { randomId } from '../../../src/lib/digest.ts'
import { findAlias } from '../../../src/store/sites/aliases.ts'
import { insertSection, updateSection } from '../../../src/store/sites/sections.ts'
import { listSiteSpacesWith, updateSiteSpace } from '../../../src/store/sites/site-spaces.ts'
import { findSite } from '../../../src/store/sites/sites.ts'
import { type Reply, startApp } from '../../support/app.ts'

const app = await startApp()
const { store } = app.ctx
const creator = app.user('Cleo', 'create')
const other = app.user('Otto', 'create')
const reader = app.user('Rae', 'read')
test.after(() => app.stop())

const sites = '/v1/orgs/acme/sites'

const newSpace = async (title: string): Promise<string> =>
  (await app.admin.post('/v1/orgs/acme/spaces', { title })).body.id

const newSite = async (body: object): Promise<string> => {
  const made = await creator.post(sites, body)
  assert.is(made.status, 201, made.text)
  return made.body.id
}

const siteSpaceOf = (spaceId: string): string => listSiteSpacesWith(store, spaceId)[0]?.id ?? ''

/** Puts the spaces of a site into a section each. Returns the ids of the sections. */
function divide(siteId: string, spaces: string[]): string[] {
  return spaces.map((space, position) => {
    const id = randomId()
    const at = '2026-01-01T00:00:00.000Z'
    insertSection(store, {
      id,
      site_id: siteId,
      title: `Part ${position}`,
      path: `part-${position}`,
      position,
      created_at: at,
    })
    updateSiteSpace(store, siteSpaceOf(space), { section_id: id, position: 0 })
    updateSection(store, id, { default_site_space_id: siteSpaceOf(space) })

    return id
  })
}

const lastEvent = async (action: string) =>
  (await app.admin.get(`/v1/orgs/acme/audit-events?action=${action}&limit=1`)).body.items[0]

const message = (reply: Reply): string => reply.body.error.message

test('settings are changed one by one, and recorded without texts', async () => {
  const id = await newSite({ title: 'Handbook' })
  const changed = await creator.patch(`${sites}/${id}`, {
    title: 'Manual',
    type: 'premium',
    visibility: 'unlisted',
    basename: 'Manual',
    adaptiveContent: { enabled: true },
    agentsContext: 'excluded',
    defaultLevel: 'read',
    timeTravel: 'readers',
    hostname: 'docs.example.org',
    proxy: 'Example.org/Docs',
  })

  assert.is(changed.status, 200, changed.text)
  const {
    title,
    type,
    visibility,
    basename,
    adaptiveContent,
    agentsContext,
    defaultLevel,
    hostname,
    proxy,
  } = changed.body

  assert.equal(
    [
      title,
      type,
      visibility,
      basename,
      adaptiveContent,
      agentsContext,
      defaultLevel,
      hostname,
      proxy.origin,
    ],
    [
      'Manual',
      'premium',
      'unlisted',
      'manual',
      { enabled: true },
      'excluded',
      'read',
      'docs.example.org',
      'example.org/Docs',
    ],
  )
  assert.is(changed.body.timeTravel, 'readers')
  const { details } = await lastEvent('site.updated')

  assert.equal(details.basename, { from: 'handbook', to: 'manual' })
  assert.ok(details.changed.includes('title'))
  assert.not.ok('title' in details)
  const cleared = await creator.patch(`${sites}/${id}`, { hostname: null, proxy: null })

  assert.equal([cleared.body.hostname, cleared.body.proxy], [undefined, undefined])
})

test('an empty change and equal values change nothing', async () => {
  const id = await newSite({ title: 'Same' })
  const before = findSite(store, id)
  assert.is((await creator.patch(`${sites}/${id}`, {})).status, 200)
  assert.is(
    (
      await creator.patch(`${sites}/${id}`, {
        title: 'Same',
        basename: 'same',
        visibility: 'public',
      })
    ).status,
    200,
  )
  assert.equal(findSite(store, id), before)
})

test('the title and the defaults need "create" on the site, other settings "admin"', async () => {
  const id = await newSite({ title: 'Roles', spaces: [await newSpace('Roles')] })
  const answers = [
    await other.patch(`${sites}/${id}`, { title: 'Roles of all' }),
    await other.patch(`${sites}/${id}`, { visibility: 'unlisted' }),
    await other.patch(`${sites}/${id}`, { title: 'Both', visibility: 'unlisted' }),
    await reader.patch(`${sites}/${id}`, { title: 'Mine' }),
    await other.post(`${sites}/${id}/publish`),
    await other.post(`${sites}/${id}/unpublish`),
    await other.delete(`${sites}/${id}`),
  ]

  assert.equal(
    answers.map(each => each.status),
    [200, 403, 403, 403, 403, 403, 403],
  )
  assert.is(findSite(store, id)?.title, 'Roles of all')
})

test('a former basename leads to the site until a caller names it for another site', async () => {
  const place = { organizationId: 'acme', siteId: null, scope: 'organization' }
  const id = await newSite({ title: 'Moving' })
  await creator.patch(`${sites}/${id}`, { basename: 'moved' })
  assert.is(findAlias(store, place, 'moving')?.target_id, id)
  const back = await creator.patch(`${sites}/${id}`, { basename: 'moving' })

  assert.is(back.body.basename, 'moving')
  assert.is(findAlias(store, place, 'moving'), undefined)
  assert.is(findAlias(store, place, 'moved')?.target_id, id)
  const second = await newSite({ title: 'Moved' })

  assert.is(findSite(store, second)?.basename, 'moved-1')
  assert.is(findAlias(store, place, 'moved')?.target_id, id)
  assert.is((await creator.patch(`${sites}/${second}`, { basename: 'moved' })).status, 200)
  assert.is(findAlias(store, place, 'moved'), undefined)
})

test('basenames of another form are refused, and a taken one without naming its site', async () => {
  const id = await newSite({ title: 'Form' })
  const hidden = await newSite({ title: 'Hidden' })
  for (const basename of [
    '..',
    '.',
    '~x',
    'a/b',
    '%2e',
    'ＡＰＩ',
    'robots.txt',
    'a'.repeat(101),
    '',
  ]) {
    assert.is((await creator.patch(`${sites}/${id}`, { basename })).status, 400, basename)
  }

  const taken = await creator.patch(`${sites}/${id}`, { basename: 'HIDDEN' })

  assert.is(taken.status, 409)
  assert.not.match(message(taken), new RegExp(hidden))
})

test('two changes to the same basename at once: one succeeds', async () => {
  const ids = [await newSite({ title: 'One' }), await newSite({ title: 'Two' })]
  const answers = await Promise.all(
    ids.map(id => creator.patch(`${sites}/${id}`, { basename: 'both' })),
  )
  assert.equal(answers.map(each => each.status).sort(), [200, 409])
  const made = await Promise.all([1, 2].map(() => creator.post(sites, { title: 'At once' })))
  assert.equal(made.map(each => each.body.basename).sort(), ['at-once', 'at-once-1'])
})

test('unknown settings and settings of another form are refused', async () => {
  const id = await newSite({ title: 'Shapes' })
  const refused: object[] = [
    { unknown: 1 },
    { title: 'x' },
    { title: 'a\nb' },
    { visibility: 'private' },
    { adaptiveContent: {} },
    { adaptiveContent: { enabled: true, more: 1 } },
    { hostname: 'example.org' },
    { hostname: 'Docs.example.org' },
    { hostname: 'docs.example.org.' },
    { hostname: '10.11.12.13' },
    { hostname: 'dócs.example.org' },
    { proxy: 'example.org' },
    { proxy: 'example.org/docs/' },
    { proxy: 'example.org/../x' },
    { proxy: 'user@example.org/x' },
    { proxy: 'example.org:80/x' },
  ]

  for (const body of refused)
    assert.is((await creator.patch(`${sites}/${id}`, body)).status, 400, JSON.stringify(body))
  const astral = await creator.patch(`${sites}/${id}`, { title: '𝒳'.repeat(128) })

  assert.is(astral.status, 200, astral.text)
  assert.is((await creator.patch(`${sites}/${id}`, { title: '𝒳'.repeat(129) })).status, 400)
})

test('a host name and a proxy belong to one site, and are free once it is deleted', async () => {
  const [first, second] = [await newSite({ title: 'Host 1' }), await newSite({ title: 'Host 2' })]
  const wanted = { hostname: 'one.example.org', proxy: 'www.example.org/one' }
  assert.is((await creator.patch(`${sites}/${first}`, wanted)).status, 200)
  assert.is((await creator.patch(`${sites}/${second}`, { hostname: wanted.hostname })).status, 409)
  assert.is((await creator.patch(`${sites}/${second}`, { proxy: wanted.proxy })).status, 409)
  assert.is((await creator.delete(`${sites}/${first}`)).status, 204)
  assert.is((await creator.patch(`${sites}/${second}`, wanted)).status, 200)
})

test('the default site space is set at the root', async () => {
  const [a, b] = [await newSpace('Root A'), await newSpace('Root B')]
  const id = await newSite({ spaces: [a, b] })
  assert.is(findSite(store, id)?.default_site_space_id, siteSpaceOf(a))
  const changed = await other.patch(`${sites}/${id}`, { defaultSiteSpace: siteSpaceOf(b) })

  assert.is(changed.status, 200, changed.text)
  assert.is(findSite(store, id)?.default_site_space_id, siteSpaceOf(b))
  assert.equal((await lastEvent('site.updated')).details, {
    changed: ['defaultSiteSpace'],
    defaultSiteSpace: { from: siteSpaceOf(a), to: siteSpaceOf(b) },
  })
})

test('the default section is applied first, and the default site space must lie in it', async () => {
  const spaces = [await newSpace('Sec A'), await newSpace('Sec B')]
  const id = await newSite({ spaces })
  const [one, two] = divide(id, spaces) as [string, string]
  const [inOne, inTwo] = spaces.map(siteSpaceOf) as [string, string]
  const third = await newSpace('Sec C')
  const [elsewhere] = divide(await newSite({ spaces: [third] }), [third]) as [string]
  const patch = (body: object) => other.patch(`${sites}/${id}`, body)

  assert.is((await patch({ defaultSiteSpace: inTwo })).status, 400)
  assert.is((await patch({ defaultSiteSection: elsewhere })).status, 404)
  assert.is((await patch({ defaultSiteSpace: 'nothing' })).status, 404)
  assert.is((await patch({ defaultSiteSection: two, defaultSiteSpace: inOne })).status, 400)
  assert.is(findSite(store, id)?.default_section_id, null)
  assert.is((await patch({ defaultSiteSection: two, defaultSiteSpace: inTwo })).status, 200)
  assert.is(findSite(store, id)?.default_section_id, two)
  assert.is((await patch({ defaultSiteSpace: inOne })).status, 400)
  assert.is((await patch({ defaultSiteSection: one })).status, 200)
})

test.run()
