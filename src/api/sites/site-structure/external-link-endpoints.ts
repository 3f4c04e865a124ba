import { site } from '../../../access/guards/site.ts'
import {
  addExternalLink,
  changeExternalLink,
  type ExternalLinkSettings,
  externalLinkOf,
  removeExternalLink,
} from '../../../actions/sites/structure/external-links.ts'
import { startEdit } from '../../../actions/sites/structure/structure-edit.ts'
import { checkCondition } from '../../../content/site/conditions.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { removal } from '../../../http/removal.ts'
import { readStructure } from '../../../store/sites/structure.ts'
import { presentExternalLink } from '../present.ts'
import { SitePath } from '../schema.ts'
import { SiteExternalLink } from '../structure-schema.ts'
import { createdIn } from './edit.ts'
import { ExternalLinkBody, ExternalLinkPatch, ExternalLinkPath } from './schema.ts'

export const addExternalLinkToSite = endpoint({
  operationId: 'addExternalLinkToSite',
  summary: 'Add an external link to a site',
  description:
    'Adds a link to an address elsewhere, at the end of the root or of a section group. Readers see it as a tab among the sections. The site must have sections. `sortSiteStructure` moves the link. Requires the role "create" on the site.',
  params: SitePath,
  body: ExternalLinkBody,
  reply: SiteExternalLink,
  status: 201,
  access: site('create'),
  write: asked => {
    const { ctx, params, body } = asked
    const { parent = null, draft, ...fields } = body
    if (fields.condition) checkCondition(fields.condition, 'visitor')
    const edit = startEdit(asked)
    const set: ExternalLinkSettings = { ...fields, draft: Number(draft) }
    const id = addExternalLink(edit, set, parent)
    return createdIn(ctx, params, 'external-links', shown(externalLinkOf(edit, id)))
  },
})

export const updateSiteExternalLinkById = endpoint({
  operationId: 'updateSiteExternalLinkById',
  summary: 'Update an external link of a site',
  description:
    'Properties that are left out stay unchanged. With `parent`, the link moves to the end of that section group; with null, to the end of the root. Requires the role "create" on the site.',
  params: ExternalLinkPath,
  body: ExternalLinkPatch,
  reply: SiteExternalLink,
  access: site('create'),
  write: asked => {
    const { params, body } = asked
    const { parent, draft, ...fields } = body
    if (fields.condition) checkCondition(fields.condition, 'visitor')
    const edit = startEdit(asked)
    const row = externalLinkOf(edit, params.siteExternalLinkId)
    const set = { ...fields, ...(draft !== undefined && { draft: Number(draft) }) }
    changeExternalLink(edit, row, set as Partial<ExternalLinkSettings>, parent)
    return shown(externalLinkOf(edit, row.id))
  },
})

export const deleteSiteExternalLinkById = removal({
  operationId: 'deleteSiteExternalLinkById',
  summary: 'Delete an external link of a site',
  description:
    'Deletes the link. Requires the role "create" on the site. The operation also succeeds when the link does not exist.',
  params: ExternalLinkPath,
  access: site('create'),
  remove: asked => {
    const { links } = readStructure(asked.ctx.store, asked.site.id)
    const row = links.find(({ id }) => id === asked.params.siteExternalLinkId)
    if (row) removeExternalLink(startEdit(asked), row)
  },
})

const shown = (row: Parameters<typeof presentExternalLink>[0]) =>
  presentExternalLink(row, { conditions: true })
