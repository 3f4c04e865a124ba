import { type NotNull, sql } from 'kysely'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { Role } from '../tables/roles.ts'
import type { PermissionRow } from '../tables/rows.ts'

const permissions = new Rows('permission')

type Kind = PermissionRow['target_kind']

/**
 * Sets the role of a user or team on a space or collection; null overrides what farther levels
 * grant.
 */
export const putPermission = (store: Store, row: PermissionRow): number =>
  store.run(
    query
      .insertInto('permission')
      .values(row)
      .onConflict(conflict =>
        conflict
          .columns(['target_kind', 'target_id', 'subject_kind', 'subject_id'])
          .doUpdateSet({ role: row.role }),
      ),
  )

type Target = { kind: Kind; id: string }
type Subject = { kind: PermissionRow['subject_kind']; id: string }

/**
 * Returns the permission of a user or team on a space or collection itself; undefined if there is
 * none.
 */
export const findPermission = (
  store: Store,
  target: Target,
  subject: Subject,
): PermissionRow | undefined =>
  store.get(
    query
      .selectFrom('permission')
      .selectAll()
      .where('target_kind', '=', target.kind)
      .where('target_id', '=', target.id)
      .where('subject_kind', '=', subject.kind)
      .where('subject_id', '=', subject.id),
  )

/** Returns whether a user or team has any permission row. */
export const hasPermissions = (store: Store, subject: Subject): boolean =>
  store.get(
    query
      .selectFrom('permission')
      .select('target_id')
      .where('subject_kind', '=', subject.kind)
      .where('subject_id', '=', subject.id)
      .limit(1),
  ) !== undefined

/**
 * Deletes the permission of a user or team on a space or collection itself. Returns the number of
 * deleted rows.
 */
export const deletePermission = (store: Store, target: Target, subject: Subject): number =>
  store.run(
    query
      .deleteFrom('permission')
      .where('target_kind', '=', target.kind)
      .where('target_id', '=', target.id)
      .where('subject_kind', '=', subject.kind)
      .where('subject_id', '=', subject.id),
  )

/**
 * Returns up to `limit` users or teams with a permission on a space or collection itself, by id,
 * after `after`.
 */
export const listGiven = (
  store: Store,
  target: Target,
  subjectKind: PermissionRow['subject_kind'],
  limit: number,
  after = '',
): { subject_id: string; role: Role }[] =>
  store.all(
    query
      .selectFrom('permission')
      .select(['subject_id', 'role'])
      .where('target_kind', '=', target.kind)
      .where('target_id', '=', target.id)
      .where('subject_kind', '=', subjectKind)
      .where('subject_id', '>', after)
      .where('role', 'is not', null)
      .orderBy('subject_id')
      .limit(limit)
      .$narrowType<{ role: NotNull }>(),
  )

/** Deletes all permissions on a space or collection itself. */
export const deletePermissionsOf = permissions.remove('target_kind', 'target_id')

/** Copies the permissions on another target to a space. Existing ones of the space stay. */
export const copyPermissions = (
  store: Store,
  from: { kind: Kind; id: string },
  spaceId: string,
  at: string,
): number =>
  store.run(
    sqlRows(sql`
      insert into permission (target_kind, target_id, subject_kind, subject_id, role, created_at)
      select 'space', ${spaceId}, subject_kind, subject_id, role, ${at} from permission
      where target_kind = ${from.kind} and target_id = ${from.id}
      on conflict (target_kind, target_id, subject_kind, subject_id) do nothing`),
  )

/**
 * Deletes the permissions on a space or collection of teams of other organizations and of users who
 * are not members of this one.
 */
export const deleteForeignPermissions = (
  store: Store,
  target: { kind: Kind; id: string },
  organizationId: string,
): number =>
  store.run(
    sqlRows(sql`
      delete from permission
      where target_kind = ${target.kind} and target_id = ${target.id} and (
        (subject_kind = 'team'
          and subject_id not in (select id from team where organization_id = ${organizationId}))
        or (subject_kind = 'user'
          and subject_id not in (select user_id from member where organization_id = ${organizationId}))
      )`),
  )
