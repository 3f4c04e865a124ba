import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { OpenapiSourceRow } from '../tables/rows.ts'

const sources = new Rows('openapi_source')

/** Returns the source of a spec that is read next. */
export const nextSource = (store: Store, specId: string): OpenapiSourceRow | undefined =>
  store.get(
    query
      .selectFrom('openapi_source')
      .selectAll()
      .where('spec_id', '=', specId)
      .orderBy('seq')
      .limit(1),
  )

/** Returns the number of waiting sources of a spec, including one that is being read. */
export const countSources = sources.count('spec_id')

/** Adds a source: an address, or a gzipped text. */
export const insertSource = (
  store: Store,
  row: Pick<OpenapiSourceRow, 'spec_id' | 'url' | 'packed' | 'created_by' | 'created_at'>,
): number => store.run(query.insertInto('openapi_source').values(row))

/** Sets the number of failed attempts to fetch a source. */
export const countAttempt = (store: Store, seq: number, attempts: number): number =>
  store.run(query.updateTable('openapi_source').set({ attempts }).where('seq', '=', seq))

/** Removes a source; returns 0 when it no longer exists. */
export const deleteSource = sources.remove('seq')
