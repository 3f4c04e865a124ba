import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { IntegrationRow } from '../tables/rows.ts'

/** An integration without its scripts and secrets. */
export type Integration = Omit<
  IntegrationRow,
  'script' | 'published_script' | 'secrets_sealed' | 'digest'
> & {
  /** Whether it has a script for published sites. */
  has_published_script: number
}

const columns = sql`
  seq, id, name, name_folded, organization_id, source, version, title, visibility, target, manifest, created_by,
  created_at, updated_at, published_script is not null as has_published_script`

/** Returns the name of an integration as it is compared. */
export const foldName = (name: string): string => name.toLowerCase()

/** Returns the integration with this name in any case. */
export const findIntegration = (store: Store, name: string): Integration | undefined =>
  store.get(
    sqlRows<Integration>(
      sql`select ${columns} from integration where name_folded = ${foldName(name)}`,
    ),
  )

/** Returns the integration with this id. */
export const findIntegrationById = (store: Store, id: string): Integration | undefined =>
  store.get(sqlRows<Integration>(sql`select ${columns} from integration where id = ${id}`))

/** Returns all integrations, by title and name. */
const listAllIntegrations = (store: Store): Integration[] =>
  store.all(
    sqlRows<Integration>(
      sql`select ${columns} from integration order by lower(title), name_folded`,
    ),
  )

/**
 * Returns all integrations like `listAllIntegrations`, from the cache while no row of them changes.
 */
export const rememberedIntegrations = (store: Store): readonly Integration[] =>
  store.remember('integrations', () => listAllIntegrations(store), {})

/** Returns the number of integrations that an organization has published. */
export const countIntegrations = (store: Store, organizationId: string): number =>
  store.get(
    query
      .selectFrom('integration')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('organization_id', '=', organizationId)
      .where('source', '=', 'organization'),
  )?.count ?? 0

/** Returns the script of an integration for published sites. */
export const findPublishedScript = (store: Store, id: string): string | undefined =>
  store.get(query.selectFrom('integration').select('published_script').where('id', '=', id))
    ?.published_script ?? undefined

/** Returns the sealed secrets of all integrations that have some, by name. */
export const listSealedSecrets = (store: Store): { name: string; sealed: string }[] =>
  store.all(
    sqlRows<{ name: string; sealed: string }>(
      sql`select name, secrets_sealed as sealed from integration where secrets_sealed is not null order by seq`,
    ),
  )

/** Returns the integrations of the operator's folder with the digests of their manifests. */
export const listServerIntegrations = (
  store: Store,
): Pick<IntegrationRow, 'id' | 'name' | 'name_folded' | 'digest'>[] =>
  store.all(
    query
      .selectFrom('integration')
      .select(['id', 'name', 'name_folded', 'digest'])
      .where('source', '=', 'server')
      .orderBy('seq'),
  )

type NewIntegration = Omit<IntegrationRow, 'seq' | 'name_folded' | 'version'>

/** Inserts an integration as version 1. */
export const insertIntegration = (store: Store, row: NewIntegration): void =>
  void store.run(
    query.insertInto('integration').values({ ...row, name_folded: foldName(row.name) }),
  )

/** Replaces the properties of an integration, as its next version. */
export const updateIntegration = (
  store: Store,
  id: string,
  set: Partial<Omit<NewIntegration, 'id' | 'name' | 'created_by' | 'created_at'>>,
): void =>
  void store.run(
    query
      .updateTable('integration')
      .set({ ...set, version: sql<number>`version + 1` })
      .where('id', '=', id),
  )

/** Deletes an integration with its images, installations and tokens. */
export const deleteIntegration = (store: Store, id: string): void =>
  store.transact(() => {
    // Before their parent, which may be the secret of the integration.
    store.run(
      sqlRows(sql`
        delete from token where installation_id in (
          select id from integration_installation where integration_id = ${id})`),
    )
    store.run(query.deleteFrom('integration').where('id', '=', id))
  })
