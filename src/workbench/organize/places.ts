import type { ContentTree, PageNode } from '../../content/tree/build.ts'

/** The most places that a page can be put below. */
const mostPlaces = 2_000

/** A place of a page as an option of a field: '' is the top level. */
export type PlaceOption = { value: string; title: string }

/** Returns the top level, and the pages and groups that a page can be put below, in order, indented by depth. */
export function placesIn({ pages }: ContentTree): PlaceOption[] {
  const places: PlaceOption[] = [{ value: '', title: 'Top level' }]
  const add = (list: readonly PageNode[], depth: number): void => {
    for (const { id, title, type, pages: below } of list) {
      if (places.length > mostPlaces) return
      if (type !== 'document' && type !== 'group') continue
      places.push({ value: id, title: `${'\u2003'.repeat(depth)}${title}` })
      add(below, depth + 1)
    }
  }
  add(pages, 0)
  return places
}
