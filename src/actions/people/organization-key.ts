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
import type { EventActor } from '../events/audit-event.ts'
import { recordEvent } from '../events/record-event.ts'

/** The algorithm of organization keys. */
export const keyAlgorithm = 'EdDSA'

/** How long a signature is valid, in seconds. */
export const vouchSeconds = 3600

/**
 * How long a former key stays published, in milliseconds: until its last signatures expire, with
 * five minutes for clock skew.
 */
const retiredMs = (vouchSeconds + 300) * 1000

/** A public key as the key set lists it. */
export type PublicJwk = OrganizationKeyRow['public_jwk']

/**
 * Returns an organization's private signing key, sealed in the database. It is created when first
 * needed, and again if the server's key has changed, which makes the stored one unreadable.
 */
export async function signingKey(ctx: Context, organizationId: string): Promise<JWK> {
  const row = findOrganizationKey(ctx.store, organizationId)
  if (row) {
    try {
      return openKey(ctx, row)
    } catch {
      // Its signatures can no longer be checked, but they expire within an hour.
      forgetOrganizationKey(ctx.store, row)
    }
  }

  // Of two keys created at the same time, one is kept.
  return openKey(ctx, keepOrganizationKey(ctx.store, await makeKey(ctx, organizationId)))
}

/**
 * Returns the public keys that check an organization's signatures, the current one first; undefined
 * if it never signed.
 */
export function publicKeys(ctx: Context, organizationId: string): PublicJwk[] | undefined {
  const row = findOrganizationKey(ctx.store, organizationId)
  if (!row) return undefined
  return [row.public_jwk, ...retiredOf(ctx, row).map(({ jwk }) => jwk)]
}

/**
 * Replaces an organization's signing key. The former key stays published for a little over an hour,
 * so that its signatures can be checked until they expire. Returns the ids of the new key and of
 * the former one, if any.
 */
export async function rotateOrganizationKey(
  ctx: Context,
  organizationId: string,
  by: EventActor,
  check: () => void = () => {},
): Promise<{ kid: string; former?: string }> {
  const made = await makeKey(ctx, organizationId)
  const { kid } = made.public_jwk
  return ctx.store.transact(() => {
    check()
    const now = ctx.now()
    const row = findOrganizationKey(ctx.store, organizationId)
    const old = row?.public_jwk
    const retired = row ? retiredOf(ctx, row) : []
    if (old) retired.unshift({ jwk: old, until: new Date(now.getTime() + retiredMs).toISOString() })
    replaceOrganizationKey(ctx.store, { ...made, retired })
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

function retiredOf(ctx: Context, { retired }: OrganizationKeyRow): OrganizationKeyRow['retired'] {
  const now = ctx.now().toISOString()
  return retired.filter(({ until }) => until > now)
}

const openKey = (ctx: Context, { sealed }: OrganizationKeyRow): JWK =>
  JSON.parse(ctx.keys.open('organization key', sealed)) as JWK

async function makeKey(ctx: Context, organizationId: string): Promise<OrganizationKeyRow> {
  const options = { crv: 'Ed25519', extractable: true } as const
  const { privateKey, publicKey } = await generateKeyPair(keyAlgorithm, options)
  const kid = randomId()
  const shown = { ...(await exportJWK(publicKey)), kid, alg: keyAlgorithm, use: 'sig' }

  return {
    organization_id: organizationId,
    public_jwk: shown as PublicJwk,
    sealed: ctx.keys.seal(
      'organization key',
      JSON.stringify({ ...(await exportJWK(privateKey)), kid }),
    ),
    created_at: ctx.now().toISOString(),
    retired: [],
  }
}
