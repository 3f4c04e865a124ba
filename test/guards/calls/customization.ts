import { defaultSettings } from '../../../src/content/customization/defaults.ts'
import { updateSiteSpace } from '../../../src/store/sites/site-spaces.ts'
import { readStructure } from '../../../src/store/sites/structure.ts'
import { another, type World } from '../world.ts'
import { type Calls, fresh } from './call.ts'
import { newSite } from './sites.ts'

/** A site with its site space. */
async function newSiteSpace(world: World) {
  const ids = await newSite(world)
  const { siteSpaces } = readStructure(world.app.ctx.store, ids.siteId)
  return { ...ids, siteSpaceId: siteSpaces[0]?.id as string }
}

/** Customization of sites. */
export const customization: Calls = {
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
    updateSiteSpace(world.app.ctx.store, ids.siteSpaceId, { override: { title: 'Overridden' } })
    return { ids }
  }),
}
