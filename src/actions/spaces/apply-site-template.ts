import type { Idempotency, Origin } from '../../access/asker.ts'
import { placeToCreate } from '../../access/guards/placement.ts'
import { checkSite } from '../../access/guards/site.ts'
import type { Template } from '../../content/edit/template.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { readStructure } from '../../store/sites/structure.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { SiteRow, UserRow } from '../../store/tables/rows.ts'
import { addSection } from '../sites/structure/sections.ts'
import { addSiteSpace } from '../sites/structure/site-spaces.ts'
import { startEdit } from '../sites/structure/structure-edit.ts'
import { createSpaces, newSpaceId } from './create-space.ts'
import { readTemplate } from './read-templates.ts'

/** The templates of a site for which none are named. */
const siteTemplates = ['product-docs', 'api-reference', 'changelog'] as const

type Order = { site: SiteRow; templates?: readonly string[] | undefined; user: UserRow }

/**
 * Fills a site that shows nothing: a new space from each template, in a section of its own if there
 * are several. All or nothing: the spaces and their places on the site are written in one
 * transaction. Does nothing for an idempotency key with which it was done. Throws 'conflict' for a
 * site that is not empty, and the faults of `createSpace` and `readTemplate`.
 */
export async function applySiteTemplate(
  ctx: Context,
  { site, templates: ids = siteTemplates, user }: Order,
  idempotency?: Idempotency,
  origin: Origin | null = null,
): Promise<void> {
  const idOf = (at: number): string =>
    newSpaceId(idempotency && { ...idempotency, key: `${idempotency.key} ${at}` })
  if (findSpace(ctx.store, idOf(0))) return

  const { id: siteId, organization_id: organizationId } = site
  checkEmpty(ctx, site)
  placeToCreate(ctx, organizationId, null, user.id)
  const templates: Template[] = []
  for (const id of ids) templates.push(await readTemplate(ctx, id))

  const wanted = templates.map((template, at) => ({
    id: idOf(at),
    organization_id: organizationId,
    title: titleOf(template),
    template: { operation: 'apply_template' as const, template, refs: {} },
  }))

  await createSpaces(ctx, wanted, { by: user, origin }, spaces => {
    const granted = checkSite(ctx, { organizationId, siteId }, user, 'create')
    checkEmpty(ctx, granted.site)
    const by = { userId: user.id, origin }
    for (const space of spaces) {
      const now = checkSite(ctx, { organizationId, siteId }, user, 'create')
      const edit = startEdit({ ctx, by, ...now })
      const none = new Set<string>()
      if (spaces.length === 1) addSiteSpace(edit, space, {}, none)
      else addSection(edit, space, {}, none)
    }
  })
}

/** The longest title of a space. */
const longestTitle = 50

const titleOf = ({ title }: Template): string =>
  [...title].slice(0, longestTitle).join('').trimEnd()

/** Returns whether a site has no spaces, sections, groups and links. */
export function isEmptySite({ store }: Pick<Context, 'store'>, { id }: SiteRow): boolean {
  const { siteSpaces, sections, groups, links } = readStructure(store, id)
  return siteSpaces.length + sections.length + groups.length + links.length === 0
}

function checkEmpty(ctx: Context, site: SiteRow): void {
  if (isEmptySite(ctx, site)) return
  throw new Fault(
    'not_empty',
    'The site has content already, and a template is only for a site without any. Create another site, or apply a template to one of its spaces.',
  )
}
