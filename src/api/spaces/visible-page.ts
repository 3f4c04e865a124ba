import { listVisible, type ReadPlaced, type Visible } from '../../access/visible.ts'
import type { Context } from '../../context.ts'
import { pageOf } from '../../http/list.ts'
import type { AfterPosition } from '../../store/spaces/spaces.ts'

/**
 * Returns one page of the spaces or collections that a user can see, in order of position, with the
 * user's role on each. `list` names the list for its cursors; `read` returns outlines of one
 * organization, visible or not, and `find` the rows of the visible ones.
 */
export async function visiblePage<Row>(
  ctx: Context,
  list: string,
  query: { page?: string | undefined; limit?: number | undefined },
  who: { organizationId: string; userId: string; kind: 'space' | 'collection' },
  {
    read,
    find,
  }: {
    read: ReadPlaced
    find: (ids: string[]) => Map<string, Row>
  },
): Promise<{ rows: Visible<Row>[]; next?: { page: string } }> {
  const { rows, ...page } = await pageOf(
    ctx,
    `${list} ${who.userId}`,
    query,
    (limit, after: AfterPosition | undefined) => listVisible(ctx, who, limit, after, read),
    ({ row }): AfterPosition => [row.position, row.seq],
  )
  const found = find(rows.map(({ row }) => row.id))
  return {
    ...page,
    rows: rows.flatMap(({ row: { id }, role }) => {
      const row = found.get(id)
      return row ? [{ row, role }] : []
    }),
  }
}
