import { readSite } from '../../../access/guards/reading.ts'
import { findForReader } from '../../../actions/audience/finding/find-for-reader.ts'
import { findSpacesWith, numbersOf } from '../../../actions/audience/finding/find-spaces.ts'
import { siteSpacesIn } from '../../../actions/audience/finding/site-scope.ts'
import { readerClaims } from '../../../actions/sites/reader-claims.ts'
import { viewForReader } from '../../../actions/sites/view-for-reader.ts'
import { viewForUser } from '../../../actions/sites/view-for-user.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { selecting } from '../../../http/fields.ts'
import { PageQuery } from '../../../http/list.ts'
import { SitePath } from '../../sites/schema.ts'
import { answerSpaces } from './answer-spaces.ts'
import { SearchSpaceResults } from './schema.ts'
import { SiteSearchBody } from './site-schema.ts'

export const searchSiteContent = endpoint({
  operationId: 'searchSiteContent',
  summary: 'Search the pages of a site',
  description:
    'Searches the pages of the site’s spaces that you may read, and returns at most ten pages of each space. `id` of a result is the id of the space. With a reading token, the search uses the texts and pages that the reader sees, and evaluates at most 200 pages. Bodies without `scope` are deprecated. The index may lack changes of the last few seconds.',
  params: SitePath,
  query: selecting(PageQuery, SearchSpaceResults),
  body: SiteSearchBody,
  reply: SearchSpaceResults,
  computes: true,
  readers: true,
  access: readSite,
  handle: async ({ ctx, query, body, request, ...granted }) => {
    const { site: row, reader, user, role } = granted
    const view = reader
      ? (await viewForReader(ctx, reader)).view
      : viewForUser(ctx, row, user, role)
    const spaces = siteSpacesIn(view, body.scope).map(({ space }) => space)

    return answerSpaces(ctx, {
      find: (wanted, evaluations) =>
        reader
          ? findForReader(ctx, reader, spaces, wanted, evaluations)
          : findSpacesWith(
              ctx.store,
              numbersOf(ctx.store, new Set(spaces.map(({ id }) => id))),
              wanted,
            ),
      language: spaces[0]?.language,
      list: `search ${row.id} ${reader ? readerClaims(ctx, reader).id : user.id} ${JSON.stringify(body)}`,
      query: { ...query, query: body.query },
      reader,
      request,
    })
  },
})
