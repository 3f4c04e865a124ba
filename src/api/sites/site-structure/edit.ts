import type { z } from 'zod'
import type { SiteGrant, SitePath } from '../../../access/guards/site.ts'
import { checkPlaceable } from '../../../actions/sites/structure/place-space.ts'
import {
  type EditRequest,
  type StructureEdit,
  startEdit,
} from '../../../actions/sites/structure/structure-edit.ts'
import { viewForUser } from '../../../actions/sites/view-for-user.ts'
import type { SectionGroupView, SiteSpaceView } from '../../../actions/sites/view-site.ts'
import type { Context } from '../../../context.ts'
import {
  type Answer,
  createdAt,
  type InTransaction,
  inTransaction,
} from '../../../http/endpoint.ts'
import { findSite } from '../../../store/sites/sites.ts'
import { rememberedStructure } from '../../../store/sites/structure.ts'
import { rememberedSpace } from '../../../store/spaces/spaces.ts'
import type { SiteRow } from '../../../store/tables/rows.ts'
import { currentHeads } from '../../spaces/load.ts'
import { shownWithHeads } from '../load.ts'
import { presentSection, presentSectionGroup, presentSiteSpace } from '../present.ts'
import type { SiteSection, SiteSectionGroup, SiteSpace } from '../structure-schema.ts'

/** Functions that return parts of a site as the caller sees them after an edit. */
export type ShownParts = {
  section: (id: string) => z.input<typeof SiteSection>
  group: (id: string) => z.input<typeof SiteSectionGroup>
  siteSpace: (id: string) => z.input<typeof SiteSpace>
}

/**
 * Makes an edit and its answer in one transaction, after reading the heads of the spaces that the
 * answer may show. `spaceId` is the id of a space that the edit places; `work` checks rights on it.
 */
export async function editStructure<Body>(
  asked: EditRequest,
  work: (edit: StructureEdit, parts: ShownParts) => Body | Answer<Body>,
  spaceId?: string,
): Promise<InTransaction<Body, SiteGrant>> {
  const { ctx, site, user } = asked
  const placed = spaceId === undefined ? [] : [checkPlaceable(ctx, site, spaceId, user.id)]
  const shown = rememberedStructure(ctx.store, site).siteSpaces.flatMap(
    row => rememberedSpace(ctx.store, row.space_id) ?? [],
  )
  const heads = await currentHeads(
    ctx,
    [...shown, ...placed].filter(row => row.deleted_at === null),
  )

  return inTransaction((granted: SiteGrant) => {
    const edit = startEdit({ ...asked, ...granted })
    return work(edit, partsAfter(edit, granted, heads))
  })
}

function partsAfter(
  { ctx, site: { id: siteId } }: StructureEdit,
  { user, role }: SiteGrant,
  heads: ReadonlyMap<string, string>,
): ShownParts {
  const look = () => {
    const view = viewForUser(ctx, findSite(ctx.store, siteId) as SiteRow, user, role)
    const showing = (siteSpaces: SiteSpaceView[]) =>
      shownWithHeads(ctx, { site: view.site, siteSpaces }, user, heads)
    return { view, showing }
  }

  const found = <Item>(item: Item | undefined): Item => {
    if (!item) throw new Error('The edited part of the site is not in its view.')
    return item
  }

  return {
    section: id => {
      const { view, showing } = look()
      const section = found(view.sections.find(({ row }) => row.id === id))
      return presentSection(section, showing(section.siteSpaces))
    },
    group: id => {
      const { view, showing } = look()
      const group = found(view.groups.find(({ row }) => row.id === id))
      return presentSectionGroup(group, showing(siteSpacesIn(group)))
    },
    siteSpace: id => {
      const { view, showing } = look()
      const siteSpace = found(view.siteSpaces.find(({ row }) => row.id === id))
      return presentSiteSpace(siteSpace, showing([siteSpace]))
    },
  }
}

/** Returns the site spaces of all sections in a group and its groups. */
export const siteSpacesIn = ({ children }: SectionGroupView): SiteSpaceView[] =>
  children.flatMap(child => {
    if (child.kind === 'site-external-link') return []
    return child.kind === 'site-section' ? child.siteSpaces : siteSpacesIn(child)
  })

/** Returns the answer to the creation of a part of a site, with its address. */
export const createdIn = <Part extends { id: string }>(
  ctx: Context,
  { organizationId, siteId }: SitePath,
  list: 'sections' | 'section-groups' | 'external-links' | 'site-spaces',
  part: Part,
): Answer<Part> =>
  createdAt(`${ctx.publicUrl()}/v1/orgs/${organizationId}/sites/${siteId}/${list}/${part.id}`, part)
