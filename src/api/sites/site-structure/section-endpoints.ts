import { readSite } from '../../../access/guards/reading.ts'
import { site } from '../../../access/guards/site.ts'
import { moveItem } from '../../../actions/sites/structure/move-item.ts'
import { pageSegments } from '../../../actions/sites/structure/page-segments.ts'
import { checkPlaceable } from '../../../actions/sites/structure/place-space.ts'
import {
  addSection,
  changeSection,
  removeSection,
  type SectionChange,
} from '../../../actions/sites/structure/sections.ts'
import { sectionOf, startEdit } from '../../../actions/sites/structure/structure-edit.ts'
import { checkCondition } from '../../../content/site/conditions.ts'
import { readSegment } from '../../../content/site/path.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { removal } from '../../../http/removal.ts'
import { readStructure } from '../../../store/sites/structure.ts'
import { seenSite } from '../load.ts'
import { presentSection } from '../present.ts'
import { SitePath } from '../schema.ts'
import { SiteSection } from '../structure-schema.ts'
import { createdIn, editStructure } from './edit.ts'
import { listParts } from './list-parts.ts'
import {
  SectionBody,
  SectionMove,
  SectionPatch,
  SectionPath,
  StructureListQuery,
} from './schema.ts'

export const listSiteSections = listing({
  operationId: 'listSiteSections',
  summary: 'List the sections of a site',
  description:
    'Returns all sections in the order of the structure, including sections in section groups.',
  params: SitePath,
  query: StructureListQuery,
  item: SiteSection,
  readers: true,
  access: readSite,
  list: async ({ ctx, query: { shareKey }, ...granted }) => {
    const { view, show } = await seenSite(ctx, granted, shareKey)
    return listParts(view, view.sections, {
      list: 'site-sections',
      siteSpacesOf: section => section.siteSpaces,
      show,
      present: presentSection,
    })
  },
})

export const addSectionToSite = endpoint({
  operationId: 'addSectionToSite',
  summary: 'Add a section to a site',
  description:
    'Adds a section with one space, at the end of the root. If the site had no sections, its site spaces first become a section with the title of the site. Requires the role "create" on the site and on the space.',
  params: SitePath,
  body: SectionBody,
  reply: SiteSection,
  status: 201,
  access: site('create'),
  handle: async asked => {
    const { ctx, site: row, user, body, params } = asked
    const before = checkPlaceable(ctx, row, body.spaceId, user.id)
    const avoid = await pageSegments(ctx, row, before)

    return editStructure(
      asked,
      (edit, parts) => {
        const space = checkPlaceable(ctx, edit.site, body.spaceId, user.id)
        const id = addSection(edit, space, body, avoid)
        return createdIn(ctx, params, 'sections', parts.section(id))
      },
      body.spaceId,
    )
  },
})

export const updateSiteSectionById = endpoint({
  operationId: 'updateSiteSectionById',
  summary: 'Update a section of a site',
  description:
    'Properties that are left out stay unchanged. After a change of `path`, the former path redirects to the new one. Requires the role "create" on the site.',
  params: SectionPath,
  body: SectionPatch,
  reply: SiteSection,
  access: site('create'),
  handle: asked =>
    editStructure(asked, (edit, parts) => {
      const { params, body } = asked
      const row = sectionOf(edit, params.siteSectionId)
      const { path, defaultSiteSpace, draft, ...fields } = body
      if (fields.condition) checkCondition(fields.condition, 'visitor')

      const change: SectionChange = Object.fromEntries(
        Object.entries({
          ...fields,
          path: path === undefined ? undefined : readSegment(path),
          draft: draft === undefined ? undefined : Number(draft),
          default_site_space_id: defaultSiteSpace,
        }).filter(([, value]) => value !== undefined),
      )

      changeSection(edit, row, change)

      return parts.section(row.id)
    }),
})

export const deleteSiteSectionById = removal({
  operationId: 'deleteSiteSectionById',
  summary: 'Delete a section of a site',
  description:
    'Deletes the section and removes its spaces from the site; the spaces themselves stay. Requires the role "create" on the site. The operation also succeeds when the section does not exist.',
  params: SectionPath,
  access: site('create'),
  remove: asked => {
    const { sections } = readStructure(asked.ctx.store, asked.site.id)
    const row = sections.find(({ id }) => id === asked.params.siteSectionId)
    if (row) removeSection(startEdit(asked), row)
  },
})

export const moveSiteSection = endpoint({
  operationId: 'moveSiteSection',
  deprecated: true,
  summary: 'Move a section of a site',
  description:
    'Deprecated: use `sortSiteStructure`. Moves the section before or after another section, into the group of that section if it has one. Without `position`, the section moves to the end of the root. Requires the role "create" on the site.',
  params: SectionPath,
  body: SectionMove,
  bodyOptional: true,
  reply: SiteSection,
  access: site('create'),
  handle: asked =>
    editStructure(asked, (edit, parts) => {
      const { id } = sectionOf(edit, asked.params.siteSectionId)
      moveItem(edit, { type: 'site-section', id }, asked.body.position ?? {})
      return parts.section(id)
    }),
})
