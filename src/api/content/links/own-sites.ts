import { pageFinder } from '../../../actions/audience/has-page.ts'
import { markLinks, type RevisionLinks } from '../../../actions/links/read-links.ts'
import {
  followSiteLink,
  isOnHostOfSites,
  type SiteLink,
} from '../../../actions/sites/link-to-site.ts'
import type { RevisionLink } from '../../../content/links/list.ts'
import type { Context } from '../../../context.ts'
import { pauses } from '../../../lib/slices.ts'

/** The most addresses of sites that are followed for a list; links to further ones count as `ok`. */
const mostFollowed = 1000

/** The user who asks for links, and the token with which they do. */
type Asker = { userId: string; tokenId: string } | undefined

/** The distinct absolute addresses of a list. */
const addresses = new WeakMap<RevisionLinks, ReadonlySet<string>>()

/** The last result for a list, and what it was made with. */
const resolved = new WeakMap<RevisionLinks, { by: string; links: RevisionLinks }>()

/**
 * Returns links with those to published sites of this server as the asker finds them: `in-app`, or
 * `broken` for no page. Each distinct address is followed once, until rows change.
 */
export async function withOwnSites(
  ctx: Context,
  list: RevisionLinks,
  asker: Asker,
  signal: AbortSignal | undefined,
): Promise<RevisionLinks> {
  const named = addresses.get(list) ?? (await addressesIn(list, signal))
  addresses.set(list, named)
  if (named.size === 0) return list

  const by = [ctx.store.version(), ctx.publicUrl(), asker?.userId, asker?.tokenId].join(' ')
  const known = resolved.get(list)
  if (known?.by === by) return known.links

  const found = await followAll(ctx, named, asker, signal)
  const links =
    found.size === 0
      ? list
      : await markLinks(list, link => marked(link, found.get(link.target.trim())))
  resolved.set(list, { by, links })
  return links
}

async function addressesIn(
  { links }: RevisionLinks,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const pause = pauses(signal)
  const named = new Set<string>()
  for (const [at, { class: kind, target }] of links.entries()) {
    if (at % 1024 === 1023) await pause()
    if (kind === 'external') named.add(target.trim())
  }
  return named
}

async function followAll(
  ctx: Context,
  named: ReadonlySet<string>,
  asker: Asker,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, SiteLink>> {
  const pause = pauses(signal)
  const found = new Map<string, SiteLink>()
  const hosts = new Map<string, boolean>()
  const hasPage = pageFinder(ctx, signal)
  for (const address of named) {
    await pause()
    const [host = ''] = /^https?:\/\/[^/?#]*/i.exec(address) ?? []
    const isOwn = hosts.get(host) ?? isOnHostOfSites(ctx, host)
    hosts.set(host, isOwn)
    const link = isOwn ? await followSiteLink(ctx, address, asker) : undefined
    const content = typeof link === 'object' ? link.content : undefined
    if (link) found.set(address, content && !(await hasPage(content)) ? 'nothing' : link)
    if (found.size === mostFollowed) break
  }
  return found
}

function marked(link: RevisionLink, found: SiteLink | undefined): RevisionLink {
  if (found === undefined || link.class !== 'external') return link
  if (found === 'nothing') return { ...link, status: 'broken' }
  const space = found.content?.siteSpace.space.id
  const url = link.target.trim()
  return { ...link, status: 'in-app', ...(space && { to: { kind: 'space', space, url } }) }
}
