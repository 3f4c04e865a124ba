import { mintReadingToken, type ReaderContext } from '../../src/access/reading-token.ts'
import { viewSite } from '../../src/actions/sites/view-site.ts'
import { sha256 } from '../../src/lib/digest.ts'
import { findTokenByHash } from '../../src/store/people/tokens.ts'
import { findSite, updateSite } from '../../src/store/sites/sites.ts'
import type { SiteRow } from '../../src/store/tables/rows.ts'
import { type Actor, type App, actor } from './app.ts'

/**
 * Creates a site of "acme" that shows these spaces, the first as default, and publishes it. Returns
 * its row.
 */
export async function publishedSite(
  app: App,
  spaceIds: readonly string[],
  set: Partial<SiteRow> = {},
): Promise<SiteRow> {
  const { status, body, text } = await app.admin.post('/v1/orgs/acme/sites', { spaces: spaceIds })
  if (status !== 201) throw new Error(`POST sites answered ${status} ${text}`)
  await app.admin.post(`/v1/orgs/acme/sites/${body.id}/publish`)
  return updateSite(app.ctx.store, body.id, { published: 1, ...set }) as SiteRow
}

type Reading = Pick<ReaderContext, 'claims' | 'shareLinkId' | 'preview' | 'visitorType'>

/**
 * Returns the reading token for a site, as if its root had been resolved: with all live spaces on
 * it.
 */
export function readingToken(app: App, siteId: string, reading: Reading = {}): string {
  const site = findSite(app.ctx.store, siteId) as SiteRow
  const { siteSpaces } = viewSite(app.ctx, site, { sees: () => true, seesEmpty: false })
  const first = siteSpaces.find(each => each.path === '') ?? siteSpaces[0]
  if (!first) throw new Error('The site shows no space.')

  return mintReadingToken(app.ctx, {
    site,
    siteSpace: first.row,
    spaceIds: siteSpaces.map(({ space }) => space.id),
    ...reading,
  })
}

/** Returns a reader of a site, who sends its reading token. */
export const readerOf = (app: App, siteId: string, reading: Reading = {}): Actor =>
  actor(app.url, '', readingToken(app, siteId, reading))

/** Returns the preview of a user with their token. */
export const previewOf = (app: App, { id: userId, token }: Pick<Actor, 'id' | 'token'>) => ({
  userId,
  tokenId: findTokenByHash(app.ctx.store, sha256(token))?.id ?? '',
})
