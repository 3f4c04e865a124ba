import { another, must, type World } from '../world.ts'
import { type Calls, fresh } from './call.ts'
import { newSite } from './sites.ts'

async function newShareLink(world: World) {
  const made = await newSite(world)
  const { id } = await must(
    world.by,
    'POST',
    `/orgs/${world.ids.organizationId}/sites/${made.siteId}/share-links`,
    { name: another('Link') },
  )
  return { ...made, shareLinkId: id as string }
}

/** The audience of sites: share links, sign-in of visitors, claims. */
export const audience: Calls = {
  listSiteShareLinks: fresh(async world => ({ ids: await newShareLink(world) })),
  createSiteShareLink: fresh(async world => ({ ids: await newSite(world), body: { name: another('Link') } })),
  updateSiteShareLinkById: fresh(async world => ({
    ids: await newShareLink(world),
    body: { name: another('Renamed') },
  })),
  deleteSiteShareLinkById: fresh(async world => ({ ids: await newShareLink(world) })),
}
