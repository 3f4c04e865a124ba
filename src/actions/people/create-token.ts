import { randomBytes } from 'node:crypto'
import { fullScopes, scopes as knownScopes, type Scope } from '../../access/scopes.ts'
import { invalid } from '../../errors.ts'
import { base62, randomId, sha256 } from '../../lib/digest.ts'
import { copyRefusals } from '../../store/people/organization-tokens.ts'
import { insertToken } from '../../store/people/tokens.ts'
import type { Store } from '../../store/store.ts'
import type { TokenRow } from '../../store/tables/rows.ts'

export type NewToken = {
  userId: string
  name: string
  expiresAt?: string | null
  /** The token's scopes; all by default. */
  scopes?: readonly string[] | undefined
  /** The only organization or space that the token can reach; null: no limit. */
  organizationId?: string | null
  spaceId?: string | null
  /** The token that creates it, which must allow all of the above. */
  parent?: TokenRow | undefined
  /** The identity provider that it came through; by default that of `parent`. */
  providerId?: string | null
  secret?: string | undefined
}

/**
 * Creates a token for a user. The secret is returned once and never stored, only its SHA-256.
 * Throws 'invalid' for an unknown scope. Call inside a transaction.
 */
export function createToken(
  store: Store,
  {
    userId,
    name,
    expiresAt = null,
    scopes = fullScopes,
    organizationId = null,
    spaceId = null,
    parent,
    providerId = parent?.provider_id ?? null,
    secret = `stm_${base62(randomBytes(32), 43)}`,
  }: NewToken,
  at: Date,
): { row: TokenRow; secret: string } {
  const created = at.toISOString()
  const lifetime = expiresAt === null ? null : Date.parse(expiresAt) - at.getTime()
  const row = insertToken(store, {
    id: randomId(),
    user_id: userId,
    name,
    hash: sha256(secret),
    created_at: created,
    expires_at: expiresAt,
    scopes: checkScopes(scopes),
    organization_id: organizationId,
    space_id: spaceId,
    parent_id: parent?.id ?? null,
    provider_id: providerId,
    lifetime_ms: parent ? longer(lifetime, parent.lifetime_ms) : lifetime,
  })
  if (parent) copyRefusals(store, parent.id, row.id)

  return { row, secret }
}

/** Returns the longer of two lifetimes; null never ends. */
const longer = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : Math.max(one, other)

function checkScopes(given: readonly string[]): Scope[] {
  const unknown = given.find(scope => !(knownScopes as readonly string[]).includes(scope))
  if (given.length === 0 || unknown !== undefined)
    throw invalid(
      `${unknown === undefined ? 'A token needs at least one scope' : `Unknown scope "${unknown.slice(0, 50)}"`}. The scopes are ${knownScopes.join(', ')}.`,
    )
  return [...new Set(given as readonly Scope[])]
}
