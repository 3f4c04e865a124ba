import { branchOf } from '../../content/tree/branch.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { readingOrder } from '../place/order.ts'
import type { SitePlace } from '../place/place.ts'

/**
 * Returns the pages of a space that programs may list, in reading order: front matter of a page, or
 * above it, can forbid it.
 */
export function indexedPages({ open }: Pick<SitePlace, 'open'>): PageNode[] {
  const { content } = open.shown
  const isIndexed = (node: PageNode): boolean =>
    branchOf(content, node).every(({ facts }) => {
      const { draft, noIndex, noRobotsIndex } = facts?.frontMatter ?? {}
      return !draft && !noIndex && !noRobotsIndex
    })
  return readingOrder(content).pages.filter(isIndexed)
}
