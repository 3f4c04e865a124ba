import fc from 'fast-check'
import type { Kind } from '../../src/store/people/roles-of-user.ts'
import type { Level, Role } from '../../src/store/tables/roles.ts'

/** The numbers of users, collections and spaces in a world. A call refers to them by index. */
export const counts = { users: 5, collections: 4, spaces: 3 }

/** A call by a user, and what it refers to. */
export type Call = { by: number } & (
  | { type: 'move'; kind: Kind; id: number; parent: number | null }
  | { type: 'give'; kind: Kind; id: number; to: number | 'team'; role: Role | null }
  | { type: 'take-back'; kind: Kind; id: number; from: number | 'team' }
  | { type: 'level'; kind: Kind; id: number; level: Level }
  | { type: 'delete' | 'restore'; kind: Kind; id: number }
  | { type: 'link'; kind: Kind | 'organization'; id: number; role: Role }
  | { type: 'use-link'; link: number }
  | { type: 'role'; user: number; role: Role | null }
  | { type: 'remove'; user: number }
  | { type: 'team-add' | 'team-remove'; user: number }
  | { type: 'join' | 'accept' }
  | { type: 'invite'; user: number; role: Role | null }
)

export const role = fc.constantFrom<Role>('read', 'comment', 'edit', 'review', 'create', 'admin')
export const roleOrNull = fc.option(role, { nil: null })
export const level: fc.Arbitrary<Level> = fc.oneof(fc.constant('inherit' as const), roleOrNull)
const kind = fc.constantFrom<Kind>('space', 'collection')
const number = (most: number) => fc.nat({ max: most - 1 })
const id = number(counts.collections)
const user = number(counts.users)
/**
 * The user who tries to gain rights: makes every third call and receives grants more often than
 * others.
 */
const climber = 1
const subject = fc.oneof(
  { weight: 2, arbitrary: user },
  { weight: 2, arbitrary: fc.constant(climber) },
  { weight: 1, arbitrary: fc.constant('team' as const) },
)
const is = <Type extends string>(type: Type) => fc.constant(type)

/** The roles that matter most here: administrators and users without access. */
const grant = fc.oneof(fc.constant('admin' as const), roleOrNull)

const calls = [
  fc.record({ type: is('move'), kind, id, parent: fc.option(id, { nil: null }), by: user }),
  fc.record({ type: is('give'), kind, id, to: subject, role: grant, by: user }),
  fc.record({ type: is('take-back'), kind, id, from: subject, by: user }),
  fc.record({ type: is('level'), kind, id, level, by: user }),
  fc.record({ type: fc.constantFrom('delete', 'restore'), kind, id, by: user }),
  fc.record({
    type: is('link'),
    kind: fc.constantFrom<Kind | 'organization'>('space', 'collection', 'organization'),
    id,
    role,
    by: user,
  }),
  fc.record({ type: is('use-link'), link: fc.nat({ max: 3 }), by: user }),
  fc.record({ type: is('role'), user, role: roleOrNull, by: user }),
  fc.record({ type: is('remove'), user, by: user }),
  fc.record({ type: fc.constantFrom('team-add', 'team-remove'), user, by: user }),
  fc.record({ type: fc.constantFrom('join', 'accept'), by: user }),
  fc.record({ type: is('invite'), user, role: roleOrNull, by: user }),
] as fc.Arbitrary<Call>[]

/** Most ways around a rule begin with moves, grants, links and the use of links. */
const weights = [5, 3, 2, 1, 1, 2, 4]

/**
 * The first user is an admin of the organization at the start and makes every third call, because
 * others depend on this user's grants; the climber makes another third.
 */
const call: fc.Arbitrary<Call> = fc
  .tuple(
    fc.oneof(...calls.map((arbitrary, n) => ({ arbitrary, weight: weights[n] ?? 1 }))),
    fc.nat({ max: 2 }),
  )
  .map(([one, chance]) =>
    chance === 0 ? { ...one, by: 0 } : chance === 1 ? { ...one, by: climber } : one,
  )

/** The initial state of an organization, and the sequence of calls in it. */
export const stories = fc.record({
  members: fc.array(
    fc.oneof(
      fc.constantFrom('read' as const, 'create' as const),
      roleOrNull,
      fc.constant(undefined),
    ),
    {
      minLength: counts.users - 1,
      maxLength: counts.users - 1,
    },
  ),
  team: fc.uniqueArray(user, { maxLength: 3 }),
  collections: fc.array(fc.record({ parent: fc.integer({ min: -1, max: 2 }), level }), {
    minLength: counts.collections,
    maxLength: counts.collections,
  }),
  spaces: fc.array(
    fc.record({ parent: fc.integer({ min: -1, max: counts.collections - 1 }), level }),
    {
      minLength: counts.spaces,
      maxLength: counts.spaces,
    },
  ),
  given: fc.array(fc.record({ kind, id, to: subject, role: grant }), { maxLength: 8 }),
  calls: fc.array(call, { minLength: 12, maxLength: 30 }),
})

export type Story = typeof stories extends fc.Arbitrary<infer T> ? T : never
