import type { Level, Role } from '../store/tables/roles.ts'

/** The roles, weakest first. A stronger role includes the weaker ones. */
export const roles = [
  'read',
  'comment',
  'edit',
  'review',
  'create',
  'admin',
] as const satisfies Role[]

const rank = (role: Role | null | undefined): number => (role ? roles.indexOf(role) + 1 : 0)

/** Returns whether the role `held` includes `needed`. */
export const atLeast = (held: Role | null | undefined, needed: Role): boolean =>
  rank(held) >= rank(needed)

/** Returns the strongest of the roles; null when there is none. */
export const strongest = (held: readonly (Role | null | undefined)[]): Role | null =>
  held.reduce<Role | null>((best, role) => (rank(role) > rank(best) ? (role ?? null) : best), null)

/** The facts that determine a user's role on one space or collection, as one query reads them. */
export type Standing = {
  /** undefined: not a member of the organization; null: a guest. */
  memberRole: Role | null | undefined
  /** The target first, then the collections that contain it, nearest first. */
  levels: { defaultLevel: Level; granted: (Role | null)[] }[]
}

/**
 * Returns the role of a user on a space or collection, or null for none. The first rule that
 * applies decides:
 *
 * 1. The nearest level with a grant to the user or their teams: the strongest grant on that level.
 * A grant of null
 *    revokes what later rules would give.
 * 2. For members who are not guests: the nearest default level other than "inherit".
 * 3. For members who are not guests: their role in the organization.
 *
 * Members with the organization role "admin" or "create" always have at least that role.
 */
export function effectiveRole({ memberRole, levels }: Standing): Role | null {
  if (memberRole === undefined) return null
  const nearest = levels.find(level => level.granted.length > 0)
  const floor = memberRole === 'admin' || memberRole === 'create' ? memberRole : null
  if (nearest) return strongest([...nearest.granted, floor])
  if (memberRole === null) return null
  const said = levels.find(level => level.defaultLevel !== 'inherit')
  return strongest([said ? (said.defaultLevel as Role | null) : memberRole, floor])
}
