import { listVisible, type ReadPlaced, type Visible } from '../../access/visible.ts'
import type { Context } from '../../context.ts'
import type { AfterPosition, Placed } from '../../store/spaces/spaces.ts'

/**
 * Returns the list of the spaces or collections that a user can see, in order of position. `name`
 * names it for its cursors; `read` returns outlines of one organization, visible or not, `find` the
 * rows of the visible ones, and `show` the resources of these, with the user's role on each.
 */
export const visibleList = <Row, Item>(
  ctx: Context,
  name: string,
  who: { organizationId: string; userId: string; kind: 'space' | 'collection' },
  {
    read,
    find,
    show,
  }: {
    read: ReadPlaced
    find: (ids: string[]) => Map<string, Row>
    show: (visible: Visible<Row>[]) => Item[] | Promise<Item[]>
  },
) => ({
  name: `${name} ${who.userId}`,
  rows: (limit: number, after: AfterPosition | undefined) =>
    listVisible(ctx, who, limit, after, read),
  key: ({ row }: Visible<Placed>): AfterPosition => [row.position, row.seq],
  show: (placed: Visible<Placed>[]) => {
    const found = find(placed.map(({ row }) => row.id))
    return show(
      placed.flatMap(({ row: { id }, role }) => {
        const row = found.get(id)
        return row ? [{ row, role }] : []
      }),
    )
  },
})
