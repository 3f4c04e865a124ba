import { readerCondition } from '../../access/reader-condition.ts'
import { areShownToAll } from '../../content/evaluate/shown-tree.ts'
import type { ContentTree } from '../../content/tree/build.ts'
import { rememberedStructure } from '../../store/sites/structure.ts'
import type { SitePlace } from './place.ts'
import { hasConditions } from './settings-of-place.ts'

const known = new WeakMap<ContentTree, boolean>()

/**
 * Returns whether what surrounds the text of a page is the same for every reader whom the site lets
 * in: neither the site, nor its settings, nor a page of its only space has a condition.
 */
export function isFrameForAll(place: SitePlace): boolean {
  const { ctx, open, view } = place
  // Menus name pages of the other spaces.
  if (view.siteSpaces.length !== 1 || hasConditions(place)) return false
  const rows = rememberedStructure(ctx.store, view.site)
  const parts = [...rows.sections, ...rows.links, ...rows.siteSpaces]
  if (parts.some(row => readerCondition(rows, row) !== null)) return false

  const { content } = open.whole
  const isShown = known.get(content) ?? areShownToAll(content.pageById.values())

  known.set(content, isShown)

  return isShown
}
