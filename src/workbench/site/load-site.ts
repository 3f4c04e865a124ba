import type { RequestFacts } from '../../access/asker.ts'
import type { SiteGrant } from '../../access/guards/site.ts'
import { pathTo } from '../../actions/audience/destination.ts'
import { hiddenFrom } from '../../actions/audience/hidden-redirects.ts'
import { lookingAsUser } from '../../actions/audience/looking.ts'
import type { SiteView } from '../../actions/sites/view-site.ts'
import type { Context } from '../../context.ts'
import { listRedirects } from '../../store/sites/redirects.ts'
import type { SiteRedirectRow } from '../../store/tables/rows.ts'

/** The most redirects on a page. */
const mostRedirects = 50

/** A redirect, and where it leads; undefined for a page that is gone. */
export type ShownRedirect = { row: SiteRedirectRow; target: string | undefined }

/** What the page of a site shows. */
export type SiteParts = {
  view: SiteView
  redirects: ShownRedirect[]
  /** The `seq` after which there are older redirects. */
  older: number | undefined
}

type Asking = SiteGrant & {
  ctx: Context
  request: Pick<RequestFacts, 'signal'>
  /** The `seq` after which redirects are listed. */
  after: number | undefined
}

/** Loads the structure of a site, and a part of its redirects. */
export async function loadSite(asked: Asking): Promise<SiteParts> {
  const { ctx, site, user, role, after } = asked
  const looking = lookingAsUser(ctx, asked, asked.request)
  const filter = { siteId: site.id, hidden: [...hiddenFrom(ctx, site, user, role)] }
  const found = listRedirects(ctx.store, filter, mostRedirects + 1, after)
  const rows = found.slice(0, mostRedirects)
  const redirects = []
  for (const row of rows) {
    const { destination } = row
    const path =
      destination.kind === 'external' ? undefined : await pathTo(ctx, looking, destination)
    const target = destination.kind === 'external' ? destination.url : path && `/${path}`
    redirects.push({ row, target: path === '' ? '/' : target })
  }

  return {
    view: looking.view,
    redirects,
    older: found.length > rows.length ? rows.at(-1)?.seq : undefined,
  }
}
