import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { IntegrationAssetRow } from '../tables/rows.ts'

const integrationAssets = new Rows('integration_asset')

/** An image without its bytes. */
type AssetOutline = Omit<IntegrationAssetRow, 'bytes'>

/** Returns the images of all integrations without their bytes, by integration. */
function listAssets(store: Store): Map<string, AssetOutline[]> {
  const rows = store.all(
    query
      .selectFrom('integration_asset')
      .select(['integration_id', 'name', 'type', 'digest'])
      .orderBy('integration_id')
      .orderBy('name'),
  )
  const byIntegration = new Map<string, AssetOutline[]>()
  for (const row of rows)
    byIntegration.set(row.integration_id, [...(byIntegration.get(row.integration_id) ?? []), row])

  return byIntegration
}

/**
 * Returns the images of all integrations like `listAssets`, from the cache while no row of them
 * changes.
 */
export const rememberedAssets = (store: Store): ReadonlyMap<string, AssetOutline[]> =>
  store.remember('integration assets', () => listAssets(store), {})

/** Returns an image of an integration. */
export const findAsset = integrationAssets.find('integration_id', 'name')

/** Replaces the images of an integration. Call inside a transaction. */
export function replaceAssets(
  store: Store,
  integrationId: string,
  assets: readonly Omit<IntegrationAssetRow, 'integration_id'>[],
): void {
  store.run(query.deleteFrom('integration_asset').where('integration_id', '=', integrationId))
  for (const asset of assets)
    store.run(
      query.insertInto('integration_asset').values({ integration_id: integrationId, ...asset }),
    )
}
