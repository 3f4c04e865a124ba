import { readSite } from '../../../access/guards/reading.ts'
import { site } from '../../../access/guards/site.ts'
import { roleOnSpace } from '../../../access/space-role.ts'
import { moveItem } from '../../../actions/sites/structure/move-item.ts'
import { pageSegments } from '../../../actions/sites/structure/page-segments.ts'
import { placeCopy } from '../../../actions/sites/structure/place-copy.ts'
import { checkPlaceable } from '../../../actions/sites/structure/place-space.ts'
import {
  addSiteSpace,
  changeSiteSpace,
  removeSiteSpace,
} from '../../../actions/sites/structure/site-spaces.ts'
import {
  type StructureEdit,
  siteSpaceOf,
  startEdit,
} from '../../../actions/sites/structure/structure-edit.ts'
import { duplicateForSite } from '../../../actions/spaces/duplicate-for-site.ts'
import { checkCondition } from '../../../content/site/conditions.ts'
import { readSegment } from '../../../content/site/path.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { removal } from '../../../http/removal.ts'
import { readStructure, rememberedStructure } from '../../../store/sites/structure.ts'
import { findSpace } from '../../../store/spaces/spaces.ts'
import type { SiteSpaceRow } from '../../../store/tables/rows.ts'
import { seenSite } from '../load.ts'
import { presentSiteSpace } from '../present.ts'
import { SitePath } from '../schema.ts'
import { SiteSpace } from '../structure-schema.ts'
import { createdIn, editStructure } from './edit.ts'
import { listParts } from './list-parts.ts'
import {
  DuplicateBody,
  SiteSpaceBody,
  SiteSpaceMove,
  SiteSpacePatch,
  SiteSpacePath,
  SiteSpacesQuery,
} from './schema.ts'

export const listSiteSpaces = listing({
  operationId: 'listSiteSpaces',
  summary: 'List the spaces of a site',
  description:
    'Returns the site spaces in the order of the structure. Those whose space you may not see are left out.',
  params: SitePath,
  query: SiteSpacesQuery,
  item: SiteSpace,
  readers: true,
  access: readSite,
  list: async ({ ctx, query: { shareKey, default: wanted }, ...granted }) => {
    const { view, show } = await seenSite(ctx, granted, shareKey)
    const items = view.siteSpaces.filter(
      ({ isDefault }) => wanted === undefined || isDefault === wanted,
    )
    return listParts(view, items, {
      list: `site-spaces ${wanted ?? 'all'}`,
      siteSpacesOf: siteSpace => [siteSpace],
      show,
      present: presentSiteSpace,
    })
  },
})

export const addSpaceToSite = endpoint({
  operationId: 'addSpaceToSite',
  summary: 'Add a space to a site',
  description:
    'Adds a space at the end of a section, or of the root of a site without sections. Requires the role "create" on the site and on the space, because the site can make the space public.',
  params: SitePath,
  body: SiteSpaceBody,
  reply: SiteSpace,
  status: 201,
  access: site('create'),
  handle: async asked => {
    const { ctx, site: row, user, params, body } = asked
    const before = checkPlaceable(ctx, row, body.spaceId, user.id)
    const { sections } = rememberedStructure(ctx.store, row)
    const avoid = sections.length === 0 ? await pageSegments(ctx, row, before) : new Set<string>()

    return editStructure(
      asked,
      (edit, parts) => {
        const space = checkPlaceable(ctx, edit.site, body.spaceId, user.id)
        const id = addSiteSpace(edit, space, body, avoid)
        return createdIn(ctx, params, 'site-spaces', parts.siteSpace(id))
      },
      body.spaceId,
    )
  },
})

export const duplicateSiteSpace = endpoint({
  operationId: 'duplicateSiteSpace',
  summary: 'Duplicate a space of a site',
  description:
    'Copies the space as `duplicateSpace` does, and adds the copy behind the original, with the same conditions and customization. The copy is another variant in the same section; if the original is the only space of its section, the copy gets a new section. Requires the role "create" on the site and on the space, and in the organization or on the parent collection.',
  params: SiteSpacePath,
  body: DuplicateBody,
  bodyOptional: true,
  reply: SiteSpace,
  status: 201,
  access: site('create'),
  handle: async asked => {
    const { ctx, site: row, user, params, body, request } = asked
    const { space } = siteSpaceOf(startEdit(asked), params.siteSpaceId)
    const { copy, avoid } = await duplicateForSite(
      ctx,
      { site: row, space, user },
      request.idempotency,
      request.origin,
    )

    return editStructure(
      asked,
      (edit, parts) => {
        const original = siteSpaceOf(edit, params.siteSpaceId).row
        const space = checkPlaceable(ctx, edit.site, copy.id, user.id)
        const id = placeCopy(edit, original, { space, ...body }, avoid)
        return createdIn(ctx, params, 'site-spaces', parts.siteSpace(id))
      },
      copy.id,
    )
  },
})

export const updateSiteSpaceById = endpoint({
  operationId: 'updateSiteSpaceById',
  summary: 'Update a space of a site',
  description:
    'Properties that are left out stay unchanged. After a change of `path`, the former path redirects to the new one. Requires the role "create" on the site; to show another space, also on that space.',
  params: SiteSpacePath,
  body: SiteSpacePatch,
  reply: SiteSpace,
  access: site('create'),
  handle: asked => {
    const { ctx, user, params, body } = asked
    const { path, condition, draft, spaceId } = body
    return editStructure(
      asked,
      (edit, parts) => {
        const { row } = siteSpaceOf(edit, params.siteSpaceId)
        if (condition) checkCondition(condition, 'visitor+space')
        changeSiteSpace(edit, row, {
          path: path === undefined ? undefined : readSegment(path),
          condition,
          draft,
          space:
            spaceId === undefined ? undefined : checkPlaceable(ctx, edit.site, spaceId, user.id),
        })

        return parts.siteSpace(row.id)
      },
      spaceId,
    )
  },
})

export const deleteSiteSpaceById = removal({
  operationId: 'deleteSiteSpaceById',
  summary: 'Remove a space from a site',
  description:
    'Removes the space from the site; the space itself stays. A space that is deleted and restored does not return to the site. Requires the role "create" on the site. The operation also succeeds when the site space does not exist.',
  params: SiteSpacePath,
  access: site('create'),
  remove: asked => {
    const edit = startEdit(asked)
    const row = removable(edit, asked.params.siteSpaceId, asked.user.id)
    if (row) removeSiteSpace(edit, row)
  },
})

/** Returns a site space whose space a user may read, or might if it were not deleted. */
function removable(
  { ctx, site }: StructureEdit,
  id: string,
  userId: string,
): SiteSpaceRow | undefined {
  const row = readStructure(ctx.store, site.id).siteSpaces.find(each => each.id === id)
  const space = row && findSpace(ctx.store, row.space_id)
  return space && roleOnSpace(ctx, space, userId) !== null ? row : undefined
}

export const moveSiteSpace = endpoint({
  operationId: 'moveSiteSpace',
  deprecated: true,
  summary: 'Move a space of a site',
  description:
    'Deprecated: use `sortSiteStructure`. Moves the site space before or after another one, also into the section of that one. Without `position`, the site space moves to the end of its list. Requires the role "create" on the site.',
  params: SiteSpacePath,
  body: SiteSpaceMove,
  bodyOptional: true,
  reply: SiteSpace,
  access: site('create'),
  handle: asked =>
    editStructure(asked, (edit, parts) => {
      const { id } = siteSpaceOf(edit, asked.params.siteSpaceId).row
      moveItem(edit, { type: 'site-space', id }, asked.body.position ?? {})
      return parts.siteSpace(id)
    }),
})
