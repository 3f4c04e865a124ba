import { isDeepStrictEqual } from 'node:util'
import { claimsOf } from '../../../content/site/claims.ts'
import type { ClaimsSchema } from '../../../content/site/claims-schema.ts'
import { readRison } from '../../../content/site/rison.ts'
import type { Context } from '../../../context.ts'
import { invalid } from '../../../errors.ts'
import { rememberedSchema } from '../../../store/sites/site-schemas.ts'
import type { SiteRow } from '../../../store/tables/rows.ts'

/**
 * Returns the claims for a preview from JSON or Rison. Throws 'invalid' unless all of them fit the
 * adaptive schema of the site.
 */
export function readPreviewClaims(
  ctx: Context,
  site: SiteRow,
  text: string,
): Record<string, unknown> {
  const given = text.startsWith('{') ? readJson(text) : readRison(text)
  if (given === null || typeof given !== 'object' || Array.isArray(given))
    throw invalid('"claims" must be an object, such as (beta:!t) or {"beta":true}.')
  const schema = rememberedSchema(ctx.store, site) as ClaimsSchema | undefined
  const { unsigned: givenUnsigned, ...signed } = given as Record<string, unknown>
  const { unsigned, ...fitting } = claimsOf(schema, { signed, unsigned: givenUnsigned })

  if (!isDeepStrictEqual(fitting, signed) || !isDeepStrictEqual(unsigned, givenUnsigned ?? {}))
    throw invalid(
      '"claims" does not fit the adaptive schema of the site. Use only claims and values that it names.',
    )

  return given as Record<string, unknown>
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw invalid('"claims" is not valid JSON.')
  }
}
