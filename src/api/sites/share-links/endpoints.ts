import { site } from '../../../access/guards/site.ts'
import { baseOfSite } from '../../../actions/sites/addresses.ts'
import { recordSiteEvent } from '../../../actions/sites/record-site-event.ts'
import type { Context } from '../../../context.ts'
import { Fault, missing } from '../../../errors.ts'
import { createdAt, endpoint } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { removal } from '../../../http/removal.ts'
import { randomId, sha256 } from '../../../lib/digest.ts'
import { normalize } from '../../../lib/normalize.ts'
import {
  countShareLinks,
  deleteShareLink,
  findShareLink,
  insertShareLink,
  listShareLinks,
  updateShareLink,
} from '../../../store/sites/share-links.ts'
import type { ShareLinkRow, SiteRow } from '../../../store/tables/rows.ts'
import { SitePath } from '../schema.ts'
import { presentShareLink } from './present.ts'
import {
  ShareLink,
  ShareLinkBody,
  ShareLinkPatch,
  ShareLinkPath,
  ShareLinksQuery,
} from './schema.ts'

/** The maximum number of share links of a site. */
const mostShareLinks = 1000

const load = (ctx: Context, site: SiteRow, row: ShareLinkRow) =>
  presentShareLink(row, {
    base: baseOfSite(ctx, site),
    key: ctx.keys.open('share link', row.key_sealed),
  })

export const listSiteShareLinks = listing({
  operationId: 'listSiteShareLinks',
  summary: 'List the share links of a site',
  description:
    'Returns the share links newest first, with their keys. Requires the role "admin" on the site.',
  params: SitePath,
  query: ShareLinksQuery,
  item: ShareLink,
  access: site('admin'),
  list: ({ ctx, site: row, query: { search } }) => ({
    name: `share links ${row.id} ${search ?? ''}`,
    rows: (limit, after) => {
      if (search === undefined) return listShareLinks(ctx.store, row.id, limit, after)
      const found = listShareLinks(ctx.store, row.id, mostShareLinks, after)
      return found.filter(matching(search)).slice(0, limit)
    },
    show: rows => rows.map(each => load(ctx, row, each)),
  }),
})

/** Returns a filter of share links by a part of their name, or by their key. */
function matching(search: string): (row: ShareLinkRow) => boolean {
  const [words, key] = [normalize('NFC', search).toLowerCase(), sha256(search)]
  return ({ name, key_hash }) =>
    key_hash === key || normalize('NFC', name).toLowerCase().includes(words)
}

export const createSiteShareLink = endpoint({
  operationId: 'createSiteShareLink',
  summary: 'Create a share link',
  description: `Creates a share link; a site can have ${mostShareLinks}. While the link is active and the visibility of the site is "share-link", everyone with the address of the link may read the site. The answer contains the key, so the operation accepts no Idempotency-Key. Requires the role "admin" on the site.`,
  params: SitePath,
  body: ShareLinkBody,
  reply: ShareLink,
  status: 201,
  access: site('admin'),
  unstored: 'the key of a share link is not stored in answers.',
  write: ({ ctx, site: row, user, body, by }) => {
    if (countShareLinks(ctx.store, row.id) >= mostShareLinks)
      throw new Fault(
        'limit_reached',
        `The site has ${mostShareLinks} share links, which is the limit. Delete one first.`,
      )

    const key = randomId()
    const link = insertShareLink(ctx.store, key, {
      id: randomId(),
      site_id: row.id,
      name: body.name,
      key_sealed: ctx.keys.seal('share link', key),
      created_by: user.id,
      created_at: ctx.now().toISOString(),
    })

    recordSiteEvent(ctx, row, 'share_link.created', by, { shareLink: link.id })
    const location = `${ctx.publicUrl()}/v1/orgs/${row.organization_id}/sites/${row.id}/share-links/${link.id}`

    return createdAt(location, load(ctx, row, link))
  },
})

export const updateSiteShareLinkById = endpoint({
  operationId: 'updateSiteShareLinkById',
  summary: 'Rename, deactivate or activate a share link',
  description:
    'Changes the name or `active`. Deactivating a link ends the access of readers who came with it. The key of a link never changes: to replace it, delete the link and create another. Requires the role "admin" on the site.',
  params: ShareLinkPath,
  body: ShareLinkPatch,
  reply: ShareLink,
  access: site('admin'),
  write: ({ ctx, site: row, params, body, by }) => {
    const before = findShareLink(ctx.store, row.id, params.shareLinkId)
    if (!before) throw missing('share link', params.shareLinkId)
    const after = updateShareLink(ctx.store, before.id, {
      ...(body.name !== undefined && { name: body.name }),
      ...(body.active !== undefined && { active: Number(body.active) }),
    }) as ShareLinkRow

    recordSiteEvent(ctx, row, 'share_link.updated', by, {
      shareLink: after.id,
      changed: Object.keys(body).sort(),
      active: after.active === 1,
    })

    return load(ctx, row, after)
  },
})

export const deleteSiteShareLinkById = removal({
  operationId: 'deleteSiteShareLinkById',
  summary: 'Delete a share link',
  description:
    'Deletes the link; its address stops working immediately. Requires the role "admin" on the site. The operation also succeeds when the link does not exist.',
  params: ShareLinkPath,
  access: site('admin'),
  remove: ({ ctx, site: row, params, by }) => {
    const link = findShareLink(ctx.store, row.id, params.shareLinkId)
    if (!link) return
    deleteShareLink(ctx.store, link.id)
    recordSiteEvent(ctx, row, 'share_link.deleted', by, { shareLink: link.id })
  },
})
