import type { Level, Role } from '../store/tables.ts'

/** The roles, weakest first. A stronger role may all that a weaker one may. */
export const roles = ['read', 'comment', 'edit', 'review', 'create', 'admin'] as const satisfies Role[]

const rank = (role: Role | null | undefined): number => (role ? roles.indexOf(role) + 1 : 0)

/** True when `held` may all that `needed` may. */
export const atLeast = (held: Role | null | undefined, needed: Role): boolean => rank(held) >= rank(needed)

/** The strongest of the roles; null when none is held. */
export const strongest = (held: readonly (Role | null | undefined)[]): Role | null =>
  held.reduce<Role | null>((best, role) => (rank(role) > rank(best) ? (role ?? null) : best), null)

/** What bears on a person's role on one space or collection: read with one query by `store/standing.ts`. */
export type Standing = {
  /** undefined: no member of the organization; null: a guest. */
  memberRole: Role | null | undefined
  organizationDefault: Role | null
  /** The target first, then the collections it lies in, nearest first. */
  levels: { defaultLevel: Level; granted: (Role | null)[] }[]
}

/**
 * The role that a person has on a space or collection: the strongest of what was granted on the nearest level
 * that says anything, of the default level (for members who are no guests), and of being an admin or a creator
 * of the organization. Null: none.
 */
export function effectiveRole({ memberRole, organizationDefault, levels }: Standing): Role | null {
  if (memberRole === undefined) return null
  const nearest = levels.find(level => level.granted.length > 0)
  const granted = nearest ? strongest(nearest.granted) : null
  if (memberRole === null) return granted
  const said = levels.find(level => level.defaultLevel !== 'inherit')
  const byDefault = said ? (said.defaultLevel as Role | null) : organizationDefault
  const byMembership = memberRole === 'admin' || memberRole === 'create' ? memberRole : null
  return strongest([granted, byDefault, byMembership])
}
