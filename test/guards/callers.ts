import { sql } from 'kysely'
import { createToken } from '../../src/actions/people/create-token.ts'
import { insertOrganization, putMember } from '../../src/store/people/organizations.ts'
import { putPermission } from '../../src/store/people/permissions.ts'
import { revokeToken } from '../../src/store/people/tokens.ts'
import { query, sqlRows } from '../../src/store/store.ts'
import type { Role } from '../../src/store/tables/roles.ts'
import { type Actor, type App, actor } from '../support/app.ts'
import { syncNothing } from '../support/database.ts'
import { at } from './rows.ts'

/** The columns of the table, which its head explains. */
export const columns = [
  'none',
  'expired',
  'revoked',
  'stranger',
  'elsewhere',
  'guest',
  'guest+',
  'read',
  'comment',
  'edit',
  'review',
  'create',
  'admin',
  'creator',
  'owner',
  'reader',
] as const

export type Column = (typeof columns)[number]

/** A caller with their relation to the organization "acme". */
export type Caller = { column: Column; actor: Actor }

/** The roles on the collection, which its spaces inherit. */
export const levels = ['read', 'comment', 'edit', 'review', 'create', 'admin'] as const

/** Grants a user a role on one space or collection. */
export const grant = (
  app: App,
  kind: 'space' | 'collection',
  id: string,
  userId: string,
  role: Role,
) =>
  putPermission(app.ctx.store, {
    target_kind: kind,
    target_id: id,
    subject_kind: 'user',
    subject_id: userId,
    role,
    created_at: at,
  })

/** Makes a user a member of an organization; null for a guest. */
export const join = (app: App, organizationId: string, userId: string, role: Role | null) =>
  putMember(app.ctx.store, organizationId, userId, role, at)

/** The role of each column in the organization "acme". */
const memberships: Partial<Record<Column, Role | null>> = {
  guest: null,
  'guest+': null,
  ...Object.fromEntries(levels.map(level => [level, 'read'])),
  creator: 'create',
  owner: 'admin',
}

/** Restores every caller's role in "acme" and grants on one of its collections and spaces. */
export function settle(
  app: App,
  { collectionId = '', spaceId = '' }: Record<string, string>,
): void {
  const { store } = app.ctx
  store.run(
    sqlRows(
      sql`delete from member where organization_id = 'acme' and user_id in ('stranger', 'elsewhere')`,
    ),
  )
  store.run(sqlRows(sql`delete from revocation`))

  for (const [column, role] of Object.entries(memberships)) {
    const userId = column === 'owner' ? app.admin.id : column
    store.run(
      sqlRows(
        sql`delete from permission where subject_id = ${userId} and target_id in (${collectionId}, ${spaceId})`,
      ),
    )
    join(app, 'acme', userId, role)
  }

  for (const level of levels) grant(app, 'collection', collectionId, level, level)
  grant(app, 'space', spaceId, 'guest+', 'read')
}

/**
 * Everybody who asks, and what an admin of the organization "rival" is. Those with a role on the
 * collection are plain members of "acme"; all of them may put things into the organization "beta".
 * Readers need a site: see `makeReader`.
 */
export function makeCallers(app: App): Record<Exclude<Column, 'reader'>, Actor> {
  const { store } = app.ctx
  syncNothing(store)

  // On a slow machine it would write after a minute, in the middle of a check.
  store.run(
    query
      .updateTable('job')
      .set({ run_at: Date.now() + 86_400_000 })
      .where('kind', '=', 'tidy'),
  )
  for (const id of ['beta', 'rival']) insertOrganization(store, { id, title: id, created_at: at })
  const secretOf = (userId: string, expiresAt: string | null) =>
    createToken(store, { userId, name: 'guards', expiresAt }, app.ctx.now())
  const expired = secretOf(app.admin.id, at)
  const revoked = secretOf(app.admin.id, null)

  revokeToken(store, revoked.row.id, at)
  const member = (name: Column, role: Role | null) => {
    const made = app.user(name, role)
    join(app, 'beta', made.id, 'create')
    return made
  }
  const elsewhere = app.user('elsewhere')

  join(app, 'rival', elsewhere.id, 'admin')
  join(app, 'beta', app.admin.id, 'admin')
  const plain = Object.fromEntries(levels.map(level => [level, member(level, 'read')]))

  return {
    ...(plain as Record<(typeof levels)[number], Actor>),
    none: app.anonymous,
    expired: actor(app.url, app.admin.id, expired.secret),
    revoked: actor(app.url, app.admin.id, revoked.secret),
    stranger: app.user('stranger'),
    elsewhere,
    guest: member('guest', null),
    'guest+': member('guest+', null),
    creator: member('creator', 'create'),
    owner: app.admin,
  }
}
