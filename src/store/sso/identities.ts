import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { SsoIdentityRow } from '../tables/rows.ts'

/** Returns the identity of a subject of a provider. */
export const findIdentity = (
  store: Store,
  providerId: string,
  subject: string,
): SsoIdentityRow | undefined =>
  store.get(
    query
      .selectFrom('sso_identity')
      .selectAll()
      .where('provider_id', '=', providerId)
      .where('subject', '=', subject),
  )

/** Returns whether a user has signed in through a provider before. */
export const hasIdentity = (store: Store, providerId: string, userId: string): boolean =>
  store.get(
    query
      .selectFrom('sso_identity')
      .select('subject')
      .where('provider_id', '=', providerId)
      .where('user_id', '=', userId)
      .limit(1),
  ) !== undefined

/** Inserts an identity. */
export const insertIdentity = (store: Store, row: SsoIdentityRow): number =>
  store.run(query.insertInto('sso_identity').values(row))

/** Records a sign-in of an identity. */
export const updateIdentity = (
  store: Store,
  { provider_id, subject }: Pick<SsoIdentityRow, 'provider_id' | 'subject'>,
  set: Pick<SsoIdentityRow, 'display_name' | 'last_login_at'>,
): number =>
  store.run(
    query
      .updateTable('sso_identity')
      .set(set)
      .where('provider_id', '=', provider_id)
      .where('subject', '=', subject),
  )
