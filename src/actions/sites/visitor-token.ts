import { errors, type JWTPayload, jwtVerify } from 'jose'
import type { Context } from '../../context.ts'
import { rememberedVisitorAuth } from '../../store/sites/visitor-auth.ts'
import type { SiteRow } from '../../store/tables/rows.ts'

/** The maximum length of a visitor token in bytes. */
const longestToken = 8_192
/** How far in the future a token may expire, and how far clocks may differ, in seconds. */
const longestLife = 7 * 24 * 3600
const tolerance = 5

/**
 * The claims that a visitor token signs, until when it is accepted (milliseconds since 1970), or
 * why it cannot be used.
 */
export type VisitorToken = { claims: JWTPayload; until: number } | { refused: string }

/**
 * Reads a visitor token: a JWT signed with the key of the site (HS256; the secret is the text of
 * the key as UTF-8), which expires within seven days.
 */
export async function readVisitorToken(
  ctx: Context,
  site: SiteRow,
  token: string,
): Promise<VisitorToken> {
  const auth = rememberedVisitorAuth(ctx.store, site)
  if (!auth) return { refused: 'no_key' }
  if (Buffer.byteLength(token) > longestToken) return { refused: 'too_long' }

  try {
    const { payload } = await jwtVerify(
      token,
      Buffer.from(ctx.keys.open('visitor key', auth.key_sealed), 'utf8'),
      {
        algorithms: ['HS256'],
        clockTolerance: tolerance,
        requiredClaims: ['exp'],
        currentDate: new Date(ctx.store.time),
      },
    )
    const now = ctx.store.time / 1000
    const { exp = 0, iat } = payload
    if (exp > now + longestLife + tolerance) return { refused: 'lives_too_long' }
    if (iat !== undefined && iat > now + tolerance) return { refused: 'issued_in_the_future' }

    return { claims: payload, until: (exp + tolerance) * 1000 }
  } catch (error) {
    if (error instanceof errors.JOSEError) return { refused: error.code }
    // jose throws a TypeError for some malformed headers.
    if (error instanceof TypeError) return { refused: 'malformed' }
    throw error
  }
}
