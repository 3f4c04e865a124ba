import { listOrganizations } from '../../store/people/organizations.ts'
import type { Store } from '../../store/store.ts'
import { type Happening, recordEvent } from './record-event.ts'

/** The most organizations that are told of what happened to one user. */
const mostOrganizations = 1000

/**
 * Writes down what happened to a user or to what is theirs alone, in every organization they belong to: its admins want
 * to know. Inside the transaction that makes it happen.
 */
export function recordUserEvent(
  store: Store,
  userId: string,
  event: Omit<Happening, 'organizationId' | 'spaceId'>,
): void {
  for (const { id } of listOrganizations(store, userId, mostOrganizations))
    recordEvent(store, { ...event, organizationId: id })
}
