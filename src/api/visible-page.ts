import { readVisible, type Visible } from '../access/visible.ts'
import type { Context } from '../context.ts'
import { pageOf } from '../http/list.ts'
import type { AfterPosition } from '../store/spaces.ts'

type Placed = { id: string; position: number; seq: number }

const placeOf = (row: Placed): AfterPosition => [row.position, row.seq]

/**
 * One page of the spaces or collections that a user may see, in the order of their positions, with the user's role on
 * each. `list` names the list for its cursors; `read` gives rows of one organization, seen or not.
 */
export const visiblePage = <Row extends Placed>(
  ctx: Context,
  list: string,
  query: { page?: string | undefined; limit?: number | undefined },
  who: { organizationId: string; userId: string; kind: 'space' | 'collection' },
  read: (limit: number, after: AfterPosition | undefined) => Row[],
): Promise<{ rows: Visible<Row>[]; next?: { page: string } }> =>
  pageOf(
    ctx,
    `${list} ${who.userId}`,
    query,
    (limit, after: AfterPosition | undefined) =>
      readVisible<Row>(ctx, who, limit, (count, last) => read(count, last ? placeOf(last) : after)),
    ({ row }: Visible<Row>): AfterPosition => placeOf(row),
  )
