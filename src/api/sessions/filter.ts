import type { Reach } from '../../context.ts'
import type { SessionFilter } from '../../store/sso/sessions.ts'

/**
 * Returns the sessions of a user that a token may list and end: those limited to its organization
 * if it is limited to one, those opened with it if it is limited to a space.
 */
export function sessionsWithin(reach: Reach | undefined, userId: string): SessionFilter {
  if (reach === undefined) return { userId }
  if (reach.spaceId !== null) return { userId, tokenId: reach.tokenId }
  return { userId, ...(reach.organizationId !== null && { organizationId: reach.organizationId }) }
}
