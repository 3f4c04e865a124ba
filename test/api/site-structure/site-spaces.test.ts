import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { asOid } from '../../../src/lib/oid.ts'
import { putMirroredRef } from '../../../src/store/git/refs.ts'
import { findAlias } from '../../../src/store/sites/aliases.ts'
import { putSitePermission } from '../../../src/store/sites/site-permissions.ts'
import { insertSiteSpace } from '../../../src/store/sites/site-spaces.ts'
import { readStructure } from '../../../src/store/sites/structure.ts'
import { insertSpace } from '../../../src/store/spaces/spaces.ts'
import { type Actor, type Reply, startApp } from '../../support/app.ts'
import { newGroup, newSection, newSite, newSpace, treeOf } from './world.ts'

const app = await startApp()
const guest = app.user('Gus', null)
const reader = app.user('Rae', 'read')
test.after(() => app.stop())

const statuses = (replies: Reply[]) => replies.map(({ status }) => status)

const aliasAt = (siteId: string, scope: string, path: string) =>
  findAlias(app.ctx.store, { organizationId: 'acme', siteId, scope }, path)?.target_id

/** A member with the role "read" on spaces, and "create" on a site. */
function creatorOf(siteId: string, name: string): Actor {
  const creator = app.user(name, 'read')
  app.ctx.store.transact(() =>
    putSitePermission(app.ctx.store, {
      site_id: siteId,
      subject_kind: 'user',
      subject_id: creator.id,
      role: 'create',
      created_at: '2026-01-01T00:00:00.000Z',
    }),
  )

  return creator
}

test('a space is added to a section, else to the default section, else to the root', async () => {
  const site = await newSite(app)
  const add = async (title: string, sectionId?: string) =>
    app.admin.post(`${site.path}/site-spaces`, {
      spaceId: await newSpace(app, title),
      ...(sectionId !== undefined && { sectionId }),
    })
  const first = await add('One')
  assert.is(first.status, 201, first.text)
  assert.is(
    first.headers.get('location'),
    `${app.ctx.publicUrl()}${site.path}/site-spaces/${first.body.id}`,
  )
  assert.equal([first.body.default, first.body.path, first.body.section], [true, 'one', undefined])
  const blog = await newSection(app, site, 'Blog')
  const [second, third] = [await add('Two'), await add('Three', blog.id)]

  assert.equal([third.body.section, third.body.default], [blog.id, false])
  assert.is(second.body.section, (await app.admin.get(`${site.path}/sections`)).body.items[0].id)
  assert.match(await treeOf(app.admin, site), /^Site \d+\*\(One\* Two\) Blog\(Blog\* Three\)$/)
  assert.is((await add('Four', 'nothing')).status, 404)
})

test('a space that is added to a site with section groups alone gets a section', async () => {
  const site = await newSite(app, [], { title: 'Manual' })
  await newGroup(app, site, { title: 'G' })
  const added = await app.admin.post(`${site.path}/site-spaces`, {
    spaceId: await newSpace(app, 'One'),
  })
  assert.is(added.status, 201, added.text)
  assert.is(await treeOf(app.admin, site), 'Manual*(One*) [G:]')
})

test('the list can be limited to defaults or to others', async () => {
  const site = await newSite(app, ['One', 'Two', 'Three'])
  const list = async (query: string) => {
    const { body } = await reader.get(`${site.path}/site-spaces?${query}`)
    return [body.count, body.items.map((each: { title: string }) => each.title)]
  }

  assert.equal(await list('default=true'), [1, ['One']])
  assert.equal(await list('default=false&limit=1'), [1, ['Two']])
  assert.equal(await list('limit=2'), [2, ['One', 'Two']])
  assert.is((await reader.get(`${site.path}/site-spaces?default=maybe`)).status, 400)
})

test('a guest of one space of ten sees that one, and nothing of the others', async () => {
  const titles = Array.from({ length: 10 }, (_, n) => `Secret ${n}`)
  const site = await newSite(app, titles)
  await newSection(app, site, 'Secret section')
  const shown = (await app.admin.get(`${site.path}/site-spaces`)).body.items[3]

  await app.admin.post(`/v1/spaces/${shown.space.id}/permissions`, { role: 'read', users: ['gus'] })

  for (const list of ['site-spaces', 'sections', 'section-groups', 'structure']) {
    const { text, body } = await guest.get(`${site.path}/${list}`)
    assert.not.match(text, /Secret [0124-9s]|secret-[0124-9s]/, list)
    if (list !== 'structure') assert.is(body.count, list === 'section-groups' ? 0 : 1, list)
  }

  const { body } = await guest.get(`${site.path}/site-spaces`)

  assert.equal([body.items[0].id, body.items[0].default], [shown.id, false])
})

test('a creator of the site does not reach spaces that they may not read', async () => {
  const site = await newSite(app, ['Open', 'Closed'])
  const [open, closed] = (await app.admin.get(`${site.path}/site-spaces`)).body.items
  await app.admin.patch(`/v1/spaces/${closed.space.id}`, { defaultLevel: null })
  const creator = creatorOf(site.id, 'Cleo')
  const at = (id: string) => `${site.path}/site-spaces/${id}`
  const beside = { position: { after: { type: 'site-space', siteSpace: closed.id } } }

  assert.equal(
    statuses([
      await creator.patch(at(closed.id), { path: 'x' }),
      await creator.post(`${at(closed.id)}/move`),
      await creator.delete(at(closed.id)),
      await creator.post(`${at(open.id)}/move`, beside),
      await creator.patch(at(open.id), { path: closed.path }),
      await creator.post(`${site.path}/sections`, { spaceId: open.space.id }),
      await creator.patch(at(open.id), { spaceId: open.space.id }),
      await creator.patch(at(open.id), { path: 'opened' }),
    ]),
    [404, 404, 204, 400, 409, 403, 403, 200],
  )
  assert.is(await treeOf(app.admin, site), 'Open* Closed')
})

test('the path, condition and space of a site space change, and a former path stays as an alias', async () => {
  const site = await newSite(app, ['One', 'Two'])
  const id = site.siteSpaces.Two as string
  const path = `${site.path}/site-spaces/${id}`
  const changed = await app.admin.patch(path, {
    path: 'V2.0',
    condition: 'space.vars.a == visitor.claims.b',
  })

  assert.is(changed.status, 200, changed.text)
  assert.equal(
    [changed.body.path, changed.body.condition],
    ['v2.0', 'space.vars.a == visitor.claims.b'],
  )
  assert.is(aliasAt(site.id, '', 'two'), id)
  const replaced = await app.admin.patch(path, {
    spaceId: await newSpace(app, 'Other'),
    condition: null,
  })

  assert.equal(
    [replaced.body.title, replaced.body.path, replaced.body.condition],
    ['Other', 'v2.0', undefined],
  )
  const shown = (await app.admin.get(`${site.path}/site-spaces`)).body.items[0].space.id
  const refused = [
    await app.admin.patch(path, { path: 'one' }),
    await app.admin.patch(path, { spaceId: shown }),
    await app.admin.patch(path, { spaceId: 'nothing' }),
    await app.admin.patch(path, { path: 'robots.txt' }),
    await app.admin.patch(path, { condition: 'visitor.' }),
    await app.admin.patch(path, { condition: 'space.id' }),
    await app.admin.patch(path, { title: 'x' }),
    await app.admin.patch(`${path}x`, {}),
    await reader.patch(path, {}),
  ]

  assert.equal(statuses(refused), [409, 409, 404, 400, 400, 400, 400, 404, 403])
  assert.type(refused[4]?.body.details.position, 'number')
})

test('a removed site space leaves a default and no alias', async () => {
  const site = await newSite(app, ['One', 'Two', 'Three'])
  const remove = (title: string) =>
    app.admin.delete(`${site.path}/site-spaces/${site.siteSpaces[title]}`)
  await app.admin.patch(`${site.path}/site-spaces/${site.siteSpaces.One}`, { path: 'uno' })
  assert.equal(statuses([await remove('One'), await remove('One')]), [204, 204])
  assert.is(await treeOf(app.admin, site), 'Two* Three')
  assert.is(aliasAt(site.id, '', 'one'), undefined)
  await remove('Two')
  await remove('Three')
  assert.is(await treeOf(app.admin, site), '')
})

test('a site space whose space is deleted is removed by those who see the space, and does not come back', async () => {
  const site = await newSite(app, ['One', 'Two'])
  const { items } = (await app.admin.get(`${site.path}/site-spaces`)).body
  const [{ space: one }] = items
  const creator = creatorOf(site.id, 'Trish')
  const remove = async (by: Actor, id: string) =>
    assert.is((await by.delete(`${site.path}/site-spaces/${id}`)).status, 204)

  await app.admin.patch(`/v1/spaces/${one.id}`, { defaultLevel: null })
  await app.admin.delete(`/v1/spaces/${one.id}`)
  const rows = () => readStructure(app.ctx.store, site.id).siteSpaces.length

  await remove(creator, items[0].id)
  assert.is(rows(), 2)
  await remove(app.admin, items[0].id)
  assert.is(rows(), 1)
  await app.admin.post(`/v1/spaces/${one.id}/restore`)
  assert.is(await treeOf(reader, site), 'Two*')
})

test('a space comes back with its place and default, and with another path if its path was taken', async () => {
  const site = await newSite(app, ['One', 'Two', 'Three'])
  const { items } = (await app.admin.get(`${site.path}/site-spaces`)).body
  const one = items[0].space.id
  await app.admin.delete(`/v1/spaces/${one}`)
  assert.is(await treeOf(reader, site), 'Two* Three')
  const paths = `${site.path}/site-spaces`

  assert.is((await app.admin.patch(`${paths}/${items[2].id}`, { path: 'one' })).status, 200)
  assert.is((await app.admin.patch(`${paths}/${items[0].id}`, { path: 'x' })).status, 404)

  // The deleted one lies between the neighbours that the caller sees.
  const moved = await app.admin.post(`${paths}/${items[2].id}/move`, {
    position: { before: { type: 'site-space', siteSpace: items[1].id } },
  })

  assert.is(moved.status, 200, moved.text)
  await app.admin.post(`/v1/spaces/${one}/restore`)
  assert.is(await treeOf(reader, site), 'One* Three Two')
  const back = (await reader.get(paths)).body.items

  assert.equal(
    back.map((each: { path: string }) => each.path),
    ['one-1', 'one', 'two'],
  )
})

test('a deleted space whose path is taken gets no former path of another', async () => {
  const site = await newSite(app, ['One', 'Two'])
  const { items } = (await app.admin.get(`${site.path}/site-spaces`)).body
  const rename = async (path: string) => {
    const reply = await app.admin.patch(`${site.path}/site-spaces/${items[1].id}`, { path })
    assert.is(reply.status, 200, reply.text)
  }

  await rename('one-1')
  await rename('zwei')
  assert.is(aliasAt(site.id, '', 'one-1'), items[1].id)
  await app.admin.delete(`/v1/spaces/${items[0].space.id}`)
  await rename('one')
  assert.is(aliasAt(site.id, '', 'one-1'), items[1].id)
  await app.admin.post(`/v1/spaces/${items[0].space.id}/restore`)
  assert.is((await app.admin.get(`${site.path}/site-spaces`)).body.items[0].path, 'one-2')
})

test('a space that is added takes no former path, in a section or at the root', async () => {
  const site = await newSite(app, ['One', 'Two'])
  const add = async (sectionId?: string) => {
    const spaceId = await newSpace(app, 'Two')
    const body = { spaceId, ...(sectionId !== undefined && { sectionId }) }
    return (await app.admin.post(`${site.path}/site-spaces`, body)).body.path
  }

  const rename = (id: string | undefined) =>
    app.admin.patch(`${site.path}/site-spaces/${id}`, {
      path: `was-${id?.toLowerCase().slice(0, 4)}x`,
    })

  await rename(site.siteSpaces.Two)
  assert.is(await add(), 'two-1')
  assert.is(aliasAt(site.id, '', 'two'), site.siteSpaces.Two)
  const section = await newSection(app, site, 'Two')

  assert.is(section.path, 'two-2')
  const [inside] = section.siteSpaces

  assert.is(inside.path, 'two')
  await rename(inside.id)
  assert.is(await add(section.id), 'two-1')
  assert.is(aliasAt(site.id, section.id, 'two'), inside.id)
})

test('a site space moves beside another, also into its section, where its path must be free', async () => {
  const site = await newSite(app, ['One', 'Two', 'Three'], { title: 'Main' })
  const other = await newSection(app, site, 'Other')
  const { One = '', Two = '', Three = '' } = site.siteSpaces
  const inOther = other.siteSpaces[0].id
  const move = (id: string, position?: object) =>
    app.admin.post(`${site.path}/site-spaces/${id}/move`, position && { position })
  const at = (siteSpace: string) => ({ type: 'site-space', siteSpace })

  await move(One)
  assert.is(await treeOf(app.admin, site), 'Main*(Two Three One*) Other(Other*)')
  await move(One, { before: at(Three), after: at(Two) })
  assert.is(await treeOf(app.admin, site), 'Main*(Two One* Three) Other(Other*)')
  const moved = await move(One, { before: at(inOther) })

  assert.equal([moved.status, moved.body.section, moved.body.default], [200, other.id, false])
  assert.is(await treeOf(app.admin, site), 'Main*(Two* Three) Other(One Other*)')
  const main = (await app.admin.get(`${site.path}/sections`)).body.items[0].id

  assert.is(aliasAt(site.id, main, 'one'), One)
  await app.admin.patch(`${site.path}/site-spaces/${Two}`, { path: 'one' })
  assert.is(aliasAt(site.id, main, 'one'), undefined)
  const before = await treeOf(app.admin, site)

  assert.equal(
    statuses([
      await move(Two, { after: at(One) }),
      await move(Two, { after: at(Two) }),
      await move(Two, { after: at('nothing') }),
      await move(Two, { after: at(Three), before: at(Three) }),
      await move(Two, { after: at(One), before: at(Three) }),
      await move(Two, { after: { type: 'site-section', siteSection: other.id } }),
      await move('nothing'),
      await reader.post(`${site.path}/site-spaces/${Two}/move`),
    ]),
    [409, 400, 400, 400, 400, 400, 404, 403],
  )
  assert.is(await treeOf(app.admin, site), before)
  await move(Three, { before: at(One) })
  await app.admin.patch(`${site.path}/site-spaces/${Two}`, { path: 'deux' })
  await move(Two, { before: at(One) })
  assert.is(await treeOf(app.admin, site), 'Main() Other*(Three Two One Other*)')
  assert.is(await treeOf(reader, site), 'Other*(Three Two One Other*)')
})

test('site spaces beyond the limit are refused', async () => {
  const site = await newSite(app, ['One'])
  const { store } = app.ctx
  const created_at = '2026-01-01T00:00:00.000Z'

  for (let n = 0; n < 299; n++) {
    const id = `crowd${n}`
    const dates = { created_at, updated_at: created_at }
    insertSpace(store, { id, organization_id: 'acme', title: id, position: 10_000 + n, ...dates })
    insertSiteSpace(store, {
      id,
      site_id: site.id,
      space_id: id,
      path: id,
      position: n + 1,
      created_at,
    })
    putMirroredRef(store, id, 'refs/heads/main', asOid('1'.repeat(40)))
  }

  const added = await app.admin.post(`${site.path}/site-spaces`, {
    spaceId: await newSpace(app, 'More'),
  })

  assert.is(added.status, 409, added.text)
  assert.match(added.body.error.message, '300 spaces')
})

test.run()
