import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { effectiveRole } from '../../src/access/roles.ts'
import { listVisible } from '../../src/access/visible.ts'
import type { Context } from '../../src/context.ts'
import { updateMember } from '../../src/store/people/members.ts'
import { insertOrganization, putMember } from '../../src/store/people/organizations.ts'
import { putPermission } from '../../src/store/people/permissions.ts'
import { findStandings } from '../../src/store/people/roles-of-user.ts'
import { listHolders } from '../../src/store/people/roles-on-space.ts'
import { insertTeam, putTeamMember } from '../../src/store/people/teams.ts'
import { insertUser } from '../../src/store/people/users.ts'
import {
  insertCollection,
  listCollections,
  updateCollection,
} from '../../src/store/spaces/collections.ts'
import { insertSpace, listSpaces } from '../../src/store/spaces/spaces.ts'
import { Store } from '../../src/store/store.ts'
import type { Level, Role } from '../../src/store/tables/roles.ts'
import { runs } from '../support/long-run.ts'

type Kind = 'space' | 'collection'
type Given = {
  kind: Kind
  target: number
  subject: 'user' | 'team'
  who: number
  role: Role | null
}

type Model = {
  /** undefined: not a member; 'disabled': a disabled member. */
  users: (Role | null | undefined | 'disabled')[]
  /** The members of each team. */
  teams: number[][]
  /** `parent` is the index of an earlier item; -1 for the top level. */
  collections: { parent: number; level: Level }[]
  spaces: { parent: number; level: Level }[]
  given: Given[]
}

const names: Role[] = ['read', 'comment', 'edit', 'review', 'create', 'admin']
const role = fc.constantFrom(...names)
const roleOrNull = fc.option(role, { nil: null })
const level: fc.Arbitrary<Level> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('inherit' as const) },
  { weight: 2, arbitrary: roleOrNull },
)
const counts = { users: 5, teams: 3, collections: 5, spaces: 6 }
const upTo = (most: number) => fc.nat({ max: most - 1 })

const models: fc.Arbitrary<Model> = fc.record({
  users: fc.array(fc.oneof(roleOrNull, fc.constantFrom(undefined, 'disabled' as const)), {
    minLength: counts.users,
    maxLength: counts.users,
  }),
  teams: fc.array(fc.uniqueArray(upTo(counts.users)), {
    minLength: counts.teams,
    maxLength: counts.teams,
  }),
  collections: fc
    .array(fc.record({ parent: fc.integer({ min: -1, max: 4 }), level }), {
      minLength: counts.collections,
      maxLength: counts.collections,
    })
    .map(all => all.map((one, n) => ({ ...one, parent: one.parent < n ? one.parent : -1 }))),
  spaces: fc.array(
    fc.record({ parent: fc.integer({ min: -1, max: counts.collections - 1 }), level }),
    {
      minLength: counts.spaces,
      maxLength: counts.spaces,
    },
  ),
  given: fc.array(
    fc.record({
      kind: fc.constantFrom<Kind>('space', 'collection'),
      target: upTo(5),
      subject: fc.constantFrom('user' as const, 'team' as const),
      who: upTo(5),
      role: roleOrNull,
    }),
    { maxLength: 20 },
  ),
})

const at = '2026-01-01T00:00:00.000Z'

function storeOf(model: Model): Store {
  const store = new Store(':memory:')
  insertOrganization(store, { id: 'acme', title: 'Acme', created_at: at })
  model.users.forEach((held, n) => {
    insertUser(store, { id: `user${n}`, display_name: 'U', email: null, created_at: at })
    if (held === undefined) return
    putMember(store, 'acme', `user${n}`, held === 'disabled' ? 'admin' : held, at)
    if (held === 'disabled') updateMember(store, 'acme', `user${n}`, { disabled: 1 })
  })

  model.teams.forEach((people, n) => {
    insertTeam(store, { id: `team${n}`, organization_id: 'acme', title: 'T', created_at: at })
    for (const user of people) putTeamMember(store, `team${n}`, `user${user}`)
  })
  const of = (parent: number) => (parent < 0 ? null : `collection${parent}`)

  model.collections.forEach(({ parent, level }, n) => {
    const row = {
      id: `collection${n}`,
      organization_id: 'acme',
      title: 'C',
      position: n,
      created_at: at,
    }

    insertCollection(store, { ...row, parent_id: of(parent) })
    updateCollection(store, row.id, { default_level: level })
  })

  model.spaces.forEach(({ parent, level }, n) => {
    const row = {
      id: `space${n}`,
      organization_id: 'acme',
      title: 'S',
      created_at: at,
      updated_at: at,
    }
    insertSpace(store, { ...row, collection_id: of(parent), default_level: level })
  })

  for (const { kind, target, subject, who, role } of model.given)
    putPermission(store, {
      target_kind: kind,
      target_id: `${kind}${target}`,
      subject_kind: subject,
      subject_id: `${subject}${who}`,
      role,
      created_at: at,
    })

  return store
}

/** Computes the role from the documented rules, from the model alone. */
function naive(model: Model, kind: Kind, target: number, user: number): Role | null {
  const member = model.users[user]
  if (member === undefined || member === 'disabled') return null
  const places: [Kind, number][] = [[kind, target]]
  for (let up = model[`${kind}s`][target]!.parent; up >= 0; up = model.collections[up]!.parent)
    places.push(['collection', up])
  const max = (roles: (Role | null)[]): Role | null =>
    names.findLast(name => roles.includes(name)) ?? null

  // Members with "admin" or "create" in the organization never have less.
  const own = member === 'admin' || member === 'create' ? member : null

  // 1: grants on the nearest place that has any, to the user or one of their teams.
  for (const [where, n] of places) {
    // A repeated grant on one place replaces the earlier one.
    const last = new Map<string, Role | null>()
    for (const one of model.given)
      if (one.kind === where && one.target === n) last.set(`${one.subject}${one.who}`, one.role)
    const mine = [...last].filter(([key]) =>
      key.startsWith('user')
        ? key === `user${user}`
        : model.teams[Number(key.slice(4))]?.includes(user),
    )
    if (mine.length === 0) continue

    return max([...mine.map(([, given]) => given), own])
  }

  if (member === null) return null

  // 2: the nearest default level that does not inherit.
  for (const [where, n] of places) {
    const { level } = model[`${where}s`][n]!
    if (level === 'inherit') continue
    return max([level, own])
  }

  // 3: the role in the organization.
  return member
}

test('lists, single reads and the documented rules agree', () => {
  fc.assert(
    fc.property(models, model => {
      const store = storeOf(model)
      const ctx = { store } as Context
      for (const kind of ['space', 'collection'] as const) {
        const count = counts[`${kind}s`]
        const all = Array.from({ length: count }, (_, n) => n)
        for (const user of model.users.keys()) {
          const userId = `user${user}`
          const who = { organizationId: 'acme', userId, kind }
          const expected = all.flatMap(n => {
            const role = naive(model, kind, n, user)
            return role ? [`${kind}${n} ${role}`] : []
          })

          const listed = listVisible(ctx, who, 100, undefined, (limit, after, among) =>
            kind === 'space'
              ? listSpaces(store, { organizationId: 'acme' }, limit, after, among)
              : listCollections(store, 'acme', { nested: true }, limit, after),
          )

          assert.equal(
            listed.map(({ row, role }) => `${row.id} ${role}`),
            expected,
          )
        }

        for (const n of all) {
          const held = [...model.users.keys()].flatMap(user => {
            const standing = findStandings(store, 'acme', `user${user}`, kind, [`${kind}${n}`])
            const one = effectiveRole(standing.get(`${kind}${n}`)!)
            assert.is(one, naive(model, kind, n, user))
            return one ? [[`user${user}`, one] as const] : []
          })
          const target = { organizationId: 'acme', kind, id: `${kind}${n}` }
          const pairs = (only?: Role) =>
            listHolders(store, target, only, 100).map(
              ({ user_id, role }) => [user_id, role] as const,
            )

          assert.equal(pairs(), held)
          assert.equal(
            pairs('edit'),
            held.filter(([, one]) => one === 'edit'),
          )
        }
      }

      store.close()
    }),
    { numRuns: runs(80) },
  )
})

test('a list continues where it ended, whatever share of it is visible', () => {
  fc.assert(
    fc.property(
      models,
      upTo(counts.users),
      fc.integer({ min: 1, max: 3 }),
      (model, user, limit) => {
        const store = storeOf(model)
        const who = { organizationId: 'acme', userId: `user${user}`, kind: 'space' } as const
        const page = (most: number, after?: [number, number]) =>
          listVisible({ store } as Context, who, most, after, (count, from, among) =>
            listSpaces(store, { organizationId: 'acme' }, count, from, among),
          )
        const whole = page(100)
        const pieces: typeof whole = []

        for (let piece = page(limit); piece.length > 0; ) {
          pieces.push(...piece)
          const { row } = piece.at(-1)!
          piece = page(limit, [row.position, row.seq])
        }

        assert.equal(pieces, whole)
        store.close()
      },
    ),
    { numRuns: runs(30) },
  )
})

test.run()
