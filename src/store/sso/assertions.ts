import type { Store } from '../store.ts'
import { query } from '../store.ts'

/**
 * Records the id of an accepted assertion until a time. Returns false without changes for one that
 * was recorded before.
 */
export const insertAssertion = (
  store: Store,
  providerId: string,
  { id, expiresAt }: { id: string; expiresAt: string },
): boolean =>
  store.run(
    query
      .insertInto('sso_assertion')
      .values({ provider_id: providerId, assertion_id: id, expires_at: expiresAt })
      .onConflict(conflict => conflict.doNothing()),
  ) > 0
