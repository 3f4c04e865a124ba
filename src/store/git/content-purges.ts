import { type Selectable, sql } from 'kysely'
import type { Oid } from '../../lib/oid.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { Tables } from '../tables/tables.ts'
import { namingColumns } from './named-commits.ts'

const contentPurges = new Rows('content_purge')

export type ContentPurgeRow = Selectable<Tables['content_purge']>

/** Records which commits a purge replaces: from old to new. */
export function insertRewritten(
  store: Store,
  spaceId: string,
  rewritten: ReadonlyMap<Oid, Oid>,
): void {
  for (const [old_oid, new_oid] of rewritten) {
    // An earlier purge may have produced a commit that this one rewrites.
    store.run(
      query
        .updateTable('rewritten_commit')
        .set({ new_oid })
        .where('space_id', '=', spaceId)
        .where('new_oid', '=', old_oid),
    )
    store.run(query.insertInto('rewritten_commit').values({ space_id: spaceId, old_oid, new_oid }))
  }
}

/** Inserts a purge that begins, with the commits that it rewrites: from old to new. */
export const insertContentPurge = (
  store: Store,
  row: Pick<ContentPurgeRow, 'space_id' | 'blobs' | 'moves' | 'created_at'>,
  rewritten: ReadonlyMap<Oid, Oid>,
): void =>
  store.transact(() => {
    store.run(query.insertInto('content_purge').values(row))
    insertRewritten(store, row.space_id, rewritten)
  })

/** Returns the purges in progress. */
export const listContentPurges = contentPurges.list('seq')

/** Records that the refs and rows of a purge have been changed. */
export const markPurgeMoved = (store: Store, spaceId: string): number =>
  store.run(
    query.updateTable('content_purge').set({ state: 'moved' }).where('space_id', '=', spaceId),
  )

/** Deletes a finished purge. The map of rewritten commits stays. */
export const deleteContentPurge = contentPurges.remove('space_id')

/**
 * Returns the commit that replaced a purged commit of a space; undefined if it was not rewritten.
 */
export const findRewritten = (store: Store, spaceId: string, oid: Oid): Oid | undefined =>
  store.get(
    query
      .selectFrom('rewritten_commit')
      .select('new_oid')
      .where('space_id', '=', spaceId)
      .where('old_oid', '=', oid),
  )?.new_oid

/** Columns that are rebuilt from Git and therefore not updated row by row. */
const derived = new Set(['revision'])

/** Columns of facts about commits, which may refer to commits that do not exist. */
const factColumns = [
  ['service_commit', 'oid'],
  ['published_jump', 'oid'],
  ['published_jump', 'previous'],
] as const

/** Replaces rewritten commits in every row of a space that refers to one. */
export function renameCommits(store: Store, spaceId: string): void {
  for (const [table, column] of [...namingColumns, ...factColumns]) {
    if (derived.has(table)) continue
    const [name, named] = [sql.table(table), sql.ref(column)]
    store.run(
      sqlRows(sql`
        update ${name} set ${named} = (
          select new_oid from rewritten_commit as r where r.space_id = ${spaceId} and r.old_oid = ${name}.${named})
        where space_id = ${spaceId}
          and ${named} in (select old_oid from rewritten_commit where space_id = ${spaceId})`),
    )
  }
}

/** Deletes the facts derived from these blobs. */
export const forgetBlobs = (store: Store, blobs: readonly Oid[]): void =>
  store.transact(() => {
    for (const table of ['blob_facts', 'blob_links', 'blob_media'] as const)
      store.run(query.deleteFrom(table).where('oid', 'in', blobs))
  })

/** Deletes the stored answers that name a space. */
export const forgetAnswers = (store: Store, spaceId: string): number =>
  store.run(query.deleteFrom('idempotency').where('body', 'like', `%${spaceId}%`))
