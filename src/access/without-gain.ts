import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { noLimit } from '../store/dialect.ts'
import { findStandings, type Kind } from '../store/people/roles-of-user.ts'
import { listHolders } from '../store/people/roles-on-space.ts'
import type { Role } from '../store/tables/roles.ts'
import { memberWithin } from './reach.ts'
import { atLeast, effectiveRole } from './roles.ts'

/** The ids of spaces and collections of one organization. */
type Things = Readonly<Record<Kind, readonly string[]>>

type Change = {
  organizationId: string
  /** The user who makes the change. */
  userId: string
  /** The spaces and collections whose roles the change may affect. */
  things: Things
  /** The users whose roles the change may affect. */
  watched: readonly string[] | 'everybody'
}

/**
 * The maximum number of items, not administered by the caller, for which everybody's roles are
 * compared.
 */
const mostCompared = 200

/**
 * Runs a change of permissions inside a transaction and returns its result. Throws 'forbidden',
 * which rolls the transaction back, when any user ends up with a stronger role on a space or
 * collection that the caller did not administer before: no indirect route leads to more rights.
 */
export function withoutGain<Result>(ctx: Context, change: Change, run: () => Result): Result {
  const foreign = notAdministered(ctx, change)
  const count = foreign.space.length + foreign.collection.length
  if (count === 0) return run()

  if (change.watched === 'everybody' && count > mostCompared)
    throw new Fault(
      'beyond_your_rights',
      `This affects more than ${mostCompared} spaces and collections that you do not administer. Ask an admin of the organization.`,
    )

  const reach = { ...change, things: foreign }
  const before = rolesOf(ctx, reach)
  const result = run()

  for (const [key, { userId, role }] of rolesOf(ctx, reach)) {
    if (role === null || atLeast(before.get(key)?.role, role)) continue
    throw new Fault(
      'beyond_your_rights',
      userId === change.userId
        ? `This would give you the role "${role}" on a space or collection that you do not administer. Ask one of its admins.`
        : 'This would give another user a stronger role on a space or collection that you do not administer. Ask one of its admins.',
    )
  }

  return result
}

const kinds = ['space', 'collection'] as const satisfies Kind[]

/** Returns the spaces and collections that the caller is not an admin of. */
function notAdministered(ctx: Context, { organizationId, userId, things }: Change): Things {
  if (memberWithin(ctx, organizationId, userId)?.role === 'admin')
    return { space: [], collection: [] }
  const foreign = (kind: Kind) =>
    [...findStandings(ctx.store, organizationId, userId, kind, things[kind])]
      .filter(([, standing]) => effectiveRole(standing) !== 'admin')
      .map(([id]) => id)
  return { space: foreign('space'), collection: foreign('collection') }
}

/**
 * The role of each user on each space or collection, under any unique key; users without a role may
 * be missing.
 */
export type Roles = ReadonlyMap<string, { userId: string; role: Role | null }>

/** Returns the role of each watched user on each of the things. */
export function rolesOf(
  ctx: Context,
  { organizationId, things, watched }: Omit<Change, 'userId'>,
): Roles {
  const roles = new Map<string, { userId: string; role: Role | null }>()
  for (const kind of kinds) {
    if (watched === 'everybody') {
      for (const id of things[kind])
        for (const { user_id: userId, role } of listHolders(
          ctx.store,
          { organizationId, kind, id },
          undefined,
          noLimit,
        ))
          roles.set(`${kind} ${id} ${userId}`, { userId, role })
      continue
    }
    for (const userId of watched)
      for (const [id, standing] of findStandings(
        ctx.store,
        organizationId,
        userId,
        kind,
        things[kind],
      ))
        roles.set(`${kind} ${id} ${userId}`, { userId, role: effectiveRole(standing) })
  }

  return roles
}
