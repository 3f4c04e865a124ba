import { checkSite, site } from '../../access/guards/site.ts'
import {
  publishSite as publishNow,
  spacesOf,
  unpublishSite as unpublishNow,
} from '../../actions/sites/publish-site.ts'
import { recordSiteEvent } from '../../actions/sites/record-site-event.ts'
import { deriveSpaceVisibility } from '../../actions/sites/structure/derive-space-visibility.ts'
import { endpoint } from '../../http/endpoint.ts'
import { removal } from '../../http/removal.ts'
import { clearDefaultContent } from '../../store/people/organizations.ts'
import { deleteSite } from '../../store/sites/sites.ts'
import { changeSiteSettings, roleForSettings } from './change-settings.ts'
import { loadSite } from './load.ts'
import { Site, SitePatch, SitePath } from './schema.ts'

export const updateSiteById = endpoint({
  operationId: 'updateSiteById',
  summary: 'Update the settings of a site',
  description:
    'Properties that are left out stay unchanged. The title and the defaults require the role "create" on the site, all other settings "admin". A change of `visibility`, `membersOnly`, `agentsContext` or `adaptiveContent` ends all reading tokens of the site. After a change of `basename`, the former address redirects to the new one.',
  params: SitePath,
  body: SitePatch,
  reply: Site,
  access: site('create'),
  write: ({ ctx, user, params, body, by }) => {
    const { site: row, role } = checkSite(ctx, params, user, roleForSettings(body))
    return loadSite(ctx, changeSiteSettings(ctx, row, body, user, by), user, role)
  },
})

export const deleteSiteById = removal({
  operationId: 'deleteSiteById',
  summary: 'Delete a site',
  description:
    'Deletes the site with its structure, share links, redirects and settings; its spaces stay. Requires the role "admin" on the site. The operation also succeeds when the site does not exist.',
  params: SitePath,
  access: site('admin'),
  remove: ({ ctx, site: row, by }) => {
    const spaces = spacesOf(ctx, row)

    deleteSite(ctx.store, row.id)
    clearDefaultContent(ctx.store, row.organization_id, row.id)
    recordSiteEvent(ctx, row, 'site.deleted', by, { basename: row.basename, spaces })
    deriveSpaceVisibility(ctx, spaces, by)
  },
})

export const publishSite = endpoint({
  operationId: 'publishSite',
  summary: 'Publish a site',
  description:
    'Makes the site available to its audience immediately. Has no effect on a site that is already published. Requires the role "admin" on the site.',
  params: SitePath,
  reply: Site,
  access: site('admin'),
  write: ({ ctx, site: row, role, user, by }) => {
    if (row.published) return loadSite(ctx, row, user, role)
    const changed = publishNow(ctx, row, by)
    return loadSite(ctx, changed, user, role)
  },
})

export const unpublishSite = endpoint({
  operationId: 'unpublishSite',
  summary: 'Unpublish a site',
  description:
    'Readers can no longer open the site; its settings stay. A site that is not published stays unchanged. Requires the role "admin" on the site.',
  params: SitePath,
  reply: Site,
  access: site('admin'),
  write: ({ ctx, site: row, role, user, by }) => {
    if (!row.published) return loadSite(ctx, row, user, role)
    const changed = unpublishNow(ctx, row, by)
    return loadSite(ctx, changed, user, role)
  },
})
