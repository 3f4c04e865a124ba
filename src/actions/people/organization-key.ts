import { exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Context } from '../../context.ts'
import { randomId } from '../../lib/digest.ts'
import {
  findOrganizationKey,
  forgetOrganizationKey,
  keepOrganizationKey,
  type OrganizationKeyRow,
  replaceOrganizationKey,
} from '../../store/people/organization-keys.ts'
import { type Doer, recordEvent } from '../events/record-event.ts'

/** How an organization signs. */
export const keyAlgorithm = 'EdDSA'

/** How long what an organization has signed is good, in seconds. */
export const vouchSeconds = 3600

/** How long a former key is shown, in milliseconds: until what it signed is over, by any clock that is about right. */
const retiredMs = (vouchSeconds + 300) * 1000

type Retired = { jwk: JWK; until: string }

/** A key as the set of public keys shows it. */
export type PublicJwk = JWK & { kty: string; kid: string; alg: string; use: string }

/**
 * Returns the private key with which an organization signs. It is made when it is first needed, and anew when the server's key
 * is another one by now; it is kept sealed.
 */
export async function signingKey(ctx: Context, organizationId: string): Promise<JWK> {
  const row = findOrganizationKey(ctx.store, organizationId)
  if (row) {
    try {
      return openKey(ctx, row)
    } catch {
      // What it signed before cannot be checked then: it is good for an hour anyway.
      forgetOrganizationKey(ctx.store, row)
    }
  }
  // Of two that are made at the same time, one is kept.
  return openKey(ctx, keepOrganizationKey(ctx.store, await makeKey(ctx, organizationId)))
}

/** Returns the public keys that check what an organization signs: that of now first. Undefined before it signed anything. */
export function publicKeys(ctx: Context, organizationId: string): PublicJwk[] | undefined {
  const row = findOrganizationKey(ctx.store, organizationId)
  if (!row) return undefined
  return [JSON.parse(row.public_jwk), ...retiredOf(ctx, row).map(({ jwk }) => jwk)] as PublicJwk[]
}

/**
 * Gives an organization a new key, which signs from now on. The former one is shown for a little more than an hour, so that
 * what it signed can be checked to its end. Returns the ids of the new key and, where there was one, of the former.
 */
export async function rotateOrganizationKey(
  ctx: Context,
  organizationId: string,
  by: Doer,
  check: () => void = () => {},
): Promise<{ kid: string; former?: string }> {
  const made = await makeKey(ctx, organizationId)
  const { kid } = JSON.parse(made.public_jwk) as PublicJwk
  return ctx.store.transact(() => {
    check()
    const now = ctx.now()
    const row = findOrganizationKey(ctx.store, organizationId)
    const old = row && (JSON.parse(row.public_jwk) as PublicJwk)
    const retired: Retired[] = row ? retiredOf(ctx, row) : []
    if (old) retired.unshift({ jwk: old, until: new Date(now.getTime() + retiredMs).toISOString() })
    replaceOrganizationKey(ctx.store, { ...made, retired: JSON.stringify(retired) })
    recordEvent(ctx.store, {
      action: 'organization.updated',
      organizationId,
      ...by,
      target: { kind: 'organization', id: organizationId },
      details: { signingKey: { before: old?.kid ?? null, after: kid } },
      at: now.toISOString(),
    })
    return { kid, ...(old && { former: old.kid }) }
  })
}

const retiredOf = (ctx: Context, { retired }: OrganizationKeyRow): Retired[] => {
  const now = ctx.now().toISOString()
  return (JSON.parse(retired) as Retired[]).filter(({ until }) => until > now)
}

const openKey = (ctx: Context, { sealed }: OrganizationKeyRow): JWK =>
  JSON.parse(ctx.keys.open(sealed)) as JWK

async function makeKey(ctx: Context, organizationId: string): Promise<OrganizationKeyRow> {
  const options = { crv: 'Ed25519', extractable: true } as const
  const { privateKey, publicKey } = await generateKeyPair(keyAlgorithm, options)
  const kid = randomId()
  const shown = { ...(await exportJWK(publicKey)), kid, alg: keyAlgorithm, use: 'sig' }
  return {
    organization_id: organizationId,
    public_jwk: JSON.stringify(shown),
    sealed: ctx.keys.seal(JSON.stringify({ ...(await exportJWK(privateKey)), kid })),
    created_at: ctx.now().toISOString(),
    retired: '[]',
  }
}
