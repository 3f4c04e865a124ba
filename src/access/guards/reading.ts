import { missing } from '../../errors.ts'
import { rememberedSpace } from '../../store/spaces/spaces.ts'
import type { SiteRow, SpaceRow } from '../../store/tables/rows.ts'
import type { Access, Asker, Reader } from '../asker.ts'
import { needing } from './needing.ts'
import { type SiteGrant, type SitePath, site } from './site.ts'
import { type SpaceGrant, space } from './space.ts'

/** The site of the path, for a user or for one of its readers. */
export type ReadSite =
  | (SiteGrant & { reader?: undefined })
  | { site: SiteRow; reader: Reader; user?: undefined; role?: undefined }

/** The space of the path, for a user or for a reader of a site that shows it. */
type ReadSpace =
  | (SpaceGrant & { reader?: undefined })
  | { space: SpaceRow; reader: Reader; user?: undefined; role?: undefined }

/** Admits users with the role "read" on the site of the path, and its readers. */
export const readSite: Access<SitePath, ReadSite> = needing({ role: 'read', on: 'site' }, asker => {
  const { actor, params } = asker
  if (actor.type !== 'reader') return site('read')(asker)
  const { id, organization_id: organizationId } = actor.site
  if (params.siteId !== id || params.organizationId !== organizationId)
    throw missing('site', params.siteId)
  return { site: actor.site, reader: actor }
})

/**
 * Admits users with the role "read" in the space of the path (to a deleted one admins, with the
 * option `deleted`), and readers with the space in their token.
 */
export function readSpace(
  options: { deleted?: boolean } = {},
): Access<{ spaceId: string }, ReadSpace> {
  const forUsers = space('read', options)
  return needing({ role: 'read', on: 'space' }, asker =>
    asker.actor.type === 'reader' ? spaceOfReader(asker, asker.actor) : forUsers(asker),
  )
}

function spaceOfReader({ ctx, params }: Asker<{ spaceId: string }>, actor: Reader): ReadSpace {
  const row = actor.spaceIds.has(params.spaceId)
    ? rememberedSpace(ctx.store, params.spaceId)
    : undefined
  if (!row) throw missing('space', params.spaceId)
  return { space: row, reader: actor }
}
