import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { effectiveRole, strongest } from '../../src/access/roles.ts'
import { findStandings, type Kind } from '../../src/store/people/roles-of-user.ts'
import { Store } from '../../src/store/store.ts'
import type { Level, Role } from '../../src/store/tables/roles.ts'

const migrations = new URL('../../src/store/migrations/', import.meta.url)
const at = '2026-01-01T00:00:00.000Z'

const role = fc.constantFrom<Role>('read', 'comment', 'edit', 'review', 'create', 'admin')
const roleOrNull = fc.option(role, { nil: null })
const level: fc.Arbitrary<Level> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('inherit' as const) },
  { weight: 2, arbitrary: roleOrNull },
)

const models = fc.record({
  defaultRole: roleOrNull,
  users: fc.array(roleOrNull, { minLength: 4, maxLength: 4 }),
  teams: fc.array(fc.uniqueArray(fc.nat({ max: 3 })), { minLength: 2, maxLength: 2 }),
  collections: fc.array(level, { minLength: 3, maxLength: 3 }),
  /** Collection n is in collection n-1 where true, else at the top level. */
  nested: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  spaces: fc.array(fc.record({ parent: fc.integer({ min: -1, max: 2 }), level }), {
    minLength: 4,
    maxLength: 4,
  }),
  given: fc.uniqueArray(
    fc.record({
      kind: fc.constantFrom<Kind>('space', 'collection'),
      target: fc.nat({ max: 2 }),
      subject: fc.constantFrom('user' as const, 'team' as const),
      who: fc.nat({ max: 3 }),
      role: roleOrNull,
    }),
    { maxLength: 10, selector: one => `${one.kind} ${one.target} ${one.subject} ${one.who}` },
  ),
})
type Model = typeof models extends fc.Arbitrary<infer T> ? T : never

/** Creates a database file of the previous schema version. */
function makeOld(file: string, model: Model): void {
  const db = new Database(file)
  for (const name of readdirSync(migrations).sort())
    if (/^000[1-6]-/.test(name)) db.exec(readFileSync(new URL(name, migrations), 'utf8'))
  db.pragma('user_version = 6')
  const put = (table: string, row: Record<string, unknown>) =>
    db
      .prepare(
        `insert into "${table}" (${Object.keys(row)}) values (${Object.keys(row).map(key => `@${key}`)})`,
      )
      .run(row)
  const parent = (n: number) => (n < 0 ? null : `collection${n}`)

  put('organization', {
    id: 'acme',
    title: 'Acme',
    default_role: model.defaultRole,
    created_at: at,
  })

  model.users.forEach((held, n) => {
    put('user', { id: `user${n}`, display_name: 'U', created_at: at })
    put('member', { organization_id: 'acme', user_id: `user${n}`, role: held, joined_at: at })
  })

  model.teams.forEach((people, n) => {
    put('team', { id: `team${n}`, organization_id: 'acme', title: 'T', created_at: at })
    for (const one of people) put('team_member', { team_id: `team${n}`, user_id: `user${one}` })
  })
  const common = { organization_id: 'acme', title: 'X', created_at: at, updated_at: at }

  model.collections.forEach((default_level, n) => {
    const parent_id = parent(model.nested[n] ? n - 1 : -1)
    put('collection', { ...common, id: `collection${n}`, parent_id, default_level })
  })

  model.spaces.forEach((space, n) => {
    put('space', {
      ...common,
      id: `space${n}`,
      collection_id: parent(space.parent),
      default_level: space.level,
    })
  })

  for (const one of model.given)
    put('permission', {
      target_kind: one.kind,
      target_id: `${one.kind}${one.target}`,
      subject_kind: one.subject,
      subject_id: `${one.subject}${one.who}`,
      role: one.role,
      created_at: at,
    })

  db.close()
}

/**
 * The role under the previous rules: the strongest of the nearest grant, the default and the
 * membership.
 */
function roleBefore(model: Model, kind: Kind, target: number, user: number): Role | null {
  const member = model.users[user]!
  const places: [Kind, number, Level][] = []
  let up = target

  if (kind === 'space') {
    places.push(['space', target, model.spaces[target]!.level])
    up = model.spaces[target]!.parent
  }

  for (; up >= 0; up = model.nested[up] ? up - 1 : -1)
    places.push(['collection', up, model.collections[up]!])
  const grants = places.map(([where, n]) =>
    model.given
      .filter(one => one.kind === where && one.target === n)
      .filter(one =>
        one.subject === 'user' ? one.who === user : (model.teams[one.who]?.includes(user) ?? false),
      )
      .map(one => one.role),
  )
  const granted = strongest(grants.find(each => each.length > 0) ?? [])
  if (member === null) return granted

  const said = places.find(([, , own]) => own !== 'inherit')
  const byDefault = said ? (said[2] as Role | null) : model.defaultRole

  return strongest([granted, byDefault, member === 'admin' || member === 'create' ? member : null])
}

test('the migration changes no role on any space or collection', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stemma-roles-'))
  let runs = 0
  try {
    fc.assert(
      fc.property(models, model => {
        const file = join(folder, `${runs++}.db`)
        makeOld(file, model)
        const store = new Store(file)

        for (const kind of ['space', 'collection'] as const)
          for (const target of model[`${kind}s`].keys())
            for (const user of model.users.keys()) {
              const id = `${kind}${target}`
              const standing = findStandings(store, 'acme', `user${user}`, kind, [id]).get(id)!
              assert.is(
                effectiveRole(standing),
                roleBefore(model, kind, target, user),
                `user${user} on ${id}`,
              )
            }

        assert.equal(store.problems(), [])
        store.close()
      }),
      { numRuns: 15 },
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test.run()
