import type { RemovedPage } from '../../content/changes/changed-pages.ts'
import { parentOf } from '../../content/tree/build.ts'
import type { SitePlace } from '../place/place.ts'
import { comparedIn } from '../place/scope.ts'
import type { PageMark } from '../views/model.ts'

/** What the list of pages shows of a comparison. */
export type MarkedPages = {
  marks: ReadonlyMap<string, PageMark>
  /**
   * The first removed pages by their former parent (undefined: at the top level), in their order.
   */
  removed: ReadonlyMap<string | undefined, readonly RemovedPage[]>
  /** The entries with changes below them, which stand open. */
  open: ReadonlySet<string>
}

/** The most changes whose branches are opened, and the most removed pages that are listed. */
const mostOpened = 200
const mostRemoved = 500

/** Returns what the list of pages of a place marks; undefined where nothing is compared. */
export function markedPages({ scope, open }: SitePlace): MarkedPages | undefined {
  const compared = comparedIn(scope)
  if (!compared) return undefined
  const { marks } = compared.pages
  const removed = compared.pages.removed.slice(0, mostRemoved)
  const byParent = new Map<string | undefined, RemovedPage[]>()

  for (const each of removed)
    byParent.set(each.parentId, [...(byParent.get(each.parentId) ?? []), each])
  const { content } = open.shown
  const opened = new Set<string>()
  const parents = [
    ...[...marks.keys()].slice(0, mostOpened).map(id => content.pageById.get(id)?.parentId),
    ...removed.slice(0, mostOpened).map(({ parentId }) => parentId),
  ]

  for (const id of parents) {
    let node = id === undefined ? undefined : content.pageById.get(id)
    for (; node && !opened.has(node.id); node = parentOf(content, node)) opened.add(node.id)
  }

  const gone = removed.map(({ page }): [string, PageMark] => [page.id, 'removed'])

  return { marks: new Map<string, PageMark>([...marks, ...gone]), removed: byParent, open: opened }
}
