import { viewSite } from '../../../src/actions/sites/view-site.ts'
import type { Context } from '../../../src/context.ts'
import { findAlias } from '../../../src/store/sites/aliases.ts'
import type { SiteRow } from '../../../src/store/tables/rows.ts'

/**
 * The id of the site space that an address leads to after `hops` redirects; 'none' if it leads to
 * no site space.
 */
export type Resolved = { siteSpaceId: string | 'none'; hops: number }

/** Resolves an address below the base of a site, with aliases, and fails for a loop. */
export function resolveAddress(ctx: Context, site: SiteRow, address: string): Resolved {
  const seen = new Set<string>()
  let at = address
  for (let hops = 0; ; hops++) {
    if (seen.has(at))
      throw new Error(`The redirects of ${address} form a loop: ${[...seen, at].join(' → ')}`)
    seen.add(at)
    const found = step(ctx, site, at.split('/').filter(Boolean))
    if ('siteSpaceId' in found) return { ...found, hops }
    at = found.to
  }
}

function step(
  ctx: Context,
  site: SiteRow,
  [first = '', second = '', ...rest]: string[],
): { siteSpaceId: string } | { to: string } {
  const { root, sections, siteSpaces } = viewSite(ctx, site, { sees: () => true, seesEmpty: false })
  const redirect = (scope: string, path: string, behind: string[]): { to: string } | undefined => {
    const place = { organizationId: site.organization_id, siteId: site.id, scope }
    const target = path === '' ? undefined : findAlias(ctx.store, place, path)?.target_id
    const found = [...sections, ...siteSpaces].find(({ row }) => row.id === target)
    return found && { to: found.path + behind.filter(Boolean).join('/') }
  }
  const spaceIn = (items: typeof siteSpaces, path: string) =>
    items.find(({ row }) => row.path === path)
  const idOf = (found: (typeof siteSpaces)[number] | undefined) => ({
    siteSpaceId: found?.row.id ?? 'none',
  })
  const defaultIn = (items: typeof siteSpaces) => idOf(items.find(({ isDefault }) => isDefault))

  if (root.type === 'siteSpaces') {
    const named = spaceIn(root.items, first)
    return named ? idOf(named) : (redirect('', first, [second, ...rest]) ?? defaultIn(root.items))
  }

  const section = sections.find(({ row }) => row.path === first)

  if (!section) {
    const aliased = redirect('', first, [second, ...rest])
    return aliased ?? defaultIn(sections.find(({ isDefault }) => isDefault)?.siteSpaces ?? [])
  }

  const named = spaceIn(section.siteSpaces, second)

  return named
    ? idOf(named)
    : (redirect(section.row.id, second, rest) ?? defaultIn(section.siteSpaces))
}
