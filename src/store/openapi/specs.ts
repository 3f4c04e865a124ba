import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { OpenapiSpecRow } from '../tables/rows.ts'

const slugIs = (slug: string) => sql<boolean>`slug = ${slug} collate nocase`

/** Returns the spec of an organization with this slug, ignoring case. */
export const findSpecBySlug = (
  store: Store,
  organizationId: string,
  slug: string,
): OpenapiSpecRow | undefined =>
  store.get(
    query
      .selectFrom('openapi_spec')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where(slugIs(slug)),
  )

/** Returns the spec with this id. */
export const findSpec = (store: Store, id: string): OpenapiSpecRow | undefined =>
  store.get(query.selectFrom('openapi_spec').selectAll().where('id', '=', id))

/**
 * Returns up to `limit` specs of an organization after the sequence number `after`, oldest first.
 */
export const listSpecs = (
  store: Store,
  organizationId: string,
  limit: number,
  after = 0,
): OpenapiSpecRow[] =>
  store.all(
    query
      .selectFrom('openapi_spec')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit),
  )

/** Returns the slugs of all specs of an organization. */
export const listSpecSlugs = (store: Store, organizationId: string): string[] =>
  store
    .all(
      query.selectFrom('openapi_spec').select('slug').where('organization_id', '=', organizationId),
    )
    .map(({ slug }) => slug)

/** Returns all specs of all organizations, oldest first. */
export const listAllSpecs = (store: Store): OpenapiSpecRow[] =>
  store.all(query.selectFrom('openapi_spec').selectAll().orderBy('seq'))

/** Returns the number of specs of an organization. */
export const countSpecs = (store: Store, organizationId: string): number =>
  store.get(
    query
      .selectFrom('openapi_spec')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('organization_id', '=', organizationId),
  )?.count ?? 0

/** Adds a spec. */
export const insertSpec = (
  store: Store,
  row: Pick<
    OpenapiSpecRow,
    'id' | 'organization_id' | 'slug' | 'source_url' | 'created_by' | 'created_at' | 'updated_at'
  >,
): OpenapiSpecRow =>
  store.get(
    query
      .insertInto('openapi_spec')
      .values({ ...row, last_version: null, last_processed_at: null, error_code: null })
      .returningAll(),
  ) as OpenapiSpecRow

/** Updates a spec; returns the new row, or undefined when there is none. */
export const updateSpec = (
  store: Store,
  id: string,
  set: Partial<Omit<OpenapiSpecRow, 'id' | 'seq' | 'organization_id' | 'slug' | 'created_at'>>,
): OpenapiSpecRow | undefined =>
  store.get(query.updateTable('openapi_spec').set(set).where('id', '=', id).returningAll())

/** Deletes a spec with its sources and versions; the derived data stays. */
export const deleteSpec = (store: Store, id: string): number =>
  store.run(query.deleteFrom('openapi_spec').where('id', '=', id))
