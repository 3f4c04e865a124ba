import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { asOid } from '../../../src/lib/oid.ts'
import { putMirroredRef } from '../../../src/store/git/refs.ts'
import { findAlias } from '../../../src/store/sites/aliases.ts'
import { insertSection } from '../../../src/store/sites/sections.ts'
import { insertSiteSpace } from '../../../src/store/sites/site-spaces.ts'
import { insertSpace } from '../../../src/store/spaces/spaces.ts'
import { type Reply, startApp } from '../../support/app.ts'
import { newGroup, newSection, newSite, newSpace, treeOf } from './world.ts'

const app = await startApp()
const guest = app.user('Gus', null)
const reader = app.user('Rae', 'read')
test.after(() => app.stop())

const statuses = (replies: Reply[]) => replies.map(({ status }) => status)

const aliasAt = (siteId: string, scope: string, path: string) =>
  findAlias(app.ctx.store, { organizationId: 'acme', siteId, scope }, path)?.target_id

test('the first section of a site with root spaces follows one that contains them, and addresses stay', async () => {
  const site = await newSite(app, ['Guide', 'API'], { title: 'Handbook' })
  const before = (await app.admin.get(`${site.path}/site-spaces`)).body.items
  const made = await app.admin.post(`${site.path}/sections`, {
    spaceId: await newSpace(app, 'Blog'),
  })
  assert.is(made.status, 201, made.text)
  assert.equal([made.body.title, made.body.path, made.body.default], ['Blog', 'blog', false])
  assert.is(
    made.headers.get('location'),
    `${app.ctx.publicUrl()}${site.path}/sections/${made.body.id}`,
  )
  assert.is(await treeOf(app.admin, site), 'Handbook*(Guide* API) Blog(Blog*)')
  const after = (await app.admin.get(`${site.path}/site-spaces`)).body.items

  assert.equal(
    after.slice(0, 2).map((each: { id: string; path: string }) => [each.id, each.path]),
    before.map((each: { id: string; path: string }) => [each.id, each.path]),
  )
  assert.is(aliasAt(site.id, '', 'api'), site.siteSpaces.API)
  assert.is(aliasAt(site.id, '', 'guide'), site.siteSpaces.Guide)
})

test('a section group on a site with root spaces converts it, too', async () => {
  const site = await newSite(app, ['Guide'], { title: 'Manual' })
  await newGroup(app, site, { title: 'More' })
  assert.is(await treeOf(app.admin, site), 'Manual*(Guide*) [More:]')
  assert.is(await treeOf(reader, site), 'Manual*(Guide*)')
  const { body } = await reader.get(`${site.path}/section-groups`)
  assert.equal([body.count, body.items], [0, []])
})

test('the section that a conversion makes takes no path of another root space', async () => {
  const site = await newSite(app, ['Guide', 'Manual'], { title: 'Manual' })
  await newSection(app, site, 'Blog')
  const [section] = (await app.admin.get(`${site.path}/sections`)).body.items
  assert.is(section.path, 'manual-1')
  assert.is(aliasAt(site.id, '', 'manual'), site.siteSpaces.Manual)
})

test('a new section takes no path that its conversion turns into a former one', async () => {
  const site = await newSite(app, ['One', 'Api'])
  const section = await newSection(app, site, 'Api')
  assert.is(section.path, 'api-1')
  assert.is(aliasAt(site.id, '', 'api'), site.siteSpaces.Api)

  // A caller who names the path takes it.
  assert.is(
    (await app.admin.patch(`${site.path}/sections/${section.id}`, { path: 'api' })).status,
    200,
  )
  assert.is(aliasAt(site.id, '', 'api'), undefined)
})

test('the section that a conversion makes takes no former path', async () => {
  const site = await newSite(app, ['One', 'Manual'], { title: 'Manual' })
  const renamed = await app.admin.patch(`${site.path}/site-spaces/${site.siteSpaces.Manual}`, {
    path: 'two',
  })
  assert.is(renamed.status, 200, renamed.text)
  await newSection(app, site, 'Blog')
  assert.is((await app.admin.get(`${site.path}/sections`)).body.items[0].path, 'manual-1')
  assert.is(aliasAt(site.id, '', 'manual'), site.siteSpaces.Manual)
})

test('the derived path of a section avoids other sections and pages of the default space', async () => {
  const site = await newSite(app, ['Guide'])
  const space = (await app.admin.get(`${site.path}/site-spaces`)).body.items[0].space.id
  const inserted = await app.admin.post(`/v1/spaces/${space}/content`, {
    changes: [{ operation: 'insert_page', title: 'Blog', document: { markdown: 'x\n' } }],
  })
  assert.is(inserted.status, 200, inserted.text)
  const [first, second] = [await newSection(app, site, 'Blog'), await newSection(app, site, 'Blog')]
  assert.equal([first.path, second.path], ['blog-1', 'blog-2'])
})

test('fields of a section are set and removed, and an empty patch changes nothing', async () => {
  const site = await newSite(app)
  const { id } = await newSection(app, site, 'A section')
  const path = `${site.path}/sections/${id}`
  const set = await app.admin.patch(path, {
    title: 'Changed',
    path: 'API-Docs',
    icon: 'gear',
    description: 'About it',
    condition: 'visitor.claims.beta',
  })

  assert.is(set.status, 200, set.text)
  const { title, path: segment, icon, description, condition } = set.body

  assert.equal(
    [title, segment, icon, description, condition],
    ['Changed', 'api-docs', 'gear', 'About it', 'visitor.claims.beta'],
  )
  assert.equal((await app.admin.patch(path, {})).body, set.body)
  const removed = (await app.admin.patch(path, { icon: null, description: '', condition: '' })).body

  assert.equal(
    [removed.icon, removed.description, removed.condition],
    [undefined, undefined, undefined],
  )

  assert.equal(
    (await reader.get(`${site.path}/sections`)).body.items.map((each: { id: string }) => each.id),
    [id],
  )
})

test('paths that are no segments, reserved or in use are refused, in any case', async () => {
  const site = await newSite(app)
  await newSection(app, site, 'API')
  const { id } = await newSection(app, site, 'Other')
  const path = `${site.path}/sections/${id}`
  const hostile = [
    '..',
    '.',
    '~x',
    'a/b',
    '%2e',
    'ＡＰＩ',
    'robots.txt',
    'x'.repeat(101),
    '',
    'v1',
    'a b',
  ]

  for (const each of hostile) {
    const { status, text } = await app.admin.patch(path, { path: each })
    assert.is(status, 400, `${each}: ${text}`)
  }

  assert.is((await app.admin.patch(path, { path: 'API' })).status, 409)
})

test('titles have 2 to 128 characters on one line', async () => {
  const site = await newSite(app)
  const { id } = await newSection(app, site, 'Other')
  const put = async (title: string) =>
    (await app.admin.patch(`${site.path}/sections/${id}`, { title })).status
  assert.is(await put('𝒜'.repeat(128)), 200)
  assert.equal(
    [
      await put('𝒜'.repeat(129)),
      await put('x'),
      await put('a\nb'),
      await put('a\0b'),
      await put('a\u202eb'),
    ],
    [400, 400, 400, 400, 400],
  )
  const short = await app.admin.post(`${site.path}/sections`, { spaceId: await newSpace(app, 'C') })

  assert.equal([short.body.title, short.body.path], ['Section', 'section'])
})

test('a condition that is wrong or reads other names is refused with its position', async () => {
  const site = await newSite(app)
  const { id } = await newSection(app, site, 'Other')
  const path = `${site.path}/sections/${id}`

  for (const condition of ['visitor.claims.', 'site.id', 'visitor.claims.a = 1', 'space.vars.x'])
    assert.type(
      (await app.admin.patch(path, { condition })).body.details.position,
      'number',
      condition,
    )

  assert.is((await app.admin.patch(path, { condition: `"${'x'.repeat(1030)}"` })).status, 400)
})

test('the default of a section is a site space in it', async () => {
  const site = await newSite(app)
  const one = await newSection(app, site, 'One')
  const two = await newSection(app, site, 'Two')
  const added = await app.admin.post(`${site.path}/site-spaces`, {
    spaceId: await newSpace(app, 'Extra'),
    sectionId: one.id,
  })
  const path = `${site.path}/sections/${one.id}`

  assert.is((await app.admin.patch(path, { defaultSiteSpace: added.body.id })).status, 200)
  assert.is(await treeOf(app.admin, site), 'One*(One Extra*) Two(Two*)')
  assert.equal(
    statuses([
      await app.admin.patch(path, { defaultSiteSpace: two.siteSpaces[0].id }),
      await app.admin.patch(path, { defaultSiteSpace: 'nothing' }),
    ]),
    [400, 404],
  )
})

test('deleting sections keeps one default, and the last one leaves an empty site', async () => {
  const site = await newSite(app)
  const [one, two] = [await newSection(app, site, 'One'), await newSection(app, site, 'Two')]
  await newSection(app, site, 'Three')
  assert.is((await app.admin.delete(`${site.path}/sections/${one.id}`)).status, 204)
  assert.is(await treeOf(app.admin, site), 'Two*(Two*) Three(Three*)')
  assert.is((await app.admin.delete(`${site.path}/sections/${one.id}`)).status, 204)
  await app.admin.delete(`${site.path}/sections/${two.id}`)
  const [{ id }] = (await app.admin.get(`${site.path}/sections`)).body.items

  await app.admin.delete(`${site.path}/sections/${id}`)
  assert.equal((await app.admin.get(`${site.path}/structure`)).body, {
    type: 'siteSpaces',
    structure: [],
  })
  const added = await app.admin.post(`${site.path}/site-spaces`, {
    spaceId: await newSpace(app, 'New'),
  })

  assert.is(added.body.section, undefined)
  assert.is(await treeOf(app.admin, site), 'New*')
})

test('a former path of a section is an alias until a caller names it for another one', async () => {
  const site = await newSite(app)
  const { id } = await newSection(app, site, 'One')
  const rename = (path: string) => app.admin.patch(`${site.path}/sections/${id}`, { path })
  await rename('uno')
  assert.is(aliasAt(site.id, '', 'one'), id)
  await rename('one')
  assert.equal([aliasAt(site.id, '', 'one'), aliasAt(site.id, '', 'uno')], [undefined, id])
  const other = await newSection(app, site, 'Uno')

  assert.equal([other.path, aliasAt(site.id, '', 'uno')], ['uno-1', id])
  const named = await app.admin.patch(`${site.path}/sections/${other.id}`, { path: 'uno' })

  assert.equal([named.body.path, aliasAt(site.id, '', 'uno')], ['uno', undefined])
  await rename('eins')
  await app.admin.delete(`${site.path}/sections/${id}`)
  assert.is(aliasAt(site.id, '', 'one'), undefined)
})

/** Writes the rows of a section with a space that nobody reads. */
function insertSectionRows({ id: siteId }: { id: string }, n: number): void {
  const { store } = app.ctx
  const [id, created_at] = [`crowd${n}`, '2026-01-01T00:00:00.000Z']
  const dates = { created_at, updated_at: created_at }
  insertSpace(store, { id, organization_id: 'acme', title: id, position: 10_000 + n, ...dates })
  const placed = { id, site_id: siteId, path: id, created_at }
  insertSection(store, {
    ...placed,
    title: `Section ${n}`,
    position: n,
    default_site_space_id: id,
  })
  insertSiteSpace(store, { ...placed, section_id: id, space_id: id, position: 0 })
  putMirroredRef(store, id, 'refs/heads/main', asOid('1'.repeat(40)))
}

test('sections beyond the limit are refused', async () => {
  const site = await newSite(app)
  await newSection(app, site, 'Section 0')
  for (let n = 1; n < 99; n++) insertSectionRows(site, n)
  await newSection(app, site, 'Section 99')
  const answer = await app.admin.post(`${site.path}/sections`, {
    spaceId: await newSpace(app, 'One more'),
  })
  assert.is(answer.status, 409)
  assert.match(answer.body.error.message, '100 sections')
  const list = `${site.path}/sections`
  const pages: string[] = []
  let page = ''

  do {
    const { body } = await app.admin.get(`${list}?limit=40${page && `&page=${page}`}`)
    assert.is(body.count, body.items.length)
    pages.push(...body.items.map((each: { title: string }) => each.title))
    page = body.next?.page ?? ''
  } while (page)

  assert.equal(
    pages,
    Array.from({ length: 100 }, (_, n) => `Section ${n}`),
  )
  const foreign = (await app.admin.get(`${list}?limit=1`)).body.next.page
  const other = await newSite(app)

  assert.equal(
    statuses([
      await app.admin.get(`${list}?limit=0`),
      await app.admin.get(`${list}?limit=1001`),
      await app.admin.get(`${other.path}/sections?page=${foreign}`),
      await app.admin.get(`${list}?shareKey=${'x'.repeat(201)}`),
      await app.admin.get(`${list}?shareKey=unknown&limit=1`),
    ]),
    [400, 400, 400, 400, 200],
  )
})

test('a space that the caller may not place is refused, and a site shows a space once', async () => {
  const site = await newSite(app, ['Guide'])
  const own = await newSpace(app, 'Own')
  const shown = (await app.admin.get(`${site.path}/site-spaces`)).body.items[0].space.id
  const deleted = await newSpace(app, 'Deleted')

  await app.admin.delete(`/v1/spaces/${deleted}`)
  assert.equal(
    statuses([
      await app.admin.post(`${site.path}/sections`, { spaceId: 'nothing' }),
      await app.admin.post(`${site.path}/sections`, { spaceId: deleted }),
      await app.admin.post(`${site.path}/sections`, { spaceId: shown }),
      await reader.post(`${site.path}/sections`, { spaceId: own }),
      await guest.post(`${site.path}/sections`, { spaceId: own }),
      await app.admin.post(`${site.path}/sections`, { spaceId: own, other: 1 }),
      await app.admin.post(`${site.path}/sections`, { spaceId: own, icon: '' }),
      await app.admin.patch(`${site.path}/sections/nothing`, {}),
    ]),
    [404, 404, 409, 403, 404, 400, 400, 404],
  )

  // The refused edits did not convert the site.
  assert.is(await treeOf(app.admin, site), 'Guide*')
})

test.run()
