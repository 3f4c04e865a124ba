import type { SpaceRow } from '../../store/tables/rows.ts'
import type { Doer } from '../events/record-event.ts'
import type { Effect } from './effects.ts'

/** What has another revision now: a space, or one of its change requests. */
export type MovedContent = {
  space: Pick<SpaceRow, 'id' | 'organization_id'>
  changeRequestId?: string | undefined
  revision: string
  from: string | null
  /** As ISO 8601 has it. */
  at: string
}

/** The effect that records that content has another revision, with what else there is to know of it. */
export const contentMoved = (
  { space, changeRequestId, revision, from, at }: MovedContent,
  by: Doer,
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
