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

const jsonSchema = {
  type: 'object',
  properties: { beta: { type: 'boolean', description: 'Takes part in the beta' } },
  additionalProperties: false,
}

async function newSchema(world: World) {
  const made = await newSite(world)
  await must(
    world.by,
    'PUT',
    `/orgs/${world.ids.organizationId}/sites/${made.siteId}/adaptive-schema`,
    {
      jsonSchema,
    },
  )

  return made
}

/** Returns the address of a new published site. */
async function newAddress(world: World): Promise<string> {
  const { siteId } = await newSite(world)
  const site = `/orgs/${world.ids.organizationId}/sites/${siteId}`
  return (await must(world.by, 'POST', `${site}/publish`)).urls.published
}

/** The audience of sites: share links, sign-in of visitors, claims. */
export const audience: Calls = {
  listSitePageFeedback: fresh(async world => ({ ids: await newSite(world) })),
  aggregateSiteEvents: fresh(async world => ({
    ids: await newSite(world),
    body: { range: 'last7Days', groupBy: [{ column: 'page' }] },
  })),
  trackEventsInSiteById: fresh(async world => ({
    // A reader is that of the site of the world, where it has one.
    ids: world.ids.siteId === undefined ? await newSite(world) : {},
    body: { events: [{ type: 'page_view', location: {} }] },
  })),
  listSiteShareLinks: fresh(async world => ({ ids: await newShareLink(world) })),
  createSiteShareLink: fresh(async world => ({
    ids: await newSite(world),
    body: { name: another('Link') },
  })),
  updateSiteShareLinkById: fresh(async world => ({
    ids: await newShareLink(world),
    body: { name: another('Renamed') },
  })),
  deleteSiteShareLinkById: fresh(async world => ({ ids: await newShareLink(world) })),
  getSiteAdaptiveSchema: fresh(async world => ({ ids: await newSchema(world) })),
  updateSiteAdaptiveSchema: fresh(async world => ({
    ids: await newSite(world),
    body: { jsonSchema },
  })),
  listSiteAdaptiveTemplateConditions: fresh(async world => ({ ids: await newSchema(world) })),
  getSitePublishingAuthById: fresh(async world => ({ ids: await newSite(world) })),
  updateSitePublishingAuthById: fresh(async world => ({
    ids: await newSite(world),
    body: { fallbackURL: 'https://login.example.org/' },
  })),
  regenerateSitePublishingAuthById: fresh(async world => ({ ids: await newSite(world) })),
  getSitePublishingPreviewById: fresh(async world => ({ ids: await newSite(world) })),
  resolvePublishedContentByUrl: fresh(async world => ({ body: { url: await newAddress(world) } })),
  getPublishedContentByUrl: fresh(async world => ({
    query: `?url=${encodeURIComponent(await newAddress(world))}`,
  })),
}
