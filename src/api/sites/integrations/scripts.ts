import type { Express } from 'express'
import type { z } from 'zod'
import { site } from '../../../access/guards/site.ts'
import { sitesServerBase } from '../../../actions/sites/find-site.ts'
import type { Context } from '../../../context.ts'
import { missing } from '../../../errors.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { scriptsOnSite } from '../../../integrations/scripts.ts'
import { findSite } from '../../../store/sites/sites.ts'
import type { SiteRow } from '../../../store/tables/rows.ts'
import { SitePath } from '../schema.ts'
import { type SiteScript, SiteScripts } from './schema.ts'

/** Returns the scripts that pages of a site load, as the API shows them. */
export const presentScripts = (ctx: Context, row: SiteRow): z.input<typeof SiteScript>[] =>
  scriptsOnSite(ctx, row).map(({ address, policy, cookies }) => ({
    script: address,
    ...(policy !== undefined && { contentSecurityPolicy: policy }),
    cookies,
  }))

export const listSiteIntegrationScripts = endpoint({
  operationId: 'listSiteIntegrationScripts',
  summary: 'List the scripts that pages of a site load',
  description:
    'Returns the scripts sorted by the name of their integration. The list is empty for sites with share links, and while sites have the same origin as the API.',
  params: SitePath,
  reply: SiteScripts,
  access: site('read'),
  handle: ({ ctx, site: row }) => presentScripts(ctx, row),
})

/**
 * Serves the scripts of integrations at the addresses in published profiles, on the host of sites
 * alone.
 */
export function serveScripts(app: Express, ctx: Context): void {
  app.get('/~integrations/:integrationName/:siteId/:file', (req, res) => {
    const { siteId, file } = req.params
    const row = findSite(ctx.store, siteId)
    const isAtSites = req.headers.host === new URL(sitesServerBase(ctx)).host
    const found =
      isAtSites && row?.published === 1
        ? scriptsOnSite(ctx, row).find(({ path }) => path.endsWith(req.path))
        : undefined
    if (!found) throw missing('script', file)
    res.set({
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
    })
    res.type('text/javascript').send(found.text)
  })
}
