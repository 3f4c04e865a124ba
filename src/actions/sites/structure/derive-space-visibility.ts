import type { Context } from '../../../context.ts'
import { listAudiencesOf } from '../../../store/sites/sites.ts'
import { findSpaces, updateSpace } from '../../../store/spaces/spaces.ts'
import type { EventActor } from '../../events/audit-event.ts'
import { recordSpaceEvent } from '../../events/record-event.ts'

/** The audiences of sites, the widest first. */
const widestFirst = ['public', 'unlisted', 'share-link', 'visitor-auth'] as const

const unknownActor: EventActor = { userId: null, origin: null }

/**
 * Updates the visibility of spaces: the widest audience of the published sites that show a space,
 * "private" if there is none or the space is deleted. Records an event for each space whose
 * visibility changes. Call it in the transaction that publishes a site, or changes its audience or
 * its spaces, after the change.
 */
export function deriveSpaceVisibility(
  ctx: Context,
  spaceIds: readonly string[],
  by: EventActor = unknownActor,
): void {
  const audiences = listAudiencesOf(ctx.store, spaceIds)
  for (const row of findSpaces(ctx.store, spaceIds).values()) {
    const ofSpace = row.deleted_at === null ? audiences.get(row.id) : undefined
    const visibility = widestFirst.find(audience => ofSpace?.has(audience)) ?? 'private'
    if (visibility === row.visibility) continue
    updateSpace(ctx.store, row.id, { visibility })
    recordSpaceEvent(ctx.store, row, {
      action: 'space.visibility_updated',
      ...by,
      details: { previousVisibility: row.visibility, visibility },
      at: ctx.now().toISOString(),
    })
  }
}
