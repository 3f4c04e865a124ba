import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { OpenapiVersionRow } from '../tables/rows.ts'

/** A version of a description. */
export const findVersion = (store: Store, specId: string, id: string): OpenapiVersionRow | undefined =>
  store.get(
    query.selectFrom('openapi_version').selectAll().where('id', '=', id).where('spec_id', '=', specId),
  )

/** The versions of a description, newest first, `limit` from below `before`. */
export const listVersions = (
  store: Store,
  specId: string,
  limit: number,
  before = Number.MAX_SAFE_INTEGER,
): OpenapiVersionRow[] =>
  store.all(
    query
      .selectFrom('openapi_version')
      .selectAll()
      .where('spec_id', '=', specId)
      .where('seq', '<', before)
      .orderBy('seq', 'desc')
      .limit(limit),
  )

/** Adds a version; one that is there stays. */
export const insertVersion = (store: Store, row: Omit<OpenapiVersionRow, 'seq'>): number =>
  store.run(
    query
      .insertInto('openapi_version')
      .values(row)
      .onConflict(conflict => conflict.doNothing()),
  )

/** What was derived of a version by this describer: JSON, null where it could not be; undefined: nobody has tried. */
export const findOutline = (
  store: Store,
  versionId: string,
  describer: number,
): { outline: string | null } | undefined =>
  store.get(
    query
      .selectFrom('openapi_outline')
      .select('outline')
      .where('version_id', '=', versionId)
      .where('describer', '=', describer),
  )

/** Whether this describer was at work on a version, whatever came of it. */
export const hasOutline = (store: Store, versionId: string, describer: number): boolean =>
  store.get(
    query
      .selectFrom('openapi_outline')
      .select('version_id')
      .where('version_id', '=', versionId)
      .where('describer', '=', describer),
  ) !== undefined

/** Keeps the outline of a version, once all its pieces are kept. */
export const putOutline = (
  store: Store,
  row: { version_id: string; spec_id: string; describer: number; outline: string | null },
): number =>
  store.run(
    query
      .insertInto('openapi_outline')
      .values(row)
      .onConflict(conflict => conflict.column('version_id').doUpdateSet(row)),
  )

/** A piece of a version. */
export const findPiece = (store: Store, versionId: string, key: string): string | undefined =>
  store.get(
    query
      .selectFrom('openapi_piece')
      .select('text')
      .where('version_id', '=', versionId)
      .where('key', '=', key),
  )?.text

/** Keeps pieces of a version. */
export const putPieces = (
  store: Store,
  versionId: string,
  pieces: readonly (readonly [key: string, text: string])[],
): number =>
  store.run(
    sqlRows(sql`
      insert into openapi_piece (version_id, key, text)
      select ${versionId}, value ->> 0, value ->> 1 from json_each(${JSON.stringify(pieces)})
      where true
      on conflict (version_id, key) do update set text = excluded.text`),
  )

/** Forgets up to `limit` pieces of a version; gives how many. */
export const deleteSomePieces = (store: Store, versionId: string, limit: number): number =>
  store.run(
    sqlRows(sql`
      delete from openapi_piece where rowid in (
        select rowid from openapi_piece where version_id = ${versionId} limit ${limit})`),
  )

/** The versions of a description of which something was derived. */
export const listOutlined = (store: Store, specId: string): string[] =>
  store
    .all(query.selectFrom('openapi_outline').select('version_id').where('spec_id', '=', specId))
    .map(row => row.version_id)

/** Forgets the outline of a version. */
export const deleteOutline = (store: Store, versionId: string): number =>
  store.run(query.deleteFrom('openapi_outline').where('version_id', '=', versionId))

/** Forgets everything that was derived from descriptions. */
export const deleteOpenapiDerived = (store: Store): void => {
  store.run(query.deleteFrom('openapi_outline'))
  store.run(query.deleteFrom('openapi_piece'))
}
