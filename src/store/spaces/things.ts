import type { Kind } from '../people/roles-of-user.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import { listCollectionsBelow, listSpacesBelow } from './collections.ts'

type Ids = Record<Kind, string[]>

/**
 * Returns the ids of a space, or of a collection with its contents at any depth, including deleted
 * spaces.
 */
export const listThingsBelow = (store: Store, { kind, id }: { kind: Kind; id: string }): Ids =>
  kind === 'space'
    ? { space: [id], collection: [] }
    : {
        space: listSpacesBelow(store, id).map(row => row.id),
        collection: listCollectionsBelow(store, id),
      }

/** Returns the ids of all spaces and collections of an organization, including deleted spaces. */
export function listThingsOf(store: Store, organizationId: string): Ids {
  const ids = (kind: Kind) =>
    store
      .all(query.selectFrom(kind).select('id').where('organization_id', '=', organizationId))
      .map(row => row.id)
  return { space: ids('space'), collection: ids('collection') }
}

/** Returns the ids of the users in a team. */
export const listTeamUserIds = (store: Store, teamId: string): string[] =>
  store
    .all(query.selectFrom('team_member').select('user_id').where('team_id', '=', teamId))
    .map(row => row.user_id)
