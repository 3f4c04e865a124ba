import { site } from '../../../access/guards/site.ts'
import { moveItem } from '../../../actions/sites/structure/move-item.ts'
import { pageSegments } from '../../../actions/sites/structure/page-segments.ts'
import {
  addSectionGroup,
  addToGroup,
  changeSectionGroup,
  removeSectionGroup,
  takeFromGroup,
} from '../../../actions/sites/structure/section-groups.ts'
import { groupOf, sectionOf, startEdit } from '../../../actions/sites/structure/structure-edit.ts'
import { viewForUser } from '../../../actions/sites/view-for-user.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { removal } from '../../../http/removal.ts'
import { readStructure, rememberedStructure } from '../../../store/sites/structure.ts'
import { shownToUser } from '../load.ts'
import { presentSectionGroup } from '../present.ts'
import { SitePath } from '../schema.ts'
import { SiteSectionGroup } from '../structure-schema.ts'
import { createdIn, editStructure, siteSpacesIn } from './edit.ts'
import { listParts } from './list-parts.ts'
import {
  SectionGroupBody,
  SectionGroupMove,
  SectionGroupPatch,
  SectionGroupPath,
  SectionInGroupBody,
  SectionInGroupPath,
} from './schema.ts'

export const listSiteSectionGroups = listing({
  operationId: 'listSiteSectionGroups',
  summary: 'List the section groups of a site',
  description:
    'Returns all section groups in the order of the structure. A group inside another group is listed as well.',
  params: SitePath,
  item: SiteSectionGroup,
  access: site('read'),
  list: ({ ctx, site: row, user, role }) => {
    const view = viewForUser(ctx, row, user, role)
    return listParts(view, view.groups, {
      list: 'site-section-groups',
      siteSpacesOf: siteSpacesIn,
      show: part => shownToUser(ctx, part, user),
      present: presentSectionGroup,
    })
  },
})

export const addSectionGroupToSite = endpoint({
  operationId: 'addSectionGroupToSite',
  summary: 'Add a section group to a site',
  description:
    'Adds a section group at the end of the root or of a parent group, and moves the sections in `sections` into it. If the site had no sections, its site spaces first become a section with the title of the site. Requires the role "create" on the site.',
  params: SitePath,
  body: SectionGroupBody,
  reply: SiteSectionGroup,
  status: 201,
  access: site('create'),
  handle: async asked => {
    const { ctx, site: row, params, body } = asked
    const { title, icon = null, parent = null, sections = [], draft } = body
    const { siteSpaces } = rememberedStructure(ctx.store, row)
    const converts = siteSpaces.some(each => each.section_id === null)
    const avoid = converts ? await pageSegments(ctx, row) : new Set<string>()

    return editStructure(asked, (edit, parts) => {
      const id = addSectionGroup(edit, { title, icon, parent, sections, draft }, avoid)
      return createdIn(ctx, params, 'section-groups', parts.group(id))
    })
  },
})

export const updateSiteSectionGroupById = endpoint({
  operationId: 'updateSiteSectionGroupById',
  summary: 'Update a section group of a site',
  description:
    'Properties that are left out stay unchanged. Requires the role "create" on the site.',
  params: SectionGroupPath,
  body: SectionGroupPatch,
  reply: SiteSectionGroup,
  access: site('create'),
  handle: asked =>
    editStructure(asked, (edit, parts) => {
      const row = groupOf(edit, asked.params.siteSectionGroupId)
      changeSectionGroup(edit, row, asked.body)
      return parts.group(row.id)
    }),
})

export const deleteSiteSectionGroupById = removal({
  operationId: 'deleteSiteSectionGroupById',
  summary: 'Delete a section group of a site',
  description:
    'Deletes the group; its sections and groups take its place in the structure. Requires the role "create" on the site. The operation also succeeds when the group does not exist.',
  params: SectionGroupPath,
  access: site('create'),
  remove: asked => {
    const { groups } = readStructure(asked.ctx.store, asked.site.id)
    const row = groups.find(({ id }) => id === asked.params.siteSectionGroupId)
    if (row) removeSectionGroup(startEdit(asked), row)
  },
})

export const moveSiteSectionGroup = endpoint({
  operationId: 'moveSiteSectionGroup',
  deprecated: true,
  summary: 'Move a section group of a site',
  description:
    'Deprecated: use `sortSiteStructure`. Moves the group before or after a section or another group, to the parent of that item. Without `position`, the group moves to the end of the root. Requires the role "create" on the site.',
  params: SectionGroupPath,
  body: SectionGroupMove,
  bodyOptional: true,
  reply: SiteSectionGroup,
  access: site('create'),
  handle: asked =>
    editStructure(asked, (edit, parts) => {
      const { id } = groupOf(edit, asked.params.siteSectionGroupId)
      moveItem(edit, { type: 'site-section-group', id }, asked.body.position ?? {})
      return parts.group(id)
    }),
})

export const addSectionToGroup = endpoint({
  operationId: 'addSectionToGroup',
  summary: 'Add a section to a section group',
  description:
    'Moves a section of the site to the end of the group. A section that is in the group already keeps its place. Requires the role "create" on the site.',
  params: SectionGroupPath,
  body: SectionInGroupBody,
  reply: SiteSectionGroup,
  status: 201,
  access: site('create'),
  handle: asked =>
    editStructure(asked, (edit, parts) => {
      const group = groupOf(edit, asked.params.siteSectionGroupId)
      addToGroup(edit, group, sectionOf(edit, asked.body.sectionId))
      return createdIn(asked.ctx, asked.params, 'section-groups', parts.group(group.id))
    }),
})

export const removeSectionFromGroup = removal({
  operationId: 'removeSectionFromGroup',
  summary: 'Remove a section from a section group',
  description:
    'Moves the section out of the group, to the place behind it. Requires the role "create" on the site. The operation also succeeds when the section is not in the group.',
  params: SectionInGroupPath,
  access: site('create'),
  remove: asked => {
    const { groups, sections } = readStructure(asked.ctx.store, asked.site.id)
    const group = groups.find(({ id }) => id === asked.params.siteSectionGroupId)
    const section = sections.find(({ id }) => id === asked.params.siteSectionId)
    if (group && section?.group_id === group.id) takeFromGroup(startEdit(asked), group, section)
  },
})
