import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { SsoProviderRow } from '../tables/rows.ts'
import type { SsoKind } from '../tables/sso.ts'

/** Returns up to `limit` providers of an organization above `after` (a `seq`), oldest first. */
export const listProviders = (
  store: Store,
  organizationId: string,
  kind: SsoKind,
  limit: number,
  after = 0,
): SsoProviderRow[] =>
  store.all(
    query
      .selectFrom('sso_provider')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('kind', '=', kind)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit),
  )

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
export const countProviders = (store: Store, organizationId: string): number =>
  store.get(
    query
      .selectFrom('sso_provider')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('organization_id', '=', organizationId),
  )?.count ?? 0

/** Returns the provider of any organization with this id. */
export const findProvider = (store: Store, id: string): SsoProviderRow | undefined =>
  store.get(query.selectFrom('sso_provider').selectAll().where('id', '=', id))

/** Inserts a provider. */
export const insertProvider = (
  store: Store,
  row: Pick<
    SsoProviderRow,
    'id' | 'organization_id' | 'kind' | 'label' | 'created_at' | 'updated_at'
  > &
    Partial<SsoProviderRow>,
): SsoProviderRow =>
  store.get(
    query
      .insertInto('sso_provider')
      .values({ default_team_id: null, default_role: null, secret_sealed: null, ...row })
      .returningAll(),
  ) as SsoProviderRow

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
