import type { z } from 'zod'
import { mayReadLive } from '../../../access/space-role.ts'
import { pageById } from '../../../actions/audience/find-page.ts'
import type { OpenContent } from '../../../actions/audience/open-content.ts'
import { readerContent } from '../../../actions/reading/reader-content.ts'
import { findShownPage } from '../../../actions/reading/shows-page.ts'
import { type Asking, type PageOnSite, pageOnSites } from '../../../actions/sites/page-on-sites.ts'
import { isWeb, type MetaTarget, metaTargetsIn } from '../../../content/links/meta-targets.ts'
import { rememberedSpace } from '../../../store/spaces/spaces.ts'
import type { PageMetaLinks } from './schema.ts'

type Links = z.output<typeof PageMetaLinks>
type Target = Links['alternates'][number]

/**
 * Returns what search engines are told about a page of opened content, once readers have that
 * content. Throws 'missing' for an unknown page.
 */
export async function metaLinksOf(open: OpenContent, pageId: string): Promise<Links> {
  const { ctx, space, repo, view, whole, shown } = open
  const page = pageById(shown.content, pageId)
  const asking = askingOf(open)
  const original = { space, repo, oid: view.oid, shown: whole }
  const places = await pageOnSites(ctx, { space, pageId, asking }, async audience => {
    const { content } = await readerContent(ctx, original, audience, { files: false })
    return content
  })
  const main = places.find(({ site }) => site.visibility === space.visibility) ?? places[0]

  const written = metaTargetsIn(shown.content, open.home)(page)
  const own = written.canonical && (await targetOf(open, asking, written.canonical))
  const canonical = own ?? (main && ({ kind: 'url', url: main.canonical } as const))
  const named: Target[] = []
  for (const target of written.alternates) {
    const found = await targetOf(open, asking, target)
    if (found) named.push(found)
  }

  return {
    ...(canonical && { canonical }),
    alternates: distinct([...named, ...(main ? translationsOf(open, asking, main) : [])]),
    sites: places.map(({ site, siteSpace, canonical: address, alternates }) => ({
      site: site.id,
      siteSpace: siteSpace.row.id,
      canonical: address,
      alternates: alternates.map(({ lang, href }) => ({ language: lang, url: href })),
    })),
  }
}

const askingOf = ({ user, reader }: OpenContent): Asking =>
  reader ? { reader } : { user: user as NonNullable<typeof user> }

/** Returns whether the asker may learn about the pages of a space. */
const mayRead = ({ ctx }: OpenContent, { user, reader }: Asking, spaceId: string): boolean =>
  reader ? reader.spaceIds.has(spaceId) : mayReadLive(ctx, spaceId, user.id)

/**
 * Returns a target as the asker is shown it: a page of another space that they may not read as it is
 * written. Undefined for a reference to such a page that is no address.
 */
async function targetOf(
  open: OpenContent,
  asking: Asking,
  target: MetaTarget,
): Promise<Target | undefined> {
  if (target.kind === 'url') return target
  if (target.kind === 'page') return { kind: 'page', page: target.page.id }

  const { ctx, audience = { claims: {}, claimsId: '' } } = open
  const { page, written } = target
  const there = mayRead(open, asking, page.space) && rememberedSpace(ctx.store, page.space)
  const found = there ? await findShownPage(ctx, there, page, audience) : undefined
  if (found) return { kind: 'page', page: found.node.id, space: page.space }
  return isWeb(written) ? { kind: 'url', url: written } : undefined
}

/**
 * Returns the page in the other languages of a site: by its address where the asker may not read
 * the space otherwise.
 */
const translationsOf = (open: OpenContent, asking: Asking, { alternates }: PageOnSite): Target[] =>
  alternates
    .filter(({ space }) => space !== open.space.id)
    .map(({ page, space, href }) =>
      mayRead(open, asking, space) ? { kind: 'page', page, space } : { kind: 'url', url: href },
    )

const distinct = (targets: readonly Target[]): Target[] => [
  ...new Map(targets.map(target => [JSON.stringify(target), target])).values(),
]
