import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import type { Context } from '../../context.ts'
import { randomId } from '../../lib/digest.ts'
import { listTeamIds } from '../../store/members.ts'
import {
  findOrganizationKey,
  forgetOrganizationKey,
  keepOrganizationKey,
  type OrganizationKeyRow,
} from '../../store/organization-keys.ts'
import type { MemberRow, UserRow } from '../../store/rows.ts'

const algorithm = 'EdDSA'
const hour = 3600

/**
 * A JWT, good for an hour, in which an organization says who a member of it is. The organization's key is made when it is
 * first needed, and anew when the server's secret is another one by now; its private half is kept sealed.
 */
export async function vouchFor(ctx: Context, member: MemberRow, user: UserRow): Promise<string> {
  const jwk = findKey(ctx, member) ?? (await makeKey(ctx, member))
  const { kid } = jwk
  const key = await importJWK(jwk, algorithm)
  const now = Math.floor(ctx.now().getTime() / 1000)
  const claims = {
    name: user.display_name,
    ...(user.email !== null && { email: user.email }),
    role: member.role,
    teams: listTeamIds(ctx.store, member.organization_id, user.id),
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(kid !== undefined && { kid }) })
    .setIssuer(ctx.publicUrl())
    .setAudience(member.organization_id)
    .setSubject(user.id)
    .setIssuedAt(now)
    .setExpirationTime(now + hour)
    .sign(key)
}

/** The private key of an organization; undefined when there is none that can be used. */
function findKey(ctx: Context, { organization_id }: MemberRow): JWK | undefined {
  const row = findOrganizationKey(ctx.store, organization_id)
  if (!row) return undefined
  try {
    return openKey(ctx, row)
  } catch {
    // What it signed before can be checked by nobody then: it is good for an hour anyway.
    forgetOrganizationKey(ctx.store, row)
    return undefined
  }
}

const openKey = (ctx: Context, { sealed }: OrganizationKeyRow): JWK =>
  JSON.parse(ctx.keys.open(sealed)) as JWK

async function makeKey(ctx: Context, { organization_id }: MemberRow): Promise<JWK> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { crv: 'Ed25519', extractable: true })
  const kid = randomId()
  const shown = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' }
  // Of two that are made at the same time, one is kept.
  const kept = keepOrganizationKey(ctx.store, {
    organization_id,
    public_jwk: JSON.stringify(shown),
    sealed: ctx.keys.seal(JSON.stringify({ ...(await exportJWK(privateKey)), kid })),
    created_at: ctx.now().toISOString(),
  })
  return openKey(ctx, kept)
}
