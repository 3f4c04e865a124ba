import { memberOf } from '../../../access/guards/member.ts'
import { rolesIn } from '../../../access/visible.ts'
import type { Context } from '../../../context.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { envelope, pageOf } from '../../../http/list.ts'
import { findSpaces } from '../../../store/spaces/spaces.ts'
import { listSpacesByAge } from '../../../store/spaces/spaces-by-age.ts'
import type { Role } from '../../../store/tables/roles.ts'
import { loadSpaces } from '../../spaces/load.ts'
import { MemberPath, MemberSpaces, MemberSpacesQuery } from './schema.ts'

export const listSpacesForOrganizationMember = endpoint({
  operationId: 'listSpacesForOrganizationMember',
  summary: 'List the spaces that a member of an organization can see',
  description:
    'With the member’s role in each; only spaces that you can see, too. All roles count: grants to the member or their teams on the space or a collection around it, default levels, and the role in the organization. Guests can only list their own spaces.',
  params: MemberPath,
  query: MemberSpacesQuery,
  reply: MemberSpaces,
  access: memberOf('guest'),
  handle: async ({ ctx, organization: { id }, subject, user, query }) => {
    const { order = 'desc' } = query
    const who = { organizationId: id, userId: user.id, subjectId: subject.user_id }
    const page = await pageOf(
      ctx,
      `member spaces ${id} ${subject.user_id} ${user.id} ${order}`,
      query,
      (limit, after: [number] | undefined) => seenByBoth(ctx, who, order, limit, after?.[0]),
      (row): [number] => [row.seq],
    )

    const rows = findSpaces(
      ctx.store,
      page.rows.map(each => each.id),
    )

    const shown = page.rows.flatMap(each => {
      const row = rows.get(each.id)
      return row ? [{ row, role: each.role, permission: each.permission }] : []
    })
    const spaces = await loadSpaces(ctx, shown, user.id)

    return envelope(
      page,
      spaces.flatMap((space, index) => {
        const each = shown[index]
        return each ? [{ permission: each.permission, space }] : []
      }),
    )
  },
})

type Seen = { id: string; seq: number; role: Role; permission: Role }

const batch = 1000

/**
 * Returns the first `limit` spaces that both can see: `role` is the caller's, `permission` the
 * member's.
 */
function seenByBoth(
  ctx: Context,
  {
    organizationId,
    userId,
    subjectId,
  }: { organizationId: string; userId: string; subjectId: string },
  order: 'asc' | 'desc',
  limit: number,
  after: number | undefined,
): Seen[] {
  const ownRole = rolesIn(ctx, organizationId, userId)
  const theirRole = subjectId === userId ? ownRole : rolesIn(ctx, organizationId, subjectId)
  const seen: Seen[] = []

  for (let last = after; ; ) {
    const rows = listSpacesByAge(ctx.store, organizationId, order, batch, last)
    for (const row of rows) {
      const [role, permission] = [ownRole('space', row), theirRole('space', row)]
      if (!role || !permission) continue
      if (seen.push({ id: row.id, seq: row.seq, role, permission }) === limit) return seen
    }
    last = rows.at(-1)?.seq
    if (last === undefined || rows.length < batch) return seen
  }
}
