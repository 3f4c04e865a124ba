import type { Context } from '../../../context.ts'
import { listAudiencesOf } from '../../../store/sites/sites.ts'
import { findSpaces, updateSpace } from '../../../store/spaces/spaces.ts'
import { type EventActor, noActor } from '../../events/audit-event.ts'
import { recordOnSpace } from '../../events/record-event.ts'

/** The audiences of sites, the widest first. */
const widestFirst = ['public', 'unlisted', 'share-link', 'visitor-auth'] as const

/**
 * Updates the visibility of spaces: the widest audience of the published sites that show a space,
 * "private" if there is none or the space is deleted. Records an event for each space whose
 * visibility changes. Call it in the transaction that publishes a site, or changes its audience or
 * its spaces, after the change.
 */
export function deriveSpaceVisibility(
  ctx: Context,
  spaceIds: readonly string[],
  by: EventActor = noActor,
): void {
  const audiences = listAudiencesOf(ctx.store, spaceIds)
  for (const row of findSpaces(ctx.store, spaceIds).values()) {
    const ofSpace = row.deleted_at === null ? audiences.get(row.id) : undefined
    const visibility = widestFirst.find(audience => ofSpace?.has(audience)) ?? 'private'
    if (visibility === row.visibility) continue
    updateSpace(ctx.store, row.id, { visibility })
    recordOnSpace(ctx, row, 'space.visibility_updated', by, {
      previousVisibility: row.visibility,
      visibility,
    })
  }
}
