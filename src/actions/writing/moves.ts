import type { Change } from '../../content/edit/changes.ts'
import { type ContentTree, type PageNode, parentOf } from '../../content/tree/build.ts'

/** Where a page goes by one step: among its siblings, below the one before it, or out. */
export const directions = ['up', 'down', 'in', 'out'] as const
export type Direction = (typeof directions)[number]

/** Returns the change that moves a page or group by a step; undefined where there is no such place. */
export function moveBy(
  content: ContentTree,
  page: PageNode,
  direction: Direction,
): Change | undefined {
  if (page.type === 'group') return moveGroupBy(content, page, direction)
  const parent = parentOf(content, page)
  const siblings = parent?.pages ?? content.pages
  const at = siblings.indexOf(page)
  const into = parent?.id ?? null
  const to = (place: { into: string | null; at?: number }): Change => ({
    operation: 'update_page',
    page: page.id,
    ...place,
  })

  if (direction === 'up')
    return at > 0 && isBeside(siblings[at - 1]) ? to({ into, at: at - 1 }) : undefined
  if (direction === 'down') return isBeside(siblings[at + 1]) ? to({ into, at: at + 1 }) : undefined

  if (direction === 'in') {
    const before = siblings[at - 1]
    return before?.type === 'document' ? to({ into: before.id }) : undefined
  }

  if (!parent) return undefined
  if (parent.type === 'group') return to({ into: null })
  const above = parentOf(content, parent)
  return to({
    into: above?.id ?? null,
    at: (above?.pages ?? content.pages).indexOf(parent) + 1,
  })
}

/** Pages do not step over groups: those at the top level stand before all groups. */
const isBeside = (page: PageNode | undefined): boolean =>
  page !== undefined && page.type !== 'group'

function moveGroupBy(
  { pages }: ContentTree,
  group: PageNode,
  direction: Direction,
): Change | undefined {
  const at = pages.indexOf(group)
  const other = direction === 'up' ? at - 1 : direction === 'down' ? at + 1 : -1
  return pages[other]?.type === 'group'
    ? { operation: 'update_group', page: group.id, at: other }
    : undefined
}
