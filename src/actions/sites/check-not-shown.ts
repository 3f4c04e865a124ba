import { roleOnSite } from '../../access/site-roles.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { listSitesWithSpace } from '../../store/sites/sites.ts'

/**
 * Throws 'conflict' if a site shows the space, or one of the spaces in the collection, that would
 * leave the organization. The message names the sites that the user may see.
 */
export function checkNotShown(
  ctx: Context,
  kind: 'space' | 'collection',
  spaceIds: readonly string[],
  userId: string,
): void {
  const sites = new Map(
    spaceIds.flatMap(id => listSitesWithSpace(ctx.store, id)).map(site => [site.id, site]),
  )
  if (sites.size === 0) return
  const visible = [...sites.values()].filter(site => roleOnSite(ctx, site, userId) !== null)
  const named = visible.map(({ title }) => `"${title}"`)
  const others = sites.size - visible.length

  if (others > 0)
    named.push(
      others === 1 ? 'a site that you may not see' : `${others} sites that you may not see`,
    )

  const [what, them] =
    kind === 'space' ? ['The space is', 'it'] : ['Spaces in the collection are', 'them']

  throw new Fault('still_in_use', `${what} on ${listed(named)}. Remove ${them} from there first.`)
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
