import { importJWK, SignJWT } from 'jose'
import { keyAlgorithm, signingKey, vouchSeconds } from '../../../actions/people/organization-key.ts'
import type { Context } from '../../../context.ts'
import { listTeamIds } from '../../../store/people/members.ts'
import { emailIn } from '../../../store/people/users.ts'
import type { MemberRow, UserRow } from '../../../store/tables/rows.ts'

/**
 * Returns a JWT, valid for an hour, in which an organization confirms the identity and role of a
 * member.
 */
export async function memberJwt(ctx: Context, member: MemberRow, user: UserRow): Promise<string> {
  const jwk = await signingKey(ctx, member.organization_id)
  const { kid } = jwk
  const key = await importJWK(jwk, keyAlgorithm)
  const now = Math.floor(ctx.now().getTime() / 1000)
  const email = emailIn(user, member.organization_id)
  const claims = {
    name: user.display_name,
    ...(email !== null && { email }),
    role: member.role,
    teams: listTeamIds(ctx.store, member.organization_id, user.id),
  }

  return new SignJWT(claims)
    .setProtectedHeader({ alg: keyAlgorithm, typ: 'JWT', ...(kid !== undefined && { kid }) })
    .setIssuer(ctx.publicUrl())
    .setAudience(member.organization_id)
    .setSubject(user.id)
    .setIssuedAt(now)
    .setExpirationTime(now + vouchSeconds)
    .sign(key)
}
