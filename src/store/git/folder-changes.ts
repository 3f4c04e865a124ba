import { sql } from 'kysely'
import type { Oid } from '../../lib/oid.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { FolderChangeRow } from '../tables/rows.ts'

/** Returns the last change of a content of a file in the history of the folder that it comes from. */
export const findFolderChange = new Rows('folder_change').find('space_id', 'path', 'blob')

/** The number of rows per statement. */
const atOnce = 100

/**
 * Records the last changes of files of a space. What is known already stays where a row says that
 * it is not known. Writes nothing, so that kept answers stay, if all of this is recorded.
 */
export function putFolderChanges(
  store: Store,
  spaceId: string,
  rows: readonly Omit<FolderChangeRow, 'space_id'>[],
): void {
  store.transact(() => {
    const values = listNews(store, spaceId, rows).map(row => ({ ...row, space_id: spaceId }))
    for (let at = 0; at < values.length; at += atOnce)
      store.run(
        query
          .insertInto('folder_change')
          .values(values.slice(at, at + atOnce))
          .onConflict(conflict =>
            conflict.columns(['space_id', 'path', 'blob']).doUpdateSet({
              changed_at: sql`excluded.changed_at`,
              author_name: sql`excluded.author_name`,
            }),
          ),
      )
  })
}

/** Returns those of the rows that say something new. */
const listNews = (
  store: Store,
  spaceId: string,
  rows: readonly Omit<FolderChangeRow, 'space_id'>[],
): Omit<FolderChangeRow, 'space_id'>[] =>
  store
    .all(
      sqlRows<{ at: number }>(sql`
        select sent.key as at from json_each(${rows}) as sent left join folder_change as known
          on known.space_id = ${spaceId}
          and known.path = sent.value ->> 'path' and known.blob = sent.value ->> 'blob'
        where known.path is null or (sent.value ->> 'changed_at' is not null and
          (known.changed_at is distinct from cast(sent.value ->> 'changed_at' as bigint)
            or known.author_name is distinct from sent.value ->> 'author_name'))`),
    )
    .flatMap(({ at }) => rows[at] ?? [])

/** Copies the records of one space to another. */
export const copyFolderChanges = (store: Store, fromId: string, toId: string): number =>
  store.run(
    sqlRows(sql`
      insert into folder_change (space_id, path, blob, changed_at, author_name)
      select ${toId}, path, blob, changed_at, author_name from folder_change
      where space_id = ${fromId}
      on conflict (space_id, path, blob) do nothing`),
  )

/** Deletes what is recorded about these blobs of a space. */
export const forgetFolderChanges = (store: Store, spaceId: string, blobs: readonly Oid[]): number =>
  store.run(
    query.deleteFrom('folder_change').where('space_id', '=', spaceId).where('blob', 'in', blobs),
  )
