import type { z } from 'zod'
import type { RequestFacts } from '../../access/asker.ts'
import type { OrganizationGrant } from '../../access/guards/organization.ts'
import { searchTerms } from '../../content/search/words.ts'
import type { Context } from '../../context.ts'
import { envelope, pageOf } from '../../http/list.ts'
import { findSpaces } from '../../store/spaces/spaces.ts'
import { type FoundSpace, findSpacesWith } from './find-spaces.ts'
import { presentFound } from './present.ts'
import type { SearchQuery, SearchSpaceResults } from './schema.ts'

/** Searches the primary content of all spaces of an organization that the caller may read. */
export async function searchSpaces(
  ctx: Context,
  { organization, user }: OrganizationGrant,
  query: z.output<typeof SearchQuery>,
  { signal }: Pick<RequestFacts, 'signal'>,
): Promise<z.input<typeof SearchSpaceResults>> {
  const terms = searchTerms(query.query)
  const who = { organizationId: organization.id, userId: user.id }
  const found =
    terms.length === 0 ? [] : await findSpacesWith(ctx, who, { terms, query: query.query, signal })
  const page = await pageOf<FoundSpace, [rank: number, number: number]>(
    ctx,
    `search ${organization.id} ${user.id} ${query.query}`,
    query,
    (limit, after) => {
      const from = after ? found.findIndex(space => isAfter([space.rank, space.number], after)) : 0
      return from === -1 ? [] : found.slice(from, from + limit)
    },
    ({ rank, number }) => [rank, number],
  )
  const spaces = findSpaces(
    ctx.store,
    page.rows.map(({ id }) => id),
  )
  const items: z.input<typeof SearchSpaceResults>['items'] = []
  for (const { id, pages } of page.rows) {
    const space = spaces.get(id)
    if (!space) continue
    const location = `${ctx.publicUrl()}/v1/spaces/${id}/content`
    const shown = pages.map(each => ({ ...each, location }))
    items.push({ id, title: space.title, pages: await presentFound(ctx.store, shown, terms, signal) })
  }
  return envelope(page, items)
}

const isAfter = ([rank, number]: [number, number], [lastRank, last]: [number, number]): boolean =>
  rank > lastRank || (rank === lastRank && number > last)
