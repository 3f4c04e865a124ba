import { sql } from 'kysely'
import { among } from '../dialect.ts'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'
import type { ChangeRequestStatus } from '../tables/discussions.ts'

/**
 * Returns the ids of the spaces in which a user takes part: with change requests of these
 * statuses, with reviews that are asked of them, and with comments and replies.
 */
export const listSpacesOfParticipant = (
  store: Store,
  userId: string,
  statuses: readonly ChangeRequestStatus[],
): string[] =>
  store
    .all(
      sqlRows<{ id: string }>(sql`
        select space_id as id from change_request
          where created_by = ${userId} and status in ${among(statuses)}
        union select asked.space_id from requested_reviewer asked
          cross join change_request request
          where asked.user_id = ${userId} and request.id = asked.change_request_id and request.status = 'open'
        union select space_id from commenter where user_id = ${userId}`),
    )
    .map(({ id }) => id)
