import { updateSite } from '../../../src/store/sites/sites.ts'
import { another, must, newChangeRequest, newSpace, type World } from '../world.ts'
import { type Calls, fresh } from './call.ts'

/**
 * A site that shows a new space of the world's collection, so that readers of the collection see
 * it.
 */
export async function newSite(world: World, settings: object = {}) {
  const { by, ids } = world
  const spaceId = await newSpace(world)
  const site = await must(by, 'POST', `/orgs/${ids.organizationId}/sites`, {
    title: another('Site'),
    spaces: [spaceId],
    ...settings,
  })
  return { siteId: site.id as string, spaceId }
}

const newTeam = async ({ by, ids }: World): Promise<string> =>
  (await must(by, 'PUT', `/orgs/${ids.organizationId}/teams`, { title: another('Team') })).id

/** A site with a space that has a change request. */
async function newPreview(world: World) {
  const made = await newSite(world)
  return { ...made, changeRequestId: await newChangeRequest(world, made.spaceId) }
}

async function newPreviewLink(world: World) {
  const made = await newPreview(world)
  const path = `/spaces/${made.spaceId}/change-requests/${made.changeRequestId}/preview-links`
  const { id } = await must(world.by, 'POST', path, {})
  return { ...made, previewLinkId: id as string }
}

const withHostname = fresh(async world => {
  const { siteId } = await newSite(world)
  const hostname = `${another('docs')}.example.org`
  updateSite(world.app.ctx.store, siteId, { hostname })
  return { ids: { hostname } }
})

/** Gives users or teams a role on a site. */
const give = ({ by, ids }: World, siteId: string, subjects: object) =>
  must(by, 'POST', `/orgs/${ids.organizationId}/sites/${siteId}/permissions`, {
    role: 'edit',
    ...subjects,
  })

/**
 * The published site of `makeReader`, so that its reader is admitted; a new one where there is
 * none.
 */
export const published = async (world: World) => ({
  ids: world.ids.siteId === undefined ? await newSite(world) : { siteId: world.ids.siteId },
})

/** Sites. */
export const sites: Calls = {
  listPreviewLinksOfChangeRequest: fresh(async world => ({ ids: await newPreviewLink(world) })),
  createPreviewLinkOfChangeRequest: fresh(async world => ({ ids: await newPreview(world) })),
  deletePreviewLinkOfChangeRequest: fresh(async world => ({ ids: await newPreviewLink(world) })),
  listPreviewLinksOfSite: fresh(async world => ({ ids: await newPreviewLink(world) })),
  createSite: fresh(() => ({ body: { title: another('Site') } })),
  getSiteById: fresh(async world => ({ ids: await newSite(world) })),
  getPublishedContentSite: { make: published },
  updateSiteById: fresh(async world => ({
    ids: await newSite(world),
    body: { title: another('Other') },
  })),
  'updateSiteById@admin': fresh(async world => ({
    ids: await newSite(world),
    body: { title: another('Other'), visibility: 'unlisted' },
  })),
  deleteSiteById: fresh(async world => ({ ids: await newSite(world) })),
  publishSite: fresh(async world => ({ ids: await newSite(world) })),
  unpublishSite: fresh(async world => {
    const ids = await newSite(world)
    await must(world.by, 'POST', `/orgs/${world.ids.organizationId}/sites/${ids.siteId}/publish`)
    return { ids }
  }),
  getSubdomain: fresh(async ({ by, ids }) => {
    await must(by, 'PATCH', `/orgs/${ids.organizationId}`, {
      hostname: `${ids.organizationId}-docs`,
    })
    return { ids: { subdomain: `${ids.organizationId}-docs` } }
  }),
  getCustomHostname: withHostname,
  dnsRevalidateCustomHostname: withHostname,
  removeCustomHostname: withHostname,
  inviteToSite: fresh(async world => ({
    ids: await newSite(world),
    body: { role: 'edit', users: [world.fellow] },
  })),
  listPermissionsAggregateInSite: fresh(async world => ({ ids: await newSite(world) })),
  listUserPermissionsInSite: fresh(async world => ({ ids: await newSite(world) })),
  updateUserPermissionInSite: fresh(async world => ({
    ids: { ...(await newSite(world)), userId: world.fellow },
    body: { role: 'edit' },
  })),
  removeUserFromSite: fresh(async world => {
    const ids = await newSite(world)
    await give(world, ids.siteId, { users: [world.fellow] })
    return { ids: { ...ids, userId: world.fellow } }
  }),
  listTeamPermissionsInSite: fresh(async world => ({ ids: await newSite(world) })),
  updateTeamPermissionInSite: fresh(async world => ({
    ids: { ...(await newSite(world)), teamId: await newTeam(world) },
    body: { role: 'edit' },
  })),
  removeTeamFromSite: fresh(async world => {
    const ids = await newSite(world)
    const teamId = await newTeam(world)
    await give(world, ids.siteId, { teams: [teamId] })
    return { ids: { ...ids, teamId } }
  }),
}
