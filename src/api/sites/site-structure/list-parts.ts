import type { SiteSpaceView, SiteView } from '../../../actions/sites/view-site.ts'
import type { Context } from '../../../context.ts'
import { envelope, pageOf } from '../../../http/list.ts'
import type { StructureShown } from '../present.ts'

type Part = { row: { id: string } }

/** How a list of parts of a site is paged and presented. */
type ListedParts<P extends Part, Resource> = {
  /** The name of the list, for its cursors. */
  list: string
  query: { page?: string | undefined; limit?: number | undefined }
  siteSpacesOf: (part: P) => readonly SiteSpaceView[]
  /** Returns how the spaces of these site spaces are shown. */
  show: (view: Pick<SiteView, 'site' | 'siteSpaces'>) => Promise<StructureShown>
  present: (part: P, shown: StructureShown) => Resource
}

/** Returns a page of parts of a site, in the order of the structure, with the count of all. */
export async function listParts<P extends Part, Resource>(
  ctx: Context,
  { site }: SiteView,
  parts: readonly P[],
  { list, query, siteSpacesOf, show, present }: ListedParts<P, Resource>,
) {
  const shown = await pageOf(
    ctx,
    `${list} ${site.id}`,
    query,
    (limit, after: [number, string] | undefined) => {
      const from = after ? indexAfter(parts, after) : 0
      return parts.slice(from, from + limit)
    },
    (part): [number, string] => [parts.indexOf(part), part.row.id],
  )
  const how = await show({ site, siteSpaces: shown.rows.flatMap(siteSpacesOf) })
  const items = shown.rows.map(part => present(part, how))
  return { ...envelope(shown, items), count: parts.length }
}

/**
 * Returns where a page continues: behind its last part, or at the index of that part if it is gone.
 */
function indexAfter(parts: readonly Part[], [index, id]: [number, string]): number {
  const at = parts.findIndex(({ row }) => row.id === id)
  return at < 0 ? index : at + 1
}
