import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { SsoProviderRow } from '../tables/rows.ts'

const providers = new Rows('sso_provider')

/** Returns up to `limit` providers of an organization above `after` (a `seq`), oldest first. */
export const listProviders = providers.page('asc', 'organization_id', 'kind')

/** Returns the active providers of an organization, of any kind, oldest first. */
export const listActiveProviders = (store: Store, organizationId: string): SsoProviderRow[] =>
  store.all(
    query
      .selectFrom('sso_provider')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('active', '=', 1)
      .orderBy('seq'),
  )

/** Returns whether any organization of the server has a provider that is in use. */
export const hasActiveProvider = (store: Store): boolean =>
  store.get(query.selectFrom('sso_provider').select('id').where('active', '=', 1).limit(1)) !==
  undefined

/** Returns the number of providers of an organization, of any kind. */
export const countProviders = providers.count('organization_id')

/** Returns the provider of any organization with this id. */
export const findProvider = providers.find('id')

/** Inserts a provider. */
export const insertProvider = providers.insert

/** Updates a provider. Returns the new row. */
export const updateProvider = (
  store: Store,
  { id, organization_id }: Pick<SsoProviderRow, 'id' | 'organization_id'>,
  set: Partial<Omit<SsoProviderRow, 'id' | 'seq' | 'organization_id' | 'kind' | 'created_at'>>,
): SsoProviderRow | undefined =>
  store.get(
    query
      .updateTable('sso_provider')
      .set(set)
      .where('id', '=', id)
      .where('organization_id', '=', organization_id)
      .returningAll(),
  )

/**
 * Deletes a provider, with its identities and the sign-ins under way. Its tokens and sessions stay,
 * and are dead.
 */
export const deleteProvider = (
  store: Store,
  { id, organization_id }: Pick<SsoProviderRow, 'id' | 'organization_id'>,
): number =>
  store.run(
    query
      .deleteFrom('sso_provider')
      .where('id', '=', id)
      .where('organization_id', '=', organization_id),
  )

/** Returns the providers of all organizations that have a client secret. */
export const listSealedProviders = (
  store: Store,
): (Pick<SsoProviderRow, 'id' | 'organization_id'> & { secret_sealed: string })[] =>
  store.all(
    query
      .selectFrom('sso_provider')
      .select(['id', 'organization_id', 'secret_sealed'])
      .where('secret_sealed', 'is not', null)
      .$narrowType<{ secret_sealed: string }>(),
  )
