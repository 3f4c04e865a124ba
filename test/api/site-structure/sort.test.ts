import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { updateSite } from '../../../src/store/sites/sites.ts'
import { type Reply, startApp } from '../../support/app.ts'
import { newGroup, newSection, newSite, newSpace, treeOf } from './world.ts'

const app = await startApp()
const reader = app.user('Rae', 'read')
test.after(() => app.stop())

const statuses = (replies: Reply[]) => replies.map(({ status }) => status)

test('any item is sorted beside another, below its parent', async () => {
  const site = await newSite(app)
  const [one, two] = [await newSection(app, site, 'One'), await newSection(app, site, 'Two')]
  const group = await newGroup(app, site, { title: 'G' })
  const sort = (item: object, position: object = {}) =>
    app.admin.patch(`${site.path}/structure/sort`, { item, position })
  const section = (id: string) => ({ type: 'site-section', id })
  const siteSpace = (id: string) => ({ type: 'site-space', id })
  const [ofOne, ofTwo] = [one.siteSpaces[0].id, two.siteSpaces[0].id]
  const moved = await sort({ type: 'site-section-group', id: group }, { before: section(two.id) })

  assert.equal([moved.status, moved.body.object, moved.body.id], [200, 'site-section-group', group])
  await app.admin.post(`${site.path}/section-groups/${group}/sections`, { sectionId: two.id })
  const into = await sort(section(one.id), { after: section(two.id) })

  assert.equal([into.body.object, into.body.sectionGroup], ['site-section', group])
  assert.is(await treeOf(app.admin, site), '[G: Two(Two*) One*(One*)]')
  assert.is((await sort(siteSpace(ofOne), { after: siteSpace(ofTwo) })).body.section, two.id)
  assert.is(await treeOf(app.admin, site), '[G: Two*(Two* One) One()]')
  await sort(siteSpace(ofTwo))
  await sort(section(two.id))
  assert.is(await treeOf(app.admin, site), '[G: One()] Two*(One Two*)')
  const other = await newSection(app, await newSite(app), 'Elsewhere')

  assert.equal(
    statuses([
      await sort(section(two.id), { before: section(two.id) }),
      await sort(section(two.id), { before: section(other.id) }),
      await sort(section(two.id), { before: siteSpace(ofOne) }),
      await sort(siteSpace(ofOne), { before: section(two.id) }),
      await sort(section(two.id), { before: { type: 'site-section-group', id: two.id } }),
      await sort(section(group)),
      await sort(section(other.id)),
      await sort({ type: 'page', id: 'x' }),
      await app.admin.patch(`${site.path}/structure/sort`, { item: section(two.id) }),
      await reader.patch(`${site.path}/structure/sort`, { item: section(two.id), position: {} }),
    ]),
    [400, 400, 400, 400, 400, 404, 404, 400, 400, 403],
  )
})

test('a deprecated move of a section names sections only', async () => {
  const site = await newSite(app)
  const [one, two] = [await newSection(app, site, 'One'), await newSection(app, site, 'Two')]
  const at = (siteSection: string) => ({ type: 'site-section', siteSection })
  const move = (id: string, position?: object) =>
    app.admin.post(`${site.path}/sections/${id}/move`, position && { position })

  assert.is((await move(one.id)).status, 200)
  assert.is(await treeOf(app.admin, site), 'Two(Two*) One*(One*)')
  await move(one.id, { before: at(two.id) })
  assert.is(await treeOf(app.admin, site), 'One*(One*) Two(Two*)')
  assert.equal(
    statuses([
      await move(one.id, { before: at(one.id) }),
      await move(one.id, { before: at(two.id), after: at(two.id) }),
      await move(one.id, { before: { type: 'site-space', siteSpace: two.siteSpaces[0].id } }),
      await move('nothing'),
      await reader.post(`${site.path}/sections/${one.id}/move`),
    ]),
    [400, 400, 400, 404, 403],
  )
})

test('the structure is that of sections, or of root site spaces, with addresses of a published site', async () => {
  const site = await newSite(app, ['One', 'Two'])
  const structure = async (query = '') => (await reader.get(`${site.path}/structure${query}`)).body
  assert.is((await structure()).type, 'siteSpaces')
  await newSection(app, site, 'Blog')
  assert.is((await structure()).type, 'sections')
  assert.is((await structure('?surprise=1')).type, 'sections')
  assert.equal((await structure('?shareKey=unknown')).type, 'sections')
})

test('every edit records one event, and an edit that changes nothing records none', async () => {
  const site = await newSite(app, ['One'])
  const events = async () => {
    const { items } = (await app.admin.get('/v1/orgs/acme/audit-events?limit=100')).body
    return items.filter(
      (each: { action: string; target: { id: string } }) =>
        each.action === 'site.structure_updated' && each.target.id === site.id,
    )
  }
  const { id } = await newSection(app, site, 'Blog')
  await app.admin.patch(`${site.path}/sections/${id}`, { title: 'News' })
  await app.admin.patch(`${site.path}/sections/${id}`, { title: 'News' })
  await app.admin.post(`${site.path}/sections/${id}/move`)
  await app.admin.delete(`${site.path}/sections/${id}`)
  await app.admin.delete(`${site.path}/sections/${id}`)
  const details = (await events()).map((each: { details: object }) => each.details)

  assert.equal(
    details.map((each: { item: { id: string }; change: string }) => [each.item.id, each.change]),
    [
      [id, 'removed'],
      [id, 'updated'],
      [id, 'added'],
    ],
  )
  assert.type(details[2].converted, 'string')
})

test('spaces of a published site become visible and stop being so with the structure', async () => {
  const site = await newSite(app)
  app.ctx.store.transact(() => updateSite(app.ctx.store, site.id, { published: 1 }))
  const [first, second] = [await newSpace(app, 'First'), await newSpace(app, 'Second')]
  const visibility = async (id: string) => (await app.admin.get(`/v1/spaces/${id}`)).body.visibility
  const section = (await app.admin.post(`${site.path}/sections`, { spaceId: first })).body

  assert.match(section.urls.published, /\/$/)
  assert.is(await visibility(first), 'public')
  await app.admin.patch(`${site.path}/site-spaces/${section.siteSpaces[0].id}`, { spaceId: second })
  assert.equal([await visibility(first), await visibility(second)], ['private', 'public'])
  const added = (await app.admin.post(`${site.path}/site-spaces`, { spaceId: first })).body

  assert.is(await visibility(first), 'public')
  await app.admin.delete(`${site.path}/site-spaces/${added.id}`)
  await app.admin.delete(`${site.path}/sections/${section.id}`)
  assert.equal([await visibility(first), await visibility(second)], ['private', 'private'])
})

test('eight clients that edit at once leave one default among siblings, and never both kinds', async () => {
  const site = await newSite(app, ['One', 'Two'])
  const spaces = await Promise.all(
    Array.from({ length: 8 }, (_, n) => newSpace(app, `At once ${n}`)),
  )
  await Promise.all(
    spaces.map((spaceId, n) =>
      app.admin.post(`${site.path}/${n % 2 ? 'sections' : 'site-spaces'}`, { spaceId }),
    ),
  )
  const { body } = await app.admin.get(`${site.path}/structure`)

  assert.is(body.type, 'sections')
  const { items: sections } = (await app.admin.get(`${site.path}/sections`)).body

  assert.is((await app.admin.get(`${site.path}/site-spaces`)).body.count, 10)
  const [target] = sections
  const paths = await Promise.all(
    sections.map((each: { id: string }) =>
      app.admin.patch(`${site.path}/sections/${each.id}`, { path: 'same' }),
    ),
  )

  assert.equal(statuses(paths).sort(), [
    200,
    ...Array.from({ length: sections.length - 1 }, () => 409),
  ])

  const deletes = [
    ...sections.map((each: { id: string }) => `sections/${each.id}`),
    ...target.siteSpaces.map((each: { id: string }) => `site-spaces/${each.id}`),
  ]

  const checks = deletes.map(async () => {
    const { body: now } = await app.admin.get(`${site.path}/sections`)
    const defaults = now.items.filter((each: { default: boolean }) => each.default).length
    assert.is(defaults, now.items.length > 0 ? 1 : 0)
  })
  const deleted = await Promise.all(deletes.map(path => app.admin.delete(`${site.path}/${path}`)))

  await Promise.all(checks)
  assert.equal(new Set(statuses(deleted)), new Set([204]))
  assert.is(await treeOf(app.admin, site), '')
})

test.run()
