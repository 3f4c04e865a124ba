import type { z } from 'zod'
import { site } from '../../../access/guards/site.ts'
import { recordSiteEvent } from '../../../actions/sites/record-site-event.ts'
import { newVisitorKey } from '../../../actions/sites/visitor-key.ts'
import type { Context } from '../../../context.ts'
import { invalid } from '../../../errors.ts'
import { endpoint, inTransaction } from '../../../http/endpoint.ts'
import { updateSite } from '../../../store/sites/sites.ts'
import { findVisitorAuth, updateVisitorAuth } from '../../../store/sites/visitor-auth.ts'
import type { SiteRow, SiteVisitorAuthRow } from '../../../store/tables/rows.ts'
import { SitePath } from '../schema.ts'
import { readFallback } from './read-fallback.ts'
import { PublishingAuth, PublishingAuthPatch } from './schema.ts'

const present = (ctx: Context, row: SiteVisitorAuthRow): z.input<typeof PublishingAuth> => ({
  object: 'publishing-auth',
  backend: row.backend,
  ...(row.integration !== null && { integration: row.integration }),
  privateKey: ctx.keys.open('visitor key', row.key_sealed),
  ...(row.fallback_url !== null && { fallbackURL: row.fallback_url }),
})

const authOf = (ctx: Context, { id }: SiteRow): SiteVisitorAuthRow =>
  findVisitorAuth(ctx.store, id) as SiteVisitorAuthRow

export const getSitePublishingAuthById = endpoint({
  operationId: 'getSitePublishingAuthById',
  summary: 'Get how visitors of a site sign in',
  description:
    'Returns how visitors sign in, with the key that signs visitor tokens. Requires the role "admin" on the site.',
  params: SitePath,
  reply: PublishingAuth,
  access: site('admin'),
  handle: ({ ctx, site: row }) => present(ctx, authOf(ctx, row)),
})

export const updateSitePublishingAuthById = endpoint({
  operationId: 'updateSitePublishingAuthById',
  summary: 'Change how visitors of a site sign in',
  description:
    'Properties that are left out stay unchanged. Requires the role "admin" on the site.',
  params: SitePath,
  body: PublishingAuthPatch,
  reply: PublishingAuth,
  access: site('admin'),
  handle: ({ ctx, body, by }) => {
    if (body.backend === 'integration' || body.integration !== undefined)
      throw invalid(
        'No integration that signs visitors in is installed on the site. Use the backend "custom".',
      )
    return inTransaction(({ site: row }) => {
      const before = authOf(ctx, row)
      const { backend, fallbackURL } = body
      const set = {
        ...(backend !== undefined && { backend }),
        ...(fallbackURL !== undefined && {
          fallback_url: fallbackURL && readFallback(ctx, row, fallbackURL),
        }),
      }
      const changed = (Object.keys(set) as (keyof typeof set)[]).filter(
        name => set[name] !== before[name],
      )
      if (changed.length === 0) return present(ctx, before)

      const after = updateVisitorAuth(ctx.store, row.id, {
        ...set,
        updated_at: ctx.now().toISOString(),
      })

      recordSiteEvent(ctx, row, 'visitor_auth.updated', by, {
        changed: changed.map(name => (name === 'fallback_url' ? 'fallbackURL' : name)),
      })

      return present(ctx, after as SiteVisitorAuthRow)
    })
  },
})

export const regenerateSitePublishingAuthById = endpoint({
  operationId: 'regenerateSitePublishingAuthById',
  summary: 'Replace the key of visitor tokens',
  description:
    'Replaces the key that signs visitor tokens. Visitor tokens that were signed with the former key, and all reading tokens, stop working immediately. The answer contains the new key, so the operation accepts no Idempotency-Key. Requires the role "admin" on the site.',
  params: SitePath,
  reply: PublishingAuth,
  access: site('admin'),
  unstored: 'the key of visitor tokens is not stored in answers.',
  write: ({ ctx, site: row, by }) => {
    const at = ctx.now().toISOString()
    const after = updateVisitorAuth(ctx.store, row.id, {
      key_sealed: newVisitorKey(ctx),
      key_version: authOf(ctx, row).key_version + 1,
      updated_at: at,
    })

    updateSite(ctx.store, row.id, { access_version: row.access_version + 1 })
    recordSiteEvent(ctx, row, 'visitor_auth.key_regenerated', by)

    return present(ctx, after as SiteVisitorAuthRow)
  },
})
