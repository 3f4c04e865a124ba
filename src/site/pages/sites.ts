import type { SignedInUser } from '../../access/session.ts'
import { baseOfSite } from '../../actions/sites/addresses.ts'
import type { Context } from '../../context.ts'
import { hasJob } from '../../store/events/jobs.ts'
import { listPublicSites } from '../../store/sites/sites.ts'
import { type SiteOfMember, sitesOfMember } from '../place/sites-of-member.ts'
import { madeHtml, type SiteResponse } from '../sending/made.ts'
import type { Frame, SitesPage } from '../views/model.ts'
import { renderPage } from '../views/render.tsx'
import type { Answered } from './answer-page.ts'
import { searchHtml } from './search/answer-search.ts'
import { searchSites } from './search/search-sites.ts'
import { serverFrame } from './server-frame.ts'

/** The most sites on the first page of a server. */
const mostListed = 100

/** What the first page of a server is asked for: a search of its sites, unless `query` is ''. */
type HomeSearch = { query: string; isPart: boolean; limit: number; signal: AbortSignal }

/**
 * Answers with a list of the public sites of the server, or redirects to the only one. Users who
 * are signed in are never redirected: their list has their account and starts with the sites that
 * they may read. A query searches all of these sites.
 */
export async function answerSites(
  ctx: Context,
  user: SignedInUser | undefined,
  asked: HomeSearch,
): Promise<Answered> {
  const rows = listPublicSites(ctx.store, mostListed)
  const own = user ? sitesOfMember(ctx, user) : []
  const known = new Set(own.map(({ site }) => site.id))
  const others = rows
    .filter(({ id }) => !known.has(id))
    .map(site => ({ site, address: baseOfSite(ctx, site), isPreview: false }))
  const sites = [...own, ...others].slice(0, mostListed)
  const frame = await serverFrame(ctx, { signIn: asked.query !== '' })
  if (asked.query !== '') return forUser(user, await answerFound(ctx, frame, sites, user, asked))

  const [only] = rows
  if (!user && only && rows.length === 1)
    return { redirect: pathOnServer(ctx, baseOfSite(ctx, only)) }

  const page: SitesPage = {
    kind: 'sites',
    head: {
      title: 'Stemma',
      description: 'Documentation that is published here.',
      canonical: `${ctx.publicUrl()}/`,
      alternates: [],
      crumbs: [],
    },
    sites: sites.map(found => entryOf(ctx, found)),
    account: user && `You are signed in as ${user.actor.user.display_name}.`,
    way: user
      ? { title: 'Your account', href: `${frame.home}app/account` }
      : { title: frame.words.signIn, href: `${frame.home}sso/sign-in` },
    nav: [],
  }

  // The address of the first start is that of the manual, which a job publishes meanwhile.
  const isComing = sites.length === 0 && hasJob(ctx.store, 'bring-manual')
  const headers = isComing ? { Refresh: '1' } : {}

  return forUser(user, madeHtml(renderPage(frame, page), headers))
}

/** Returns an answer with the headers that keep what a user is shown out of caches. */
const forUser = (user: SignedInUser | undefined, made: SiteResponse): SiteResponse =>
  user ? { ...made, headers: { ...made.headers, 'Cache-Control': 'private, no-store' } } : made

async function answerFound(
  ctx: Context,
  frame: Frame,
  sites: readonly SiteOfMember[],
  user: SignedInUser | undefined,
  { query, isPart, limit, signal }: HomeSearch,
): Promise<SiteResponse> {
  const searched = sites.map(site => ({ ...site, base: pathOnServer(ctx, site.address) }))
  const found = await searchSites(ctx, searched, { query, limit, user, signal })
  const html = searchHtml(frame, isPart, {
    ...found,
    scope: '',
    filters: [],
    all: `${frame.home}?${new URLSearchParams({ q: query })}`,
    nav: [],
  })
  return madeHtml(html)
}

function entryOf(
  ctx: Context,
  { site, address, isPreview }: SiteOfMember,
): SitesPage['sites'][number] {
  const what = site.published === 1 ? 'Preview' : 'Preview: this site is not published'
  return {
    title: site.title,
    href: pathOnServer(ctx, address),
    description: isPreview ? what : undefined,
  }
}

/**
 * Returns an address as a path if it is one of this server: names of this machine stay as they are.
 */
function pathOnServer(ctx: Context, address: string): string {
  const [own, target] = [new URL(ctx.publicUrl()), new URL(address)]
  return own.origin === target.origin ? target.pathname : address
}
