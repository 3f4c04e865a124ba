import { another, must, newSpace, type World } from '../world.ts'
import { type Calls, fresh } from './call.ts'
import { newSite, published } from './sites.ts'

/** A site with a section for a new space, whose ids it returns. */
async function newSection(world: World) {
  const { siteId } = await newSite(world)
  const spaceId = await newSpace(world)
  const path = `/orgs/${world.ids.organizationId}/sites/${siteId}`
  const section = await must(world.by, 'POST', `${path}/sections`, {
    spaceId,
    title: another('Section'),
  })
  const siteSpaceId = section.siteSpaces[0].id as string

  return { siteId, siteSectionId: section.id as string, siteSpaceId, path }
}

/** A site with a group at its front that contains a section, and a section behind it. */
async function newGroup(world: World) {
  const { path, ...ids } = await newSection(world)
  const other = await must(world.by, 'POST', `${path}/sections`, { spaceId: await newSpace(world) })
  const group = await must(world.by, 'POST', `${path}/section-groups`, {
    title: another('Group'),
    sections: [ids.siteSectionId],
  })
  const position = { before: { type: 'site-section', id: other.id } }

  await must(world.by, 'POST', `${path}/section-groups/${group.id}/move`, { position })

  return { ...ids, siteSectionGroupId: group.id as string }
}

const inSection = (body?: object) =>
  fresh(async world => {
    const { path: _path, ...ids } = await newSection(world)
    return { ids, ...(body && { body }) }
  })

const inGroup = (body?: object) =>
  fresh(async world => ({ ids: await newGroup(world), ...(body && { body }) }))

const withLink = (body?: object) =>
  fresh(async world => {
    const { path, siteId } = await newSection(world)
    const link = { title: 'Blog', url: 'https://example.org/' }
    const { id } = await must(world.by, 'POST', `${path}/external-links`, link)
    return { ids: { siteId, siteExternalLinkId: id as string }, ...(body && { body }) }
  })

const toEnd = { position: {} }

/** A change that puts the space of the caller's site before its siblings. */
const siteSpaceFirst = fresh(async world => {
  const { siteId, siteSectionId, siteSpaceId, path } = await newSection(world)
  const spaceId = await newSpace(world)
  const added = await must(world.by, 'POST', `${path}/site-spaces`, {
    spaceId,
    sectionId: siteSectionId,
  })
  const position = { before: { type: 'site-space', siteSpace: siteSpaceId } }
  return { ids: { siteId, siteSpaceId: added.id }, body: { position } }
})

/** The structure of sites. */
export const siteStructure: Calls = {
  getSiteStructure: { make: published },
  sortSiteStructure: fresh(async world => {
    const { siteId, siteSectionId } = await newGroup(world)
    return {
      ids: { siteId },
      body: { item: { type: 'site-section', id: siteSectionId }, ...toEnd },
    }
  }),
  listSiteSections: { make: published },
  addSectionToSite: fresh(async world => ({
    ids: { siteId: (await newSite(world)).siteId },
    body: { spaceId: await newSpace(world) },
  })),
  updateSiteSectionById: inSection({ title: 'Changed' }),
  deleteSiteSectionById: inSection(),
  moveSiteSection: inGroup({}),
  listSiteSectionGroups: inGroup(),
  addSectionGroupToSite: inSection({ title: 'Group' }),
  updateSiteSectionGroupById: inGroup({ title: 'Changed' }),
  deleteSiteSectionGroupById: inGroup(),
  moveSiteSectionGroup: inGroup({}),
  addSectionToGroup: fresh(async world => {
    const { siteId, siteSectionGroupId } = await newGroup(world)
    const path = `/orgs/${world.ids.organizationId}/sites/${siteId}/sections`
    const { id } = await must(world.by, 'POST', path, { spaceId: await newSpace(world) })
    return { ids: { siteId, siteSectionGroupId }, body: { sectionId: id } }
  }),
  removeSectionFromGroup: inGroup(),
  addExternalLinkToSite: inSection({ title: 'Blog', url: 'https://example.org/' }),
  updateSiteExternalLinkById: withLink({ title: 'Status' }),
  deleteSiteExternalLinkById: withLink(),
  listSiteSpaces: { make: published },
  addSpaceToSite: fresh(async world => ({
    ids: { siteId: (await newSite(world)).siteId },
    body: { spaceId: await newSpace(world) },
  })),
  updateSiteSpaceById: inSection({ path: 'changed' }),
  'updateSiteSpaceById@space': fresh(async world => {
    const { siteId, siteSpaceId } = await newSection(world)
    return { ids: { siteId, siteSpaceId }, body: { spaceId: await newSpace(world) } }
  }),
  duplicateSiteSpace: inSection(),
  deleteSiteSpaceById: inSection(),
  moveSiteSpace: siteSpaceFirst,
}
