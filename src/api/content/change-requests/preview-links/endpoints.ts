import { changeRequest } from '../../../../access/guards/change-request.ts'
import { tokenOf } from '../../../../access/guards/self.ts'
import { checkSite, site } from '../../../../access/guards/site.ts'
import { covers } from '../../../../access/scopes.ts'
import { mayReadLive } from '../../../../access/space-role.ts'
import { previewOfChangeRequest } from '../../../../actions/sites/reading-address.ts'
import { recordSiteEvent } from '../../../../actions/sites/record-site-event.ts'
import type { Context } from '../../../../context.ts'
import { Fault, missing } from '../../../../errors.ts'
import { createdAt, endpoint } from '../../../../http/endpoint.ts'
import { listing } from '../../../../http/list.ts'
import { removal } from '../../../../http/removal.ts'
import { randomId } from '../../../../lib/digest.ts'
import {
  countPreviewLinks,
  deleteExpiredPreviewLinks,
  deletePreviewLink,
  findPreviewLink,
  insertPreviewLink,
  listLinkedSpaces,
  listLinksOfSite,
  listPreviewLinks,
} from '../../../../store/sites/preview-links.ts'
import { findSite, listSitesWithSpace } from '../../../../store/sites/sites.ts'
import type { SiteRow, SpaceRow } from '../../../../store/tables/rows.ts'
import { ChangeRequestPath } from '../../../base/paths-schema.ts'
import { SitePath } from '../../../sites/schema.ts'
import { presentPreviewLink } from './present.ts'
import { PreviewLink, PreviewLinkBody, PreviewLinkPath } from './schema.ts'

/** The maximum number of preview links of a change request. */
const mostLinks = 100
const day = 86_400_000
/** The scopes that a token needs beside that of the operation: an address outlives the token. */
const needed = ['content:read', 'sites:admin'] as const

export const listPreviewLinksOfChangeRequest = listing({
  operationId: 'listPreviewLinksOfChangeRequest',
  summary: 'List the preview links of a change request',
  description: 'Returns the preview links newest first, including expired ones.',
  params: ChangeRequestPath,
  item: PreviewLink,
  access: changeRequest('create'),
  list: ({ ctx, changeRequest: { id } }) => ({
    name: `preview links ${id}`,
    rows: (limit, after) => listPreviewLinks(ctx.store, id, limit, after),
    show: rows => rows.map(row => presentPreviewLink(row)),
  }),
})

export const listPreviewLinksOfSite = listing({
  operationId: 'listPreviewLinksOfSite',
  summary: 'List the preview links of all change requests on a site',
  description:
    'Returns the preview links newest first, including expired ones. Links to spaces that you may not read are left out. Delete a link with `DELETE /spaces/{space}/change-requests/{changeRequest}/preview-links/{id}`. Requires the role "admin" on the site.',
  params: SitePath,
  item: PreviewLink,
  access: site('admin'),
  list: ({ ctx, site: { id }, user }) => {
    const linked = listLinkedSpaces(ctx.store, id)
    const readable = linked.filter(spaceId => mayReadLive(ctx, spaceId, user.id))

    return {
      name: `preview links of site ${id}`,
      rows: (limit, after) => listLinksOfSite(ctx.store, id, readable, limit, after),
      show: rows => rows.map(row => presentPreviewLink(row)),
    }
  },
})

export const createPreviewLinkOfChangeRequest = endpoint({
  operationId: 'createPreviewLinkOfChangeRequest',
  summary: 'Create an address that shows a change request to everyone who has it',
  description: `Creates an address at which everyone can read the pages of the change request without an account, but nothing else of the site and no history; a change request can have ${mostLinks}. The address stops working on the day when it expires, when it is deleted, when the change request is archived, and when the site is unpublished or its audience changes. It works independently of your token and role. The answer contains the key, so the operation accepts no Idempotency-Key. Requires the role "create" in the space and on the site, and a token that also has the scopes "content:read" and "sites:admin".`,
  params: ChangeRequestPath,
  body: PreviewLinkBody,
  bodyOptional: true,
  reply: PreviewLink,
  status: 201,
  access: changeRequest('create'),
  unstored: 'the key of a preview link is not stored in answers.',
  write: ({ ctx, actor, space, changeRequest: row, user, body, by }) => {
    const lacking = needed.find(scope => !covers(tokenOf(actor).scopes, scope))
    if (lacking)
      throw new Fault(
        'scope_required',
        `A preview link needs a token with the scope "${lacking}", which your token does not have.`,
      )
    if (row.status === 'archived')
      throw new Fault('change_request_archived', 'The change request is archived. Reopen it first.')

    const site = siteOf(ctx, space, body.site)
    checkSite(ctx, { organizationId: site.organization_id, siteId: site.id }, user, 'create')
    const [key, at] = [randomId(), ctx.now()]
    deleteExpiredPreviewLinks(ctx.store, row.id, at.toISOString())
    if (countPreviewLinks(ctx.store, row.id) >= mostLinks)
      throw new Fault(
        'limit_reached',
        `The change request has ${mostLinks} preview links, which is the limit. Delete one first.`,
      )

    const link = insertPreviewLink(ctx.store, key, {
      id: randomId(),
      site_id: site.id,
      space_id: space.id,
      change_request_id: row.id,
      access_version: site.access_version,
      created_by: user.id,
      created_at: at.toISOString(),
      expires_at: new Date(at.getTime() + body.days * day).toISOString(),
    })

    recordSiteEvent(ctx, site, 'preview_link.created', by, {
      previewLink: link.id,
      changeRequest: row.id,
      expiresAt: link.expires_at,
    })
    const location = `${ctx.publicUrl()}/v1/spaces/${space.id}/change-requests/${row.id}/preview-links/${link.id}`
    const url = `${previewOfChangeRequest(ctx, site, row)}?token=${key}`

    return createdAt(location, presentPreviewLink(link, url))
  },
})

/**
 * Returns the site with an id that shows a space, or the oldest such site. Throws 'missing' and
 * 'conflict'.
 */
function siteOf(ctx: Context, space: SpaceRow, id: string | undefined): SiteRow {
  const sites = listSitesWithSpace(ctx.store, space.id)
  const site = id === undefined ? sites[0] : sites.find(each => each.id === id)
  if (site) return site
  if (id !== undefined) throw missing('site', id)
  throw new Fault(
    'not_on_site',
    'No site shows the space. Create one first: it need not be published.',
  )
}

export const deletePreviewLinkOfChangeRequest = removal({
  operationId: 'deletePreviewLinkOfChangeRequest',
  summary: 'Delete a preview link of a change request',
  description:
    'Deletes the link; its address stops working immediately. The operation also succeeds when the link does not exist.',
  params: PreviewLinkPath,
  access: changeRequest('create'),
  remove: ({ ctx, changeRequest: { id }, params, by }) => {
    const link = findPreviewLink(ctx.store, id, params.previewLinkId)
    const site = link && findSite(ctx.store, link.site_id)
    if (!link || !site) return
    deletePreviewLink(ctx.store, link.id)
    recordSiteEvent(ctx, site, 'preview_link.deleted', by, { previewLink: link.id })
  },
})
