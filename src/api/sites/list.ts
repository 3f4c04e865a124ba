import type { z } from 'zod'
import { visibleSites } from '../../access/visible-sites.ts'
import { baseOfSite } from '../../actions/sites/addresses.ts'
import { previewBase } from '../../actions/sites/find-site.ts'
import type { Context } from '../../context.ts'
import type { MemberRow, SiteRow, UserRow } from '../../store/tables/rows.ts'
import { presentSite } from './present.ts'
import type { Site } from './schema.ts'

type Filters = {
  space?: string | undefined
  title?: string | undefined
  published?: boolean | undefined
  type?: readonly string[] | undefined
}

/** A site that the user may see, and how to show it. */
type Listed = { row: SiteRow; present: () => z.input<typeof Site> }

/**
 * Returns the sites of an organization that a user may see and that the filters admit, newest
 * first.
 */
export function listForUser(
  ctx: Context,
  organizationId: string,
  caller: { member: MemberRow; user: UserRow },
  { space, title, published, type }: Filters,
): Listed[] {
  const part = title?.toLowerCase()
  const admits = (row: SiteRow): boolean =>
    (part === undefined || row.title.toLowerCase().includes(part)) &&
    (published === undefined || (row.published === 1) === published) &&
    (type === undefined || type.includes(row.type))

  return visibleSites(ctx, organizationId, caller, admits).flatMap(({ row, role, readable }) => {
    if (space !== undefined && !readable.includes(space)) return []
    const present = () =>
      presentSite(row, {
        role,
        siteSpaces: readable.length,
        publicUrl: ctx.publicUrl(),
        base: baseOfSite(ctx, row),
        preview: previewBase(ctx, row),
      })

    return [{ row, present }]
  })
}
