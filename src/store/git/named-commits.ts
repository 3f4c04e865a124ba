import { sql } from 'kysely'
import type { Oid } from '../../lib/oid.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'

/**
 * The columns that refer to a commit of the space in the same row. The table `ref` is read
 * separately.
 */
export const namingColumns: readonly (readonly [table: string, column: string])[] = [
  ['change_request', 'revision'],
  ['change_request', 'revision_initial'],
  ['change_request', 'revision_merged_ancestor'],
  ['change_request', 'revision_merged'],
  ['git_sync_operation', 'revision'],
  ['import_run', 'revision'],
  ['comment', 'revision'],
  ['requested_reviewer', 'revision'],
  ['review', 'revision'],
  // Last: what a person did names a commit better.
  ['revision', 'oid'],
]

/**
 * Returns the versions of an organization's OpenAPI specs that rows refer to: commits of its
 * repository of specs.
 */
export const listNamedVersions = (
  store: Store,
  organizationId: string,
): { oid: Oid; slug: string }[] =>
  store.all(
    query
      .selectFrom('openapi_version')
      .innerJoin('openapi_spec', 'openapi_spec.id', 'openapi_version.spec_id')
      .select(['openapi_version.id as oid', 'openapi_spec.slug'])
      .where('openapi_spec.organization_id', '=', organizationId)
      .orderBy('openapi_version.seq'),
  )

/**
 * Returns the commits that rows of a space refer to, each once, with one such column (e.g.
 * `change_request.revision`).
 */
export function listNamedCommits(store: Store, spaceId: string): { oid: Oid; by: string }[] {
  const named = new Map<Oid, string>()
  for (const [table, column] of namingColumns) {
    const by = `${table}.${column}`
    const rows = store.all(
      sqlRows<{ oid: Oid }>(sql`
        select distinct ${sql.ref(column)} as oid from ${sql.table(table)}
        where space_id = ${spaceId} and ${sql.ref(column)} is not null`),
    )
    for (const { oid } of rows) if (!named.has(oid)) named.set(oid, by)
  }
  return [...named].map(([oid, by]) => ({ oid, by }))
}
