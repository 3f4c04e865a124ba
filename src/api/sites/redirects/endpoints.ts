import { readSite } from '../../../access/guards/reading.ts'
import { type SiteGrant, site } from '../../../access/guards/site.ts'
import { lookingAsReader } from '../../../actions/audience/follow-redirect.ts'
import { findSeenRedirect, hiddenFrom } from '../../../actions/audience/hidden-redirects.ts'
import { storedDestination } from '../../../actions/audience/input-destination.ts'
import { lookingAsUser } from '../../../actions/audience/looking.ts'
import {
  addRedirect,
  changeRedirect,
  mostInBulk,
  prepareRedirects,
  putRedirects,
  type RedirectSettings,
  removeRedirect,
} from '../../../actions/audience/put-redirects.ts'
import { checkPage, checkSource, mostRedirects } from '../../../actions/audience/redirect-rules.ts'
import { viewForUser } from '../../../actions/sites/view-for-user.ts'
import { foldSource } from '../../../content/site/redirect-source.ts'
import type { Context } from '../../../context.ts'
import { missing } from '../../../errors.ts'
import { createdAt, endpoint, inTransaction } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { removal } from '../../../http/removal.ts'
import { normalize } from '../../../lib/normalize.ts'
import { listRedirects, type RedirectPlace, redirectPlace } from '../../../store/sites/redirects.ts'
import { SitePath } from '../schema.ts'
import { presentRedirect } from './present.ts'
import { resolveRedirect } from './resolve.ts'
import {
  ResolvedSiteRedirect,
  SiteRedirect,
  SiteRedirectBody,
  SiteRedirectPatch,
  SiteRedirectPath,
  SiteRedirectQuery,
  SiteRedirectResults,
  SiteRedirectsBody,
  SiteRedirectsQuery,
} from './schema.ts'

export const listSiteRedirects = listing({
  operationId: 'listSiteRedirects',
  summary: 'List the redirects of a site',
  description:
    'Returns the redirects, by default newest first. Redirects to parts of the site that you may not see are left out. With `orderBy=updatedAt`, the latest change comes first: a redirect that changes between two pages moves to the front, and no later page has it.',
  params: SitePath,
  query: SiteRedirectsQuery,
  item: SiteRedirect,
  access: site('read'),
  list: ({ ctx, site: row, user, role, query }) => {
    const { search, draft = false, orderBy: order } = query
    const filter = {
      siteId: row.id,
      draft,
      search: search === undefined ? undefined : normalize('NFC', search).toLowerCase(),
      hidden: [...hiddenFrom(ctx, row, user, role)],
    }

    return {
      name: `redirects ${row.id} ${order} ${draft} ${filter.search ?? ''}`,
      rows: (limit, after?: RedirectPlace) =>
        listRedirects(ctx.store, filter, limit, { order, after }),
      key: each => redirectPlace(each, order),
      show: rows => rows.map(presentRedirect),
    }
  },
})

export const createSiteRedirect = endpoint({
  operationId: 'createSiteRedirect',
  summary: 'Create a redirect of a site',
  description: `Creates a redirect from a path of the site that has no page. The destination is a section, a site space, a page, or an https address elsewhere. Deleting a section or site space also deletes the redirects to it and to its pages. A site can have ${mostRedirects} redirects, drafts included. Requires the role "create" on the site.`,
  params: SitePath,
  body: SiteRedirectBody,
  reply: SiteRedirect,
  status: 201,
  access: site('create'),
  handle: async asked => {
    const { ctx, body, by } = asked
    const set: RedirectSettings = {
      ...sourceOf(body.source),
      draft: Number(body.draft),
      capture_wildcard: Number(body.captureWildcard),
      permanent: Number(body.permanent),
      destination: await storedDestination(
        ctx,
        lookingAsUser(ctx, asked, asked.request),
        body.destination,
      ),
    }

    return inTransaction(granted => {
      const { site: row } = granted
      checkSource(ctx, row, set)
      const made = addRedirect({ ctx, view: viewOf(ctx, granted), by }, set)
      const location = `${ctx.publicUrl()}/v1/orgs/${row.organization_id}/sites/${row.id}/redirects/${made.id}`

      return createdAt(location, presentRedirect(made))
    })
  },
})

export const bulkUpsertSiteRedirects = endpoint({
  operationId: 'bulkUpsertSiteRedirects',
  summary: 'Write many redirects of a site',
  description: `Creates, replaces, deletes and publishes redirects by their path, in the order of the list: up to ${mostInBulk} changes. Each change succeeds or fails alone: the result of a failed one has the status "error" and a message. The call can be repeated safely. Requires the role "create" on the site.`,
  params: SitePath,
  body: SiteRedirectsBody,
  bodyLimit: 2_000_000,
  reply: SiteRedirectResults,
  access: site('create'),
  handle: async asked => {
    const { ctx, body, by } = asked
    const prepared = await prepareRedirects(
      ctx,
      lookingAsUser(ctx, asked, asked.request),
      body.redirects,
    )

    return inTransaction(granted => {
      const { site: row, user, role } = granted
      const hidden = hiddenFrom(ctx, row, user, role)
      return { results: putRedirects({ ctx, view: viewOf(ctx, granted), hidden, by }, prepared) }
    })
  },
})

export const updateSiteRedirectById = endpoint({
  operationId: 'updateSiteRedirectById',
  summary: 'Change a redirect of a site',
  description:
    'Properties that are left out stay unchanged. `draft: false` publishes a draft. If another redirect has the same source, the answer is a 409. Requires the role "create" on the site.',
  params: SiteRedirectPath,
  body: SiteRedirectPatch,
  reply: SiteRedirect,
  access: site('create'),
  handle: async asked => {
    const { ctx, params, body, by } = asked
    const { destination, draft, captureWildcard, permanent } = body
    await checkPage(ctx, lookingAsUser(ctx, asked, asked.request), destination)
    const set: Partial<RedirectSettings> = {
      ...(body.source !== undefined && sourceOf(body.source)),
      ...(draft !== undefined && { draft: Number(draft) }),
      ...(captureWildcard !== undefined && { capture_wildcard: Number(captureWildcard) }),
      ...(permanent !== undefined && { permanent: Number(permanent) }),
      ...(destination && { destination }),
    }

    return inTransaction(granted => {
      const before = findSeenRedirect(ctx, granted, params.siteRedirectId)
      if (!before) throw missing('redirect', params.siteRedirectId)
      if (Object.keys(set).length === 0) return presentRedirect(before)
      checkSource(ctx, granted.site, { ...before, ...set }, before.id)
      const after = changeRedirect({ ctx, view: viewOf(ctx, granted), by }, before, set)

      return presentRedirect(after)
    })
  },
})

export const deleteSiteRedirectById = removal({
  operationId: 'deleteSiteRedirectById',
  summary: 'Delete a redirect of a site',
  description:
    'Deletes the redirect. Requires the role "create" on the site. The operation also succeeds when the redirect does not exist.',
  params: SiteRedirectPath,
  access: site('create'),
  remove: ({ ctx, params, by, ...granted }) => {
    const redirect = findSeenRedirect(ctx, granted, params.siteRedirectId)
    if (redirect) removeRedirect({ ctx, view: viewOf(ctx, granted), by }, redirect)
  },
})

export const getSiteRedirectBySource = endpoint({
  operationId: 'getSiteRedirectBySource',
  summary: 'Find the redirect from a path of a site',
  description:
    'Returns the redirect that applies to a path without a page, and in `target` the address of its destination. For a site with share links, `target` contains the active key in `shareKey`, or for a reader the key of the reader. The answer is a 404 if no redirect applies, or if its destination does not exist or is hidden from you.',
  params: SitePath,
  query: SiteRedirectQuery,
  reply: ResolvedSiteRedirect,
  readers: true,
  access: readSite,
  handle: async ({ ctx, query, request, ...granted }) =>
    resolveRedirect(
      ctx,
      granted.reader
        ? await lookingAsReader(ctx, granted.reader, request)
        : lookingAsUser(ctx, granted, request),
      query,
    ),
})

/** Returns the columns of a source path. */
const sourceOf = (source: string) => ({ source, source_folded: foldSource(source) })

const viewOf = (ctx: Context, { site: row, user, role }: SiteGrant) =>
  viewForUser(ctx, row, user, role)
