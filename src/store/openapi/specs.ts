import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { OpenapiSpecRow } from '../tables/rows.ts'

const slugIs = (slug: string) => sql<boolean>`slug = ${slug} collate nocase`

/** The description of an organization with this slug, in whatever case. */
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

/** The description with this id. */
export const findSpec = (store: Store, id: string): OpenapiSpecRow | undefined =>
  store.get(query.selectFrom('openapi_spec').selectAll().where('id', '=', id))

/** An organization's descriptions, oldest first, `limit` from above `after`. */
export const listSpecs = (store: Store, organizationId: string, limit: number, after = 0): OpenapiSpecRow[] =>
  store.all(
    query
      .selectFrom('openapi_spec')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit),
  )

/** The slugs of all descriptions of an organization, as they were given. */
export const listSpecSlugs = (store: Store, organizationId: string): string[] =>
  store
    .all(query.selectFrom('openapi_spec').select('slug').where('organization_id', '=', organizationId))
    .map(({ slug }) => slug)

/** Every description of every organization, oldest first. */
export const listAllSpecs = (store: Store): OpenapiSpecRow[] =>
  store.all(query.selectFrom('openapi_spec').selectAll().orderBy('seq'))

/** How many descriptions an organization has. */
export const countSpecs = (store: Store, organizationId: string): number =>
  store.get(
    query
      .selectFrom('openapi_spec')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('organization_id', '=', organizationId),
  )?.count ?? 0

/** Adds a description. */
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

/** Changes a description; the row as it is then, undefined when there is none. */
export const updateSpec = (
  store: Store,
  id: string,
  set: Partial<Omit<OpenapiSpecRow, 'id' | 'seq' | 'organization_id' | 'slug' | 'created_at'>>,
): OpenapiSpecRow | undefined =>
  store.get(query.updateTable('openapi_spec').set(set).where('id', '=', id).returningAll())

/** Removes a description with its sources and versions; what was derived of it stays. */
export const deleteSpec = (store: Store, id: string): number =>
  store.run(query.deleteFrom('openapi_spec').where('id', '=', id))
