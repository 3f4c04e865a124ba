import { z } from 'zod'
import type { SiteSearchScope } from '../../../actions/audience/finding/site-scope.ts'
import { SearchText } from './schema.ts'

const SiteSpaceIds = z
  .array(z.string())
  .min(1)
  .max(300)
  .meta({ description: 'The ids of the site spaces that are searched, 1 to 300.' })

const Scope = z
  .discriminatedUnion('mode', [
    z.strictObject({ mode: z.literal('all') }),
    z.strictObject({ mode: z.literal('specific'), siteSpaceIds: SiteSpaceIds }),
    z
      .strictObject({
        mode: z.literal('default'),
        currentSiteSpace: z
          .string()
          .optional()
          .meta({ description: 'The id of the site space that the reader is in.' }),
        restrictTo: z
          .enum(['currentSiteSpace', 'otherSiteSpaces'])
          .optional()
          .meta({ description: 'Searches the current site space alone, or the others alone.' }),
      })
      .refine(
        ({ currentSiteSpace, restrictTo }) => !restrictTo || currentSiteSpace !== undefined,
        'takes "restrictTo" with "currentSiteSpace" only',
      ),
  ])
  .meta({
    description:
      '"all": every site space. "specific": those with these ids. "default": the default site space of each section (or of the site), in the language of `currentSiteSpace` where there is one, and `currentSiteSpace` itself; `restrictTo` leaves one of the two out.',
  })

/**
 * A search with a scope, or with one of the deprecated forms of it, which are turned into a scope.
 */
export const SiteSearchBody = z
  .union([
    z.strictObject({ query: SearchText, scope: Scope }),
    z.strictObject({
      query: SearchText,
      mode: z.literal('specific').optional(),
      siteSpaceIds: SiteSpaceIds,
    }),
    z.strictObject({
      query: SearchText,
      mode: z.literal('current'),
      siteSpaceId: z
        .string()
        .meta({ description: 'The id of the site space that the reader is in.' }),
    }),
    z.strictObject({ query: SearchText, mode: z.literal('all') }),
  ])
  .transform((body): { query: string; scope: SiteSearchScope } => {
    const { query } = body
    if ('scope' in body) return { query, scope: body.scope }
    if ('siteSpaceIds' in body)
      return { query, scope: { mode: 'specific', siteSpaceIds: body.siteSpaceIds } }
    if (body.mode === 'all') return { query, scope: { mode: 'all' } }
    return { query, scope: { mode: 'default', currentSiteSpace: body.siteSpaceId } }
  })
