import type { RequestFacts } from '../../access/asker.ts'
import type { SiteGrant } from '../../access/guards/site.ts'
import { memberWithin } from '../../access/reach.ts'
import { atLeast } from '../../access/roles.ts'
import { offeredSpaces } from '../../access/visible-spaces.ts'
import { pathTo } from '../../actions/audience/destination.ts'
import { hiddenFrom } from '../../actions/audience/hidden-redirects.ts'
import { lookingAsUser } from '../../actions/audience/looking.ts'
import { baseOfSite } from '../../actions/sites/addresses.ts'
import { readingAddress } from '../../actions/sites/reading-address.ts'
import type { SiteView } from '../../actions/sites/view-site.ts'
import { isEmptySite } from '../../actions/spaces/apply-site-template.ts'
import { type ListedTemplate, listTemplates } from '../../actions/spaces/read-templates.ts'
import type { Context } from '../../context.ts'
import { listRedirects } from '../../store/sites/redirects.ts'
import type { SiteRedirectRow, SpaceRow } from '../../store/tables/rows.ts'

/** The most redirects on a page. */
const mostRedirects = 50

/** A redirect, and where it leads; undefined for a page that is gone. */
export type ShownRedirect = { row: SiteRedirectRow; target: string | undefined }

/** What the page of a site shows. */
export type SiteParts = {
  view: SiteView
  /** Where its readers find it, and where a member reads it. */
  address: string
  href: string
  /** Spaces that are not on the site. */
  spaces: SpaceRow[]
  redirects: ShownRedirect[]
  /** The `seq` after which there are older redirects. */
  older: number | undefined
  /**
   * The templates that an empty site can begin with; undefined for one with content, and for a user
   * who may not create spaces.
   */
  templates: ListedTemplate[] | undefined
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
  const found = listRedirects(ctx.store, filter, mostRedirects + 1, { after })
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
    address: baseOfSite(ctx, site),
    href: readingAddress(ctx, site),
    spaces: spacesBeside(asked, looking.view),
    redirects,
    older: found.length > rows.length ? rows.at(-1)?.seq : undefined,
    templates: await templatesFor(ctx, asked),
  }
}

function spacesBeside({ ctx, site, user }: Asking, { siteSpaces }: SiteView): SpaceRow[] {
  const shown = new Set(siteSpaces.map(({ space }) => space.id))
  return offeredSpaces(ctx, site.organization_id, user.id).filter(({ id }) => !shown.has(id))
}

async function templatesFor(ctx: Context, { site, user }: Asking) {
  const member = memberWithin(ctx, site.organization_id, user.id)
  if (!isEmptySite(ctx, site) || !atLeast(member?.role, 'create')) return undefined
  return (await listTemplates(ctx)).filter(isReady)
}

/** Returns whether a template can be applied without being given anything. */
const isReady = ({ issue, refs }: ListedTemplate): boolean =>
  issue === undefined && !refs.some(({ required }) => required)
