import { randomBytes } from 'node:crypto'
import { base62, randomId, sha256 } from '../lib/digest.ts'
import type { TokenRow } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { insertToken } from '../store/tokens.ts'

export type NewToken = {
  userId: string
  name: string
  expiresAt?: string | null
  secret?: string | undefined
}

/** Makes a token for a user. The secret is given once and never stored: only its SHA-256 is. */
export function createToken(
  store: Store,
  { userId, name, expiresAt = null, secret = `stm_${base62(randomBytes(32), 43)}` }: NewToken,
  at: Date,
): { row: TokenRow; secret: string } {
  const row = insertToken(store, {
    id: randomId(),
    user_id: userId,
    name,
    hash: sha256(secret),
    created_at: at.toISOString(),
    expires_at: expiresAt,
  })
  return { row, secret }
}
