import type { SiteGrant } from '../../access/guards/site.ts'
import { mayReadLive } from '../../access/space-role.ts'
import { primaryHead } from '../../actions/heads/primary-head.ts'
import { viewRevision } from '../../actions/revisions/view-revision.ts'
import type { ContentTree } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import { type EventGroup, sumSiteEvents } from '../../store/sites/site-event-sums.ts'
import { findSiteSpaces } from '../../store/sites/site-spaces.ts'
import { rememberedSpace } from '../../store/spaces/spaces.ts'

/** The days that are summed up, and the most rows of a list. */
export const shownDays = 30
const mostShown = 50

/** A page or the words of a search, and how often. `to` is the path of a page that can be opened. */
export type Read = { title: string; to?: string | undefined; count: number }

/** What readers of a site did. */
type Reads = { pages: Read[]; inVain: Read[]; searches: Read[]; views: number }

/** Loads what readers of a site did in the last days. */
export async function loadReads(asked: SiteGrant & { ctx: Context }): Promise<Reads> {
  const { ctx, site } = asked
  const now = ctx.now()
  const from = new Date(now.getTime() - shownDays * 86_400_000)
  const sums = (kind: string, groupBy: readonly EventGroup[], inVain?: '0' | '1') =>
    sumSiteEvents(ctx.store, {
      siteId: site.id,
      from: from.toISOString().slice(0, 10),
      to: now.toISOString().slice(0, 10),
      where: [
        { by: 'kind', values: [kind], isNot: false },
        ...(inVain ? [{ by: 'inVain' as const, values: [inVain], isNot: false }] : []),
      ],
      groupBy,
      order: { by: 'count', isDescending: true },
      limit: mostShown,
    })
  const searches = (inVain: '0' | '1') =>
    sums('search_type_query', ['words'], inVain).map(({ words, count }) => ({
      title: words || 'Other words',
      count,
    }))

  return {
    pages: await withTitles(asked, sums('page_view', ['page'])),
    inVain: searches('1'),
    searches: searches('0'),
    views: sums('page_view', [])[0]?.count ?? 0,
  }
}

async function withTitles(
  { ctx, user }: SiteGrant & { ctx: Context },
  sums: readonly { page?: string; count: number }[],
): Promise<Read[]> {
  const placed = sums.map(({ page = '', count }) => {
    const [siteSpaceId = '', pageId = ''] = page.split(' ')
    return { siteSpaceId, pageId, count }
  })
  const rows = findSiteSpaces(
    ctx.store,
    placed.map(({ siteSpaceId }) => siteSpaceId),
  )
  const contents = new Map<string, ContentTree>()
  for (const { space_id: id } of rows.values()) {
    const space = rememberedSpace(ctx.store, id)
    if (contents.has(id) || !space || !mayReadLive(ctx, id, user.id)) continue
    const { head } = await primaryHead(ctx, space)
    contents.set(id, (await viewRevision(ctx, id, head)).content)
  }

  return placed.map(({ siteSpaceId, pageId, count }) => {
    const spaceId = rows.get(siteSpaceId)?.space_id ?? ''
    const page = contents.get(spaceId)?.pageById.get(pageId)
    if (page) return { title: page.title, to: `/s/${spaceId}/p/${pageId}`, count }
    return { title: pageId === '' ? 'Other pages' : `Deleted page ${pageId}`, count }
  })
}
