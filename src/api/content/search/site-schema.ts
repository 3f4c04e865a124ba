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
        restrictTo: z.enum(['currentSiteSpace', 'otherSiteSpaces']).optional().meta({
          description: 'Searches only the current site space, or only the other site spaces.',
        }),
      })
      .refine(
        ({ currentSiteSpace, restrictTo }) => !restrictTo || currentSiteSpace !== undefined,
        'takes "restrictTo" with "currentSiteSpace" only',
      ),
  ])
  .meta({
    description:
      'The site spaces to search. "all": every site space. "specific": the site spaces in `siteSpaceIds`. "default": `currentSiteSpace`, and the default site space of every section (or of the site), preferably in the language of `currentSiteSpace`. `restrictTo` searches only `currentSiteSpace`, or only the others.',
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
