import type { Reader } from '../../../src/access/asker.ts'
import { findReader } from '../../../src/access/reader.ts'
import {
  type SiteFound,
  type SiteSearch,
  searchSite,
} from '../../../src/actions/audience/finding/search-site.ts'
import { viewForReader } from '../../../src/actions/sites/view-for-reader.ts'
import { jobs } from '../../../src/jobs/all.ts'
import { putTeamSchema } from '../../api/reading/house.ts'
import type { App } from '../../support/app.ts'
import { makeSpace, type TestSpace } from '../../support/corpus/corpus.ts'
import { publishedSite, readingToken } from '../../support/sites.ts'

type Options = Partial<Omit<SiteSearch, 'query'>> & { claims?: Record<string, unknown> }

/** Updates the search index of a space. */
export async function index({ ctx }: App, spaceId: string): Promise<void> {
  await jobs['index-search']!(
    ctx,
    { spaceId },
    { signal: new AbortController().signal, attempt: 1 },
  )
}

/**
 * Creates indexed spaces on a site of their own, whose readers may have the claim `team`. `search`
 * searches as a reader with some claims, all site spaces by default.
 */
export async function searchableSite(app: App, contents: readonly Record<string, string>[]) {
  const spaces: TestSpace[] = []
  for (const [at, files] of contents.entries()) {
    const made = await makeSpace(app, files, `Space ${at}`)
    await index(app, made.space.id)
    spaces.push(made)
  }

  const ids = spaces.map(({ space }) => space.id)
  const { id } = await publishedSite(app, ids, { adaptive: 1 })

  putTeamSchema(app, id)
  const signal = new AbortController().signal
  const readerWith = (claims: Record<string, unknown>) =>
    findReader(app.ctx, readingToken(app, id, { claims })) as Reader

  async function search(
    query: string,
    { claims = {}, ...options }: Options = {},
  ): Promise<SiteFound> {
    const reader = readerWith(claims)
    const { view } = await viewForReader(app.ctx, reader)
    const { siteSpaces } = view
    return searchSite(app.ctx, { siteSpaces, reader, query, limit: 8, signal, ...options })
  }

  return { spaces, search, siteId: id, readerWith }
}

/** Returns the paths of the pages of hits, with the anchors of sections. */
export const pathsOf = ({ hits }: SiteFound): string[] =>
  hits.map(({ pagePath, section }) => (section ? `${pagePath}#${section.anchor}` : pagePath))

/** Returns a passage as text, with the words that were found in brackets. */
export const marked = (passage: readonly { text: string; found: boolean }[]): string =>
  passage.map(({ text, found }) => (found ? `[${text}]` : text)).join('')
