import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import type { Context } from '../../context.ts'
import { randomId } from '../../lib/digest.ts'
import { listTeamIds } from '../../store/members.ts'
import {
  findOrganizationKey,
  keepOrganizationKey,
  type OrganizationKeyRow,
} from '../../store/organization-keys.ts'
import type { MemberRow, UserRow } from '../../store/rows.ts'

const algorithm = 'EdDSA'
const hour = 3600

/**
 * A JWT, good for an hour, in which an organization says who a member of it is. The organization's key is made when it is
 * first needed; its private half is kept sealed.
 */
export async function vouchFor(ctx: Context, member: MemberRow, user: UserRow): Promise<string> {
  const row = findOrganizationKey(ctx.store, member.organization_id) ?? (await makeKey(ctx, member))
  const { kid } = JSON.parse(row.public_jwk) as JWK
  const key = await importJWK(JSON.parse(ctx.keys.open(row.sealed)) as JWK, algorithm)
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

async function makeKey(ctx: Context, { organization_id }: MemberRow): Promise<OrganizationKeyRow> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { crv: 'Ed25519', extractable: true })
  const kid = randomId()
  const shown = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' }
  // Of two that are made at the same time, one is kept.
  return keepOrganizationKey(ctx.store, {
    organization_id,
    public_jwk: JSON.stringify(shown),
    sealed: ctx.keys.seal(JSON.stringify({ ...(await exportJWK(privateKey)), kid })),
    created_at: ctx.now().toISOString(),
  })
}
