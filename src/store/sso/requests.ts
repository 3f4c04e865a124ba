import { noLimit } from '../dialect.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { SsoRequestRow } from '../tables/rows.ts'

const ssoRequests = new Rows('sso_request')

/** Inserts a sign-in that begins. */
export const insertRequest = ssoRequests.insert

/** Returns a sign-in under way of a provider that has not expired. */
export const findRequest = (
  store: Store,
  providerId: string,
  id: string,
  at: string,
): SsoRequestRow | undefined =>
  store.get(
    query
      .selectFrom('sso_request')
      .selectAll()
      .where('id', '=', id)
      .where('provider_id', '=', providerId)
      .where('expires_at', '>', at),
  )

/**
 * Deletes a sign-in under way of a provider. Returns its row; undefined if there is none, or it has
 * expired.
 */
export const takeRequest = (
  store: Store,
  providerId: string,
  id: string,
  at: string,
): SsoRequestRow | undefined =>
  store.get(
    query
      .deleteFrom('sso_request')
      .where('id', '=', id)
      .where('provider_id', '=', providerId)
      .where('expires_at', '>', at)
      .returningAll(),
  )

/** Deletes the oldest sign-ins under way except for the latest `kept`. */
export function deleteOldestRequests(store: Store, kept: number): void {
  const older = query
    .selectFrom('sso_request')
    .select('id')
    .orderBy('expires_at', 'desc')
    .limit(noLimit)
    .offset(kept)
  store.run(query.deleteFrom('sso_request').where('id', 'in', older))
}
