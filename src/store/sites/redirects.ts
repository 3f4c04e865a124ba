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

/** Returns redirects of a site, newest first, from `after` (a `seq`) on. */
export const listRedirects = (
  store: Store,
  filter: RedirectFilter,
  limit: number,
  after = Number.MAX_SAFE_INTEGER,
): SiteRedirectRow[] =>
  store.all(
    query
      .selectFrom('site_redirect')
      .selectAll()
      .where(matching(filter))
      .where('seq', '<', after)
      .orderBy('seq', 'desc')
      .limit(limit),
  )

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
