import type { Store } from '../../store/store.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { type Happening, recordEvent } from './record-event.ts'

/** Writes down what happened to a space itself, for its organization, inside the transaction that makes it happen. */
export const recordSpaceEvent = (
  store: Store,
  { id, organization_id: organizationId }: Pick<SpaceRow, 'id' | 'organization_id'>,
  event: Omit<Happening, 'organizationId' | 'target' | 'spaceId'>,
): void => recordEvent(store, { ...event, organizationId, target: { kind: 'space', id }, spaceId: id })
