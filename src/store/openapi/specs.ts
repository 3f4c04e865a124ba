import { sql } from 'kysely'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { OpenapiSpecRow } from '../tables/rows.ts'

const specs = new Rows('openapi_spec')

const slugIs = (slug: string) => sql<boolean>`lower(slug) = lower(${slug})`

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
export const findSpec = specs.find('id')

/**
 * Returns up to `limit` specs of an organization after the sequence number `after`, oldest first.
 */
export const listSpecs = specs.page('asc', 'organization_id')

/** Returns the slugs of all specs of an organization. */
export const listSpecSlugs = (store: Store, organizationId: string): string[] =>
  store
    .all(
      query.selectFrom('openapi_spec').select('slug').where('organization_id', '=', organizationId),
    )
    .map(({ slug }) => slug)

/** Returns all specs of all organizations, oldest first. */
export const listAllSpecs = specs.list('seq')

/** Returns the number of specs of an organization. */
export const countSpecs = specs.count('organization_id')

/** Adds a spec. */
export const insertSpec = specs.insert

/** Updates a spec; returns the new row, or undefined when there is none. */
export const updateSpec = specs.update('id')

/** Deletes a spec with its sources and versions; the derived data stays. */
export const deleteSpec = specs.remove('id')
