import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type App, startApp } from '../support/app.ts'
import { clientFor, type Driven, notDriven } from '../support/http/client.ts'

let app: App
let admin: Driven
test.before(async () => {
  app = await startApp()
  admin = clientFor(app, app.admin)
})
test.after(() => app.stop())

const newSpace = async (title: string) =>
  (await admin.client.orgs.createSpace('acme', { title })).data.id

test('the structure of a site', async () => {
  const { orgs } = admin.client
  const { id: site } = (await orgs.createSite('acme', { spaces: [await newSpace('Guide')] })).data
  await orgs.publishSite('acme', site)
  const variant = (await orgs.addSpaceToSite('acme', site, { spaceId: await newSpace('API') })).data
  const plain = (await orgs.getSiteStructure('acme', site)).data

  assert.equal([plain.type as string, plain.structure.length], ['siteSpaces', 2])
  await orgs.moveSiteSpace('acme', site, variant.id, {})
  const blog = (
    await orgs.addSectionToSite('acme', site, { spaceId: await newSpace('Blog'), icon: 'gear' })
  ).data
  const news = (
    await orgs.addSectionToSite('acme', site, { spaceId: await newSpace('News'), title: null })
  ).data

  assert.match(blog.urls.published ?? '', /\/blog\/$/)
  await orgs.updateSiteSectionById('acme', site, blog.id, {
    title: 'Weblog',
    path: 'weblog',
    description: 'What is new',
    condition: 'visitor.claims.beta',
    defaultSiteSpace: blog.siteSpaces[0]?.id as string,
  })
  const outer = (
    await orgs.addSectionGroupToSite('acme', site, { title: 'More', sections: [blog.id] })
  ).data
  const inner = (
    await orgs.addSectionGroupToSite('acme', site, { title: 'Inner', parent: outer.id })
  ).data

  await orgs.addSectionToGroup('acme', site, inner.id, { sectionId: news.id })
  await orgs.updateSiteSectionGroupById('acme', site, inner.id, { title: 'Deep', icon: 'book' })
  const groups = (await orgs.listSiteSectionGroups('acme', site, { limit: 10 })).data

  assert.equal(
    groups.items.map(({ title }) => title),
    ['More', 'Deep'],
  )
  const structure = (await orgs.getSiteStructure('acme', site)).data

  assert.equal([structure.type as string, structure.structure.length], ['sections', 2])
  await orgs.moveSiteSection('acme', site, news.id, {
    position: { before: { type: 'site-section' as never, siteSection: blog.id } },
  })
  await orgs.moveSiteSectionGroup('acme', site, inner.id, {})
  const sorted = await orgs.sortSiteStructure('acme', site, {
    item: { type: 'site-section-group' as never, id: inner.id },
    position: { before: { type: 'site-section-group' as never, id: outer.id } },
  })

  assert.is(sorted.data.id, inner.id)

  for (const id of [variant.id, news.id])
    await orgs.sortSiteStructure('acme', site, {
      item: { type: (id === news.id ? 'site-section' : 'site-space') as never, id },
      position: {},
    })

  await orgs.removeSectionFromGroup('acme', site, outer.id, blog.id)
  const sections = (await orgs.listSiteSections('acme', site, { limit: 10 })).data

  assert.equal([sections.count, sections.items.at(-1)?.title], [3, 'News'])
})

test('the spaces of a site', async () => {
  const { orgs } = admin.client
  const { id: site } = (await orgs.createSite('acme', { spaces: [await newSpace('Docs')] })).data
  const { id } = (await orgs.addSpaceToSite('acme', site, { spaceId: await newSpace('Extra') }))
    .data
  const changed = (
    await orgs.updateSiteSpaceById('acme', site, id, {
      path: 'v2',
      condition: 'space.vars.x == visitor.claims.y',
      spaceId: await newSpace('Other'),
    })
  ).data

  assert.equal([changed.title, changed.path], ['Other', 'v2'])
  const others = (await orgs.listSiteSpaces('acme', site, { default: false, limit: 10 })).data

  assert.equal(
    others.items.map(each => each.id),
    [id],
  )
  await orgs.deleteSiteSpaceById('acme', site, id)
  assert.is((await orgs.listSiteSpaces('acme', site)).data.items.length, 1)
  const group = (await orgs.addSectionGroupToSite('acme', site, { title: 'Group' })).data

  await orgs.deleteSiteSectionGroupById('acme', site, group.id)
  const [section] = (await orgs.listSiteSections('acme', site)).data.items

  await orgs.deleteSiteSectionById('acme', site, section?.id as string)
  assert.is((await orgs.getSiteStructure('acme', site)).data.structure.length, 0)
})

test('every operation on the structure of sites is called', () => {
  assert.equal(
    notDriven(
      /\/sites\/:siteId\/(?:structure|sections|section-groups|site-spaces)(?!.*customization)/,
      admin.done,
    ),
    [],
  )
})

test.run()
