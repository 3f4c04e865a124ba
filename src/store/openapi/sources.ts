import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { OpenapiSourceRow } from '../tables/rows.ts'

/** The source of a description that is to be read next. */
export const nextSource = (store: Store, specId: string): OpenapiSourceRow | undefined =>
  store.get(
    query.selectFrom('openapi_source').selectAll().where('spec_id', '=', specId).orderBy('seq').limit(1),
  )

/** How many sources of a description wait to be read, one that is being read among them. */
export const countSources = (store: Store, specId: string): number =>
  store.get(
    query
      .selectFrom('openapi_source')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('spec_id', '=', specId),
  )?.count ?? 0

/** Adds a source: an address, or a text (gzip). */
export const insertSource = (
  store: Store,
  row: Pick<OpenapiSourceRow, 'spec_id' | 'url' | 'packed' | 'created_by' | 'created_at'>,
): number => store.run(query.insertInto('openapi_source').values(row))

/** Notes how often a source could not be fetched. */
export const countAttempt = (store: Store, seq: number, attempts: number): number =>
  store.run(query.updateTable('openapi_source').set({ attempts }).where('seq', '=', seq))

/** Removes a source that was read; 0 when it is not there any more. */
export const deleteSource = (store: Store, seq: number): number =>
  store.run(query.deleteFrom('openapi_source').where('seq', '=', seq))
