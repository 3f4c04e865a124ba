import { another, must, type World } from '../world.ts'
import { type Calls, fresh } from './call.ts'
import { newSite } from './sites.ts'

const redirect = () => ({
  source: `/${another('old').replaceAll(' ', '-')}`,
  destination: { kind: 'external', url: 'https://example.org/new' },
})

/** A site that the reader of the world reads, if there is a reader. */
async function readSite(world: World) {
  const { siteId } = world.ids
  return siteId === undefined ? newSite(world) : { siteId }
}

async function newRedirect(world: World, made: { siteId: string }) {
  const body = redirect()
  const path = `/orgs/${world.ids.organizationId}/sites/${made.siteId}/redirects`
  const { id } = await must(world.by, 'POST', path, body)
  return { ids: { ...made, siteRedirectId: id as string }, query: `?source=${body.source}` }
}

/** The redirects of sites, and searches in them. */
export const redirects: Calls = {
  listSiteRedirects: fresh(async world => ({
    ids: (await newRedirect(world, await newSite(world))).ids,
  })),
  createSiteRedirect: fresh(async world => ({ ids: await newSite(world), body: redirect() })),
  bulkUpsertSiteRedirects: fresh(async world => ({
    ids: await newSite(world),
    body: { redirects: [redirect()] },
  })),
  updateSiteRedirectById: fresh(async world => ({
    ids: (await newRedirect(world, await newSite(world))).ids,
    body: { source: redirect().source },
  })),
  deleteSiteRedirectById: fresh(async world => ({
    ids: (await newRedirect(world, await newSite(world))).ids,
  })),
  getSiteRedirectBySource: fresh(async world => newRedirect(world, await readSite(world))),
  searchSiteContent: fresh(async world => ({
    ids: await readSite(world),
    body: { query: 'page', scope: { mode: 'all' } },
  })),
}
