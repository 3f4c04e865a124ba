import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { SsoIdentityRow } from '../tables/rows.ts'

const identities = new Rows('sso_identity')

/** Returns the identity of a subject of a provider. */
export const findIdentity = identities.find('provider_id', 'subject')

/** Returns whether a user has signed in through a provider before. */
export const hasIdentity = identities.has('provider_id', 'user_id')

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
