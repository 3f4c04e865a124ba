import type { Preview } from '../../access/reading-token.ts'
import { type Address, parseAddress } from '../../content/site/address.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { findSiteAt, isHostOfSites, isWithinSites } from './find-site.ts'
import { type Resolved, type ResolvedContent, resolveAddress } from './resolve-address.ts'

/** Where a link to a site leads: to content, which is there unless a sign-in comes first; or nowhere. */
export type SiteLink = { content?: ResolvedContent } | 'nothing'

/** Who follows a link: a user with a token, or a visitor. */
type Follower = Preview | undefined

/**
 * Returns where an address of this server's sites leads for a follower; undefined for an address of
 * anything else. A follower cannot tell a site that they may not read from one that does not exist:
 * both lead nowhere where all addresses are those of sites, and a host that belongs to such a site is
 * like that of another server. Whether the page exists is not checked: see
 * `pageFinder`.
 */
export async function followSiteLink(
  ctx: Context,
  url: string,
  user: Follower,
): Promise<SiteLink | undefined> {
  const address = parsed(url)
  if (!address) return undefined
  const isOfSites = isWithinSites(ctx, address)
  const at = isOfSites ? undefined : findSiteAt(ctx, address)
  if (!isOfSites && !at) return undefined

  const found = await follow(ctx, url, user)
  if (found !== 'nothing' || !at) return found
  return (await follow(ctx, at.base, user)) === 'nothing' ? undefined : 'nothing'
}

/** Returns whether an address may be one of a site: its host is. */
export function isOnHostOfSites(ctx: Context, url: string): boolean {
  const address = parsed(url)
  return address !== undefined && isHostOfSites(ctx, address)
}

function parsed(url: string): Address | undefined {
  try {
    return parseAddress(url)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

/** Follows an address, and the redirect to its canonical form. */
async function follow(ctx: Context, url: string, user: Follower, again = true): Promise<SiteLink> {
  const found = await resolveQuietly(ctx, url, user)
  if (typeof found === 'string') return found === 'sign-in' ? {} : 'nothing'
  if (found.kind === 'content') return { content: found }
  if (found.target === 'external') return {}
  return again ? follow(ctx, found.redirect, user, false) : 'nothing'
}

async function resolveQuietly(
  ctx: Context,
  url: string,
  user: Follower,
): Promise<Resolved | 'sign-in' | 'nothing'> {
  try {
    return await resolveAddress(ctx, { url, user })
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'unavailable') throw error
    return error.reason === 'sign_in_required' ? 'sign-in' : 'nothing'
  }
}
