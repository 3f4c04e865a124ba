import type { Reader } from '../../access/asker.ts'
import { type Claims, claimsOf } from '../../content/site/claims.ts'
import type { ClaimsSchema } from '../../content/site/claims-schema.ts'
import type { Context } from '../../context.ts'
import { sha256 } from '../../lib/digest.ts'
import { rememberedSchema } from '../../store/sites/site-schemas.ts'

/**
 * The claims of a reader. Readers of one site with the same `id` read the same texts; '' for no
 * claims.
 */
export type ReaderClaims = { claims: Claims; id: string }

const none: ReaderClaims = { claims: { unsigned: {} }, id: '' }

/**
 * Returns the claims that expressions read as `visitor.claims`: those in the reading token that the
 * schema of the site names now. None while adaptive content is off, or without a schema.
 */
export function readerClaims(
  ctx: Pick<Context, 'store'>,
  { site, tokenClaims }: Pick<Reader, 'site' | 'tokenClaims'>,
): ReaderClaims {
  const { unsigned: given, ...signed } = tokenClaims
  const schema = rememberedSchema(ctx.store, site) as ClaimsSchema | undefined
  if (!schema || site.adaptive === 0) return none
  const claims = claimsOf(schema, { signed, unsigned: given })
  const { unsigned, ...others } = claims
  if (Object.keys(others).length === 0 && Object.keys(unsigned).length === 0) return none
  return { claims, id: sha256(JSON.stringify(claims)) }
}
