import type { SiteSpaceView, SiteView } from '../../../actions/sites/view-site.ts'
import type { StructureShown } from '../present.ts'

type Part = { row: { id: string } }

/** How a list of parts of a site is paged and presented. */
type ListedParts<P extends Part, Resource> = {
  /** The name of the list, for its cursors. */
  list: string
  siteSpacesOf: (part: P) => readonly SiteSpaceView[]
  /** Returns how the spaces of these site spaces are shown. */
  show: (view: Pick<SiteView, 'site' | 'siteSpaces'>) => Promise<StructureShown>
  present: (part: P, shown: StructureShown) => Resource
}

/** Returns the list of parts of a site, in the order of the structure. */
export function listParts<P extends Part, Resource>(
  { site }: SiteView,
  parts: readonly P[],
  { list, siteSpacesOf, show, present }: ListedParts<P, Resource>,
) {
  return {
    name: `${list} ${site.id}`,
    rows: (limit: number, after: [number, string] | undefined) => {
      const from = after ? indexAfter(parts, after) : 0
      return parts.slice(from, from + limit)
    },
    key: (part: P): [number, string] => [parts.indexOf(part), part.row.id],
    show: async (rows: P[]) => {
      const how = await show({ site, siteSpaces: rows.flatMap(siteSpacesOf) })
      return rows.map(part => present(part, how))
    },
  }
}

/**
 * Returns where a page continues: behind its last part, or at the index of that part if it is gone.
 */
function indexAfter(parts: readonly Part[], [index, id]: [number, string]): number {
  const at = parts.findIndex(({ row }) => row.id === id)
  return at < 0 ? index : at + 1
}
