import { type RawBuilder, sql } from 'kysely'
import { greater } from '../dialect.ts'
import type { Store } from '../store.ts'
import { sqlRows } from '../store.ts'
import type { Role } from '../tables/roles.ts'
import { type Kind, levelsOf } from './roles-of-user.ts'

/** A member with a role on a space or collection. */
type Holder = { user_id: string; joined_at: string; role: Role }

/** The position in a list of them: after the one with this time of joining and user id. */
export type AfterHolder = [joinedAt: string, userId: string]

const byStrength: readonly Role[] = ['read', 'comment', 'edit', 'review', 'create', 'admin']

/** Ranks roles: 1 for the weakest, 0 for none. */
const strength = (role: RawBuilder<unknown>) =>
  sql`case ${role} ${sql.join(
    byStrength.map((name, at) => sql`when ${sql.lit(name)} then ${sql.lit(at + 1)}`),
    sql` `,
  )} else 0 end`

/**
 * Returns up to `limit` members of an organization after `after`, by the time of joining, who have
 * a role on one of its spaces or collections, or exactly this role, from any source. One query
 * computes for all what `effectiveRole` computes for one.
 */
export const listHolders = (
  store: Store,
  { organizationId, kind, id }: { organizationId: string; kind: Kind; id: string },
  only: Role | undefined,
  limit: number,
  after: AfterHolder = ['', ''],
): Holder[] =>
  store
    .all(
      sqlRows<{ user_id: string; joined_at: string; held: number }>(sql`
        -- The cross joins keep the order in which they stand: from the few levels to what was given on them.
        with recursive ${levelsOf(kind, [id])},
        given(user_id, depth, held) as (
          select permission.subject_id, level.depth, ${strength(sql`permission.role`)}
          from level cross join permission
          where permission.target_kind = level.kind
            and permission.target_id = level.id and permission.subject_kind = 'user'
          union all
          select team_member.user_id, level.depth, ${strength(sql`permission.role`)}
          from level cross join permission cross join team_member
          where permission.target_kind = level.kind
            and permission.target_id = level.id and permission.subject_kind = 'team'
            and team_member.team_id = permission.subject_id
        ),
        -- The strongest on the nearest level: one number orders by both.
        nearest(user_id, held) as materialized (
          select user_id, 7 - min(depth * 8 + 7 - held) % 8 from given group by user_id
        ),
        fallback(held) as materialized (
          select (select ${strength(sql`default_level`)} from level
            where default_level is distinct from 'inherit' order by depth limit 1)
        )
        select user_id, joined_at, held from (
          select user_id, joined_at, ${greater(sql`shared`, sql`own`)} as held from (
            select member.user_id, member.joined_at,
              coalesce(
                nearest.held,
                case when member.role is null then 0
                  else coalesce((select held from fallback), ${strength(sql`member.role`)}) end) as shared,
              case when member.role in ('create', 'admin') then ${strength(sql`member.role`)} else 0 end as own
            from member left join nearest on nearest.user_id = member.user_id
            where member.organization_id = ${organizationId} and member.disabled = 0
              and (member.joined_at, member.user_id) > (${after[0]}, ${after[1]})
          ) as candidate
        ) as holder
        where ${only === undefined ? sql`held > 0` : sql`held = ${byStrength.indexOf(only) + 1}`}
        order by joined_at, user_id limit ${limit}`),
    )
    .map(({ held, ...row }) => ({ ...row, role: byStrength[held - 1] as Role }))
