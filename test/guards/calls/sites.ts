import { another, must, newSpace, type World } from '../world.ts'
import { type Calls, fresh } from './call.ts'

/** A site that shows a new space of the world's collection, so that readers of the collection see it. */
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

/** Sites. */
export const sites: Calls = {
  createSite: fresh(() => ({ body: { title: another('Site') } })),
  getSiteById: fresh(async world => ({ ids: await newSite(world) })),
  updateSiteById: fresh(async world => ({ ids: await newSite(world), body: { title: another('Other') } })),
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
}
