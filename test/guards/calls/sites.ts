import { defaultSettings } from '../../../src/api/customization/defaults.ts'
import { updateSiteSpace } from '../../../src/store/sites/site-spaces.ts'
import { readStructure } from '../../../src/store/sites/structure.ts'
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

/** A site with its site space. */
async function newSiteSpace(world: World) {
  const ids = await newSite(world)
  const { siteSpaces } = readStructure(world.app.ctx.store, ids.siteId)
  return { ...ids, siteSpaceId: siteSpaces[0]?.id as string }
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
  getSiteCustomizationById: fresh(async world => ({ ids: await newSite(world) })),
  updateSiteCustomizationById: fresh(async world => ({
    ids: await newSite(world),
    body: { ...defaultSettings, title: another('Title') },
  })),
  getSiteSpaceCustomizationById: fresh(async world => ({ ids: await newSiteSpace(world) })),
  overrideSiteSpaceCustomizationById: fresh(async world => ({
    ids: await newSiteSpace(world),
    body: { title: another('Title') },
  })),
  deleteSiteSpaceCustomizationById: fresh(async world => {
    const ids = await newSiteSpace(world)
    updateSiteSpace(world.app.ctx.store, ids.siteSpaceId, { override: '{"title":"Overridden"}' })
    return { ids }
  }),
}
