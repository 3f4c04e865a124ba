import { sql } from 'kysely'
import { among } from '../dialect.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { SiteRedirectRow } from '../tables/rows.ts'

const redirects = new Rows('site_redirect')

/** Redirects of a site, as a list shows them. */
type RedirectFilter = {
  siteId: string
  /** A part of the folded source. */
  search?: string | undefined
  /** Whether drafts are listed, or those that are followed; both without it. */
  draft?: boolean | undefined
  /** The ids of sections and site spaces to which no shown redirect leads. */
  hidden: readonly string[]
}

const matching = ({ siteId, search, draft, hidden }: RedirectFilter) =>
  sql<boolean>`site_id = ${siteId}
    ${draft === undefined ? sql`` : sql`and draft = ${Number(draft)}`}
    ${search === undefined ? sql`` : sql`and instr(source_folded, ${search}) > 0`}
    ${
      hidden.length === 0
        ? sql``
        : sql`and coalesce(destination ->> 'siteSpaceId', destination ->> 'siteSectionId', '')
            not in ${among(hidden)}`
    }`

/** The orders of lists: newest first, latest change first, or by source. */
type RedirectOrder = 'createdAt' | 'updatedAt' | 'source'

/** The place of a redirect in a list: its `seq`, or what orders the list and its `seq`. */
export type RedirectPlace = number | [changedOrSource: string, seq: number]

/** The order of a list, `createdAt` by default, and the place that its rows follow. */
type From = {
  order?: RedirectOrder | undefined
  after?: RedirectPlace | undefined
}

const changed = sql<string>`coalesce(updated_at, created_at)`

/** Returns the order of a list as SQL, and the condition for the rows after a place. */
function orderOf({ order = 'createdAt', after }: From) {
  if (order === 'createdAt')
    return { by: sql`seq desc`, rest: sql<boolean>`seq < ${after ?? Number.MAX_SAFE_INTEGER}` }
  const [text, seq] = Array.isArray(after) ? after : []
  const [by, rest] =
    order === 'source'
      ? [sql`source_folded, seq`, sql<boolean>`(source_folded, seq) > (${text}, ${seq})`]
      : [sql`${changed} desc, seq desc`, sql<boolean>`(${changed}, seq) < (${text}, ${seq})`]
  return { by, rest: text === undefined ? sql<boolean>`1 = 1` : rest }
}

/** Returns the place of a row in a list with this order. */
export const redirectPlace = (row: SiteRedirectRow, order: RedirectOrder): RedirectPlace =>
  order === 'createdAt'
    ? row.seq
    : [order === 'source' ? row.source_folded : (row.updated_at ?? row.created_at), row.seq]

/** Returns up to `limit` redirects of a site, by default newest first. */
export function listRedirects(
  store: Store,
  filter: RedirectFilter,
  limit: number,
  from: From = {},
): SiteRedirectRow[] {
  const { by, rest } = orderOf(from)
  return store.all(
    query
      .selectFrom('site_redirect')
      .selectAll()
      .where(matching(filter))
      .where(rest)
      .orderBy(by)
      .limit(limit),
  )
}

/** Returns the number of redirects of a site, with drafts. */
export const countRedirects = redirects.count('site_id')

/** Returns the redirect of a site with this id. */
export const findRedirect = redirects.find('site_id', 'id')

/** Returns the redirect, or with 1 the draft, of a site from a path in its folded form. */
export const findRedirectFrom = redirects.find('site_id', 'draft', 'source_folded')

/** Returns the redirects, or with 1 the drafts, of a site from any of some paths, by path. */
export const findRedirectsFrom = redirects.findAll('source_folded', 'site_id', 'draft')

/** Inserts a redirect. */
export const insertRedirect = redirects.insert

/** Updates a redirect. Returns the new row. */
export const updateRedirect = redirects.update('id')

/** Deletes a redirect. */
export const deleteRedirect = redirects.remove('id')
