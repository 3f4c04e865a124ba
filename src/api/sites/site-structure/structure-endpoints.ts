import { readSite } from '../../../access/guards/reading.ts'
import { site } from '../../../access/guards/site.ts'
import { checkItem } from '../../../actions/sites/structure/arrange-item.ts'
import { externalLinkOf } from '../../../actions/sites/structure/external-links.ts'
import { moveItem } from '../../../actions/sites/structure/move-item.ts'
import type {
  StructureEdit,
  StructureItem,
} from '../../../actions/sites/structure/structure-edit.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { seenSite } from '../load.ts'
import { presentExternalLink, presentStructure } from '../present.ts'
import { ShareKeyQuery, SitePath } from '../schema.ts'
import { SiteStructure } from '../structure-schema.ts'
import { editStructure, type ShownParts } from './edit.ts'
import { SiteStructureItem, SortBody } from './schema.ts'

export const getSiteStructure = endpoint({
  operationId: 'getSiteStructure',
  summary: 'Get the structure of a site',
  description:
    'Returns the sections, section groups and external links of the site; for a site without sections, its site spaces. Parts that you may not see are left out.',
  params: SitePath,
  query: ShareKeyQuery,
  reply: SiteStructure,
  readers: true,
  access: readSite,
  handle: async ({ ctx, query: { shareKey }, ...granted }) => {
    const { view, show } = await seenSite(ctx, granted, shareKey)
    return presentStructure(view, await show(view))
  },
})

export const sortSiteStructure = endpoint({
  operationId: 'sortSiteStructure',
  summary: 'Move an item in the structure of a site',
  description:
    'Moves an item before or after another item, to the parent of that item. Without `position`, a section, section group or external link moves to the end of the root, and a site space to the end of its list. Requires the role "create" on the site.',
  params: SitePath,
  body: SortBody,
  reply: SiteStructureItem,
  access: site('create'),
  handle: asked =>
    editStructure(asked, (edit, parts) => {
      const { item, position } = asked.body
      checkItem(edit, item)
      moveItem(edit, item, position)
      return show(edit, parts, item)
    }),
})

function show(edit: StructureEdit, parts: ShownParts, { type, id }: StructureItem) {
  if (type === 'site-external-link')
    return presentExternalLink(externalLinkOf(edit, id), { conditions: true })
  if (type === 'site-space') return parts.siteSpace(id)
  return type === 'site-section' ? parts.section(id) : parts.group(id)
}
