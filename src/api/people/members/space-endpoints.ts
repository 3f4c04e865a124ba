import { memberOf } from '../../../access/guards/member.ts'
import { rolesIn } from '../../../access/visible.ts'
import type { Context } from '../../../context.ts'
import { listing } from '../../../http/list.ts'
import { findSpaces } from '../../../store/spaces/spaces.ts'
import { listSpacesByAge } from '../../../store/spaces/spaces-by-age.ts'
import type { Role } from '../../../store/tables/roles.ts'
import { loadSpaces } from '../../spaces/load.ts'
import { MemberPath, MemberSpace, MemberSpacesQuery } from './schema.ts'

export const listSpacesForOrganizationMember = listing({
  operationId: 'listSpacesForOrganizationMember',
  summary: 'List the spaces that a member of an organization can see',
  description:
    'Returns the spaces that the member can see, each with the role of the member in it. Spaces that you cannot see are left out. The role follows from all grants to the member and their teams on the space and its collections, from default levels, and from the role in the organization. Guests can only list their own spaces.',
  params: MemberPath,
  query: MemberSpacesQuery,
  item: MemberSpace,
  access: memberOf('guest'),
  list: ({ ctx, organization: { id }, subject, user, query: { order = 'desc' } }) => {
    const who = { organizationId: id, userId: user.id, subjectId: subject.user_id }
    return {
      name: `member spaces ${id} ${subject.user_id} ${user.id} ${order}`,
      rows: (limit, after) => seenByBoth(ctx, who, order, limit, after),
      show: seen => loadSeen(ctx, seen, user.id),
    }
  },
})

async function loadSeen(ctx: Context, seen: readonly Seen[], userId: string) {
  const rows = findSpaces(
    ctx.store,
    seen.map(({ id }) => id),
  )

  const shown = seen.flatMap(({ id, role, permission }) => {
    const row = rows.get(id)
    return row ? [{ row, role, permission }] : []
  })
  const spaces = await loadSpaces(ctx, shown, userId)

  return spaces.flatMap((space, index) => {
    const each = shown[index]
    return each ? [{ permission: each.permission, space }] : []
  })
}

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
