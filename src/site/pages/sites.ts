import { baseOfSite } from '../../actions/sites/addresses.ts'
import type { Context } from '../../context.ts'
import { listPublicSites } from '../../store/sites/sites.ts'
import { madeHtml } from '../sending/made.ts'
import type { SitesPage } from '../views/model.ts'
import { renderPage } from '../views/render.tsx'
import type { Answered } from './answer-page.ts'
import { serverFrame } from './server-frame.ts'

/** The most sites on the first page of a server. */
const mostListed = 100

/** Answers with the public sites of the server; with a redirect if there is one only. */
export async function answerSites(ctx: Context): Promise<Answered> {
  const rows = listPublicSites(ctx.store, mostListed)
  const [only] = rows
  if (only && rows.length === 1) return { redirect: pathOnServer(ctx, baseOfSite(ctx, only)) }
  const frame = await serverFrame(ctx)
  const page: SitesPage = {
    kind: 'sites',
    head: {
      title: 'Stemma',
      description: 'Documentation that is published here.',
      canonical: `${ctx.publicUrl()}/`,
      alternates: [],
      crumbs: [],
    },
    sites: rows.map(site => ({ title: site.title, href: pathOnServer(ctx, baseOfSite(ctx, site)) })),
    signIn: `${frame.home}sso/sign-in`,
    nav: [],
  }
  return madeHtml(renderPage(frame, page))
}

/** Returns an address as a path if it is one of this server: names of this machine stay as they are. */
function pathOnServer(ctx: Context, address: string): string {
  const [own, target] = [new URL(ctx.publicUrl()), new URL(address)]
  return own.origin === target.origin ? target.pathname : address
}
