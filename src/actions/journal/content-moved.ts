import type { Oid } from '../../lib/oid.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import type { EventActor } from '../events/audit-event.ts'
import type { Effect } from './effects.ts'

/** A space, or one of its change requests, whose head has moved. */
type MovedContent = {
  space: Pick<SpaceRow, 'id' | 'organization_id'>
  changeRequestId?: string | undefined
  revision: Oid
  from: string | null
  /** ISO 8601. */
  at: string
}

/**
 * Returns the effect that records the new head of a space or change request; `more` is added to the
 * event's details.
 */
export const contentMoved = (
  { space, changeRequestId, revision, from, at }: MovedContent,
  by: EventActor,
  more: Record<string, unknown> = {},
): Effect => ({
  do: 'record-event',
  event: {
    action: changeRequestId ? 'change_request.content_updated' : 'space.content_updated',
    organizationId: space.organization_id,
    ...by,
    target: changeRequestId
      ? { kind: 'change-request', id: changeRequestId }
      : { kind: 'space', id: space.id },
    spaceId: space.id,
    details: { revision, from, ...more },
    at,
  },
})
