import { sql } from 'kysely'
import type { Oid } from '../../lib/oid.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'

const versions = new Rows('openapi_version')
const outlines = new Rows('openapi_outline')

/** Returns a version of a spec. */
export const findVersion = versions.find('spec_id', 'id')

/** Returns up to `limit` versions of a spec before the sequence number `before`, newest first. */
export const listVersions = versions.page('desc', 'spec_id')

/** Adds a version unless it exists. */
export const insertVersion = versions.insertNew

/**
 * Returns the outline of a version as JSON, made by this version of the describer; null inside when
 * the files could not be read, undefined when it has not been made.
 */
export const findOutline = (
  store: Store,
  versionId: Oid,
  describer: number,
): { outline: string | null } | undefined =>
  store.get(
    query
      .selectFrom('openapi_outline')
      .select('outline')
      .where('version_id', '=', versionId)
      .where('describer', '=', describer),
  )

/**
 * Returns whether this version of the describer has processed a version, with or without success.
 */
export const hasOutline = (store: Store, versionId: Oid, describer: number): boolean =>
  store.get(
    query
      .selectFrom('openapi_outline')
      .select('version_id')
      .where('version_id', '=', versionId)
      .where('describer', '=', describer),
  ) !== undefined

/** Stores the outline of a version. Call it after all its pieces are stored. */
export const putOutline = outlines.put('version_id')

/** Returns the text of a piece of a version. */
export const findPiece = (store: Store, versionId: Oid, key: string): string | undefined =>
  store.get(
    query
      .selectFrom('openapi_piece')
      .select('text')
      .where('version_id', '=', versionId)
      .where('key', '=', key),
  )?.text

/** A piece in which two versions differ. */
type PieceDifference = { key: string; mark: 'new' | 'changed' | 'removed' }

/**
 * Returns up to `limit` pieces in which two versions differ, by key; without a version, all pieces
 * of the other one. Keys begin with one of the words in `kinds`.
 */
export const listPieceDifferences = (
  store: Store,
  { before, after }: { before: Oid | null; after: Oid | null },
  kinds: readonly string[],
  limit: number,
): PieceDifference[] =>
  store.all(
    sqlRows<PieceDifference>(sql`
      select key, mark from (
        select was.key, 'removed' as mark from openapi_piece was
        where was.version_id = ${before} and not exists (
          select 1 from openapi_piece now where now.version_id = ${after} and now.key = was.key)
        union all
        select now.key, case when was.key is null then 'new' else 'changed' end
        from openapi_piece now
        left join openapi_piece was on was.version_id = ${before} and was.key = now.key
        where now.version_id = ${after} and was.text is not now.text)
      where substr(key, 1, instr(key || ' ', ' ') - 1) in (select value from json_each(${kinds}))
      order by key limit ${limit}`),
  )

/** Stores pieces of a version. */
export const putPieces = (
  store: Store,
  versionId: Oid,
  pieces: readonly (readonly [key: string, text: string])[],
): number =>
  store.run(
    sqlRows(sql`
      insert into openapi_piece (version_id, key, text)
      select ${versionId}, value ->> 0, value ->> 1 from json_each(${pieces})
      where true
      on conflict (version_id, key) do update set text = excluded.text`),
  )

/** Deletes up to `limit` pieces of a version; returns how many. */
export const deleteSomePieces = (store: Store, versionId: Oid, limit: number): number =>
  store.run(
    sqlRows(sql`
      delete from openapi_piece where rowid in (
        select rowid from openapi_piece where version_id = ${versionId} limit ${limit})`),
  )

/** Returns the ids of the versions of a spec that have derived data. */
export const listOutlined = (store: Store, specId: string): Oid[] =>
  store
    .all(query.selectFrom('openapi_outline').select('version_id').where('spec_id', '=', specId))
    .map(row => row.version_id)

/** Returns the id below which data derived from specs in the files of a space is kept. */
export const specOfFiles = (spaceId: string): string => `files ${spaceId}`

/** Returns the ids of specs, and of those in files of spaces, that have derived data and are gone. */
export function listOutlineOrphans(store: Store): string[] {
  const outlined = store
    .all(query.selectFrom('openapi_outline').select('spec_id').distinct())
    .map(row => row.spec_id)
  return store
    .all(
      sqlRows<{ id: string }>(sql`
        select named.value as id from json_each(${outlined}) as named
        where named.value not in (select id from openapi_spec)
          and named.value not in (select ${specOfFiles('')} || id from space)`),
    )
    .map(row => row.id)
}

/** Deletes the outline of a version. */
export const deleteOutline = outlines.remove('version_id')

/** Deletes all data derived from specs. */
export function deleteOpenapiDerived(store: Store): void {
  store.run(query.deleteFrom('openapi_outline'))
  store.run(query.deleteFrom('openapi_piece'))
}
