import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Reply, startApp } from '../../support/app.ts'
import { newGroup, newSection, newSite, treeOf } from './world.ts'

const app = await startApp()
const reader = app.user('Rae', 'read')
test.after(() => app.stop())

const statuses = (replies: Reply[]) => replies.map(({ status }) => status)

/** A site with the sections A to E, each with a space of the same title. */
async function siteWithSections() {
  const site = await newSite(app)
  const ids: Record<string, string> = {}
  for (const title of ['AA', 'BB', 'CC', 'DD']) ids[title] = (await newSection(app, site, title)).id
  const groups = `${site.path}/section-groups`
  return { site, ids: ids as Record<'AA' | 'BB' | 'CC' | 'DD', string>, groups }
}

test('a group takes the sections that it is created with, in their order, and lies at the end', async () => {
  const { site, ids, groups } = await siteWithSections()
  const made = await app.admin.post(groups, {
    title: 'G',
    icon: 'book',
    sections: [ids.CC, ids.AA],
  })

  assert.is(made.status, 201, made.text)
  assert.equal([made.body.title, made.body.icon, made.body.sectionGroup], ['G', 'book', undefined])
  assert.is(made.headers.get('location'), `${app.ctx.publicUrl()}${groups}/${made.body.id}`)
  const inner = await app.admin.post(groups, {
    title: 'H',
    sections: [ids.CC],
    parent: made.body.id,
  })

  assert.is(inner.body.sectionGroup, made.body.id)
  assert.is(await treeOf(app.admin, site), 'BB(BB*) DD(DD*) [G: AA*(AA*) [H: CC(CC*)]]')
  const listed = (await app.admin.get(groups)).body

  assert.equal(
    [listed.count, listed.items.map((each: { title: string }) => each.title)],
    [2, ['G', 'H']],
  )

  assert.equal(
    listed.items[0].sections.map((each: { title: string }) => each.title),
    ['AA'],
  )
  const sections = (await app.admin.get(`${site.path}/sections`)).body.items

  assert.equal(
    sections.map((each: { title: string }) => each.title),
    ['BB', 'DD', 'AA', 'CC'],
  )
})

test('groups with repeated, too many, unknown or foreign sections, and third levels, are refused', async () => {
  const { site, ids, groups } = await siteWithSections()
  const other = await siteWithSections()
  const outer = await newGroup(app, site, { title: 'G' })
  const inner = await newGroup(app, site, { title: 'H', parent: outer })
  const before = await treeOf(app.admin, site)

  assert.equal(
    statuses([
      await app.admin.post(groups, { title: 'x', sections: [ids.AA, ids.AA] }),
      await app.admin.post(groups, {
        title: 'x',
        sections: Array.from({ length: 10_000 }, (_, n) => `${n}`),
      }),
      await app.admin.post(groups, { title: 'x', sections: ['nothing'] }),
      await app.admin.post(groups, { title: 'x', sections: [ids.AA, other.ids.AA] }),
      await app.admin.post(groups, { title: 'x', parent: 'nothing' }),
      await app.admin.post(groups, { title: 'x', parent: inner }),
      await app.admin.post(groups, { title: '' }),
      await app.admin.post(groups, { title: 'x'.repeat(101) }),
      await reader.post(groups, { title: 'x' }),
    ]),
    [400, 400, 404, 404, 404, 400, 400, 400, 403],
  )
  assert.is(await treeOf(app.admin, site), before)
})

test('a section joins the end of a group once, and leaves it to the place behind the group', async () => {
  const { site, ids, groups } = await siteWithSections()
  const outer = await newGroup(app, site, { title: 'G', sections: [ids.AA] })
  const add = (sectionId: string, group = outer) =>
    app.admin.post(`${groups}/${group}/sections`, { sectionId })
  const added = await add(ids.CC)

  assert.is(added.status, 201, added.text)
  assert.equal(
    added.body.sections.map((each: { id: string }) => each.id),
    [ids.AA, ids.CC],
  )
  assert.is((await add(ids.AA)).status, 201)
  const inner = await newGroup(app, site, { title: 'H', parent: outer, sections: [ids.BB] })

  assert.is(await treeOf(app.admin, site), 'DD(DD*) [G: AA*(AA*) CC(CC*) [H: BB(BB*)]]')
  const remove = (id: string, group = outer) =>
    app.admin.delete(`${groups}/${group}/sections/${id}`)

  assert.equal(
    statuses([
      await remove(ids.BB, inner),
      await remove(ids.AA),
      await remove(ids.AA),
      await remove(ids.DD),
      await remove('nothing'),
      await remove(ids.CC, 'nothing'),
      await add('nothing'),
      await add(ids.AA, 'nothing'),
      await reader.delete(`${groups}/${outer}/sections/${ids.CC}`),
    ]),
    [204, 204, 204, 204, 204, 204, 404, 404, 403],
  )
  assert.is(await treeOf(app.admin, site), 'DD(DD*) [G: CC(CC*) [H:] BB(BB*)] AA*(AA*)')
})

test('the children of a deleted group take its place, in their order', async () => {
  const { site, ids, groups } = await siteWithSections()
  const outer = await newGroup(app, site, { title: 'G', sections: [ids.BB, ids.AA] })
  await newGroup(app, site, { title: 'H', parent: outer, sections: [ids.CC] })
  await app.admin.patch(`${site.path}/structure/sort`, {
    item: { type: 'site-section', id: ids.DD },
    position: {},
  })
  assert.is(await treeOf(app.admin, site), '[G: BB(BB*) AA*(AA*) [H: CC(CC*)]] DD(DD*)')
  const path = `${groups}/${outer}`

  assert.equal(
    statuses([
      await reader.delete(path),
      await app.admin.delete(path),
      await app.admin.delete(path),
    ]),
    [403, 204, 204],
  )
  assert.is(await treeOf(app.admin, site), 'BB(BB*) AA*(AA*) [H: CC(CC*)] DD(DD*)')
})

test('the title and icon of a group change', async () => {
  const { site, groups } = await siteWithSections()
  const id = await newGroup(app, site, { title: 'G', icon: 'book' })
  const changed = (await app.admin.patch(`${groups}/${id}`, { title: 'Group' })).body
  assert.equal([changed.title, changed.icon], ['Group', 'book'])
  assert.is((await app.admin.patch(`${groups}/${id}`, { icon: null })).body.icon, undefined)
  assert.equal(
    statuses([
      await app.admin.patch(`${groups}/${id}`, { title: '' }),
      await app.admin.patch(`${groups}/nothing`, {}),
      await reader.patch(`${groups}/${id}`, { title: 'x' }),
    ]),
    [400, 404, 403],
  )
})

test('a group moves beside sections and groups, at most to the second level', async () => {
  const { site, ids, groups } = await siteWithSections()
  const outer = await newGroup(app, site, { title: 'G', sections: [ids.AA] })
  const inner = await newGroup(app, site, { title: 'H', parent: outer, sections: [ids.BB] })
  const single = await newGroup(app, site, { title: 'I' })
  const move = (id: string, position?: object) =>
    app.admin.post(`${groups}/${id}/move`, position && { position })
  const section = (id: string) => ({ type: 'site-section', id })
  const group = (id: string) => ({ type: 'site-section-group', id })
  const moved = await move(single, { before: section(ids.CC) })

  assert.is(moved.status, 200, moved.text)
  assert.is(await treeOf(app.admin, site), '[I:] CC(CC*) DD(DD*) [G: AA*(AA*) [H: BB(BB*)]]')
  await move(single, { after: section(ids.AA), before: group(inner) })
  assert.is(await treeOf(app.admin, site), 'CC(CC*) DD(DD*) [G: AA*(AA*) [I:] [H: BB(BB*)]]')
  await move(inner)
  assert.is(await treeOf(app.admin, site), 'CC(CC*) DD(DD*) [G: AA*(AA*) [I:]] [H: BB(BB*)]')
  const before = await treeOf(app.admin, site)

  assert.equal(
    statuses([
      await move(outer, { after: section(ids.AA) }),
      await move(outer, { before: section(ids.BB) }),
      await move(inner, { after: group(inner) }),
      await move(inner, { after: section(ids.BB) }),
      await move(inner, { before: group(single), after: group(single) }),
      await move('nothing'),
      await reader.post(`${groups}/${inner}/move`),
    ]),
    [400, 400, 400, 400, 400, 404, 403],
  )
  assert.is(await treeOf(app.admin, site), before)
})

test('groups beyond the limit are refused', async () => {
  const site = await newSite(app)
  for (let n = 0; n < 100; n++) await newGroup(app, site, { title: `Group ${n}` })
  assert.is(
    (await app.admin.post(`${site.path}/section-groups`, { title: 'One more' })).status,
    409,
  )
})

test.run()
