import { sql } from 'kysely'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { RevisionPathRow, RevisionRow } from '../tables/rows.ts'
import { deleteFormerPathsAfter } from './former-paths.ts'

/**
 * Returns the paths that the revisions `from` to `to` (`seq`, both included) of a space changed:
 * all, or the first `limit`.
 */
export const listPathsOfRevisions = (
  store: Store,
  spaceId: string,
  from: number,
  to: number,
  limit = Number.MAX_SAFE_INTEGER,
): RevisionPathRow[] =>
  store.all(
    query
      .selectFrom('revision_path')
      .selectAll()
      .where('space_id', '=', spaceId)
      .where('seq', '>=', from)
      .where('seq', '<=', to)
      .limit(limit),
  )

/** A revision without its number, and the paths that it changed. */
export type NewRevision = {
  row: Omit<RevisionRow, 'seq'>
  paths: readonly Omit<RevisionPathRow, 'seq' | 'space_id'>[]
}

/**
 * Replaces the index of a space by these revisions (oldest first), inside the caller's transaction.
 */
export function replaceRevisions(
  store: Store,
  spaceId: string,
  revisions: readonly NewRevision[],
): void {
  deleteRevisionsAfter(store, spaceId, 0)
  insertRevisions(store, spaceId, 1, revisions)
}

/** The number of rows per statement: a statement per row takes five times as long. */
const atOnce = 100

/**
 * Appends revisions (oldest first) to a space's index, numbered from `first`, inside the caller's
 * transaction.
 */
export function insertRevisions(
  store: Store,
  spaceId: string,
  first: number,
  revisions: readonly NewRevision[],
): void {
  const rows = revisions.map(({ row }, at) => ({ ...row, seq: first + at }))
  for (let at = 0; at < rows.length; at += atOnce)
    store.run(query.insertInto('revision').values(rows.slice(at, at + atOnce)))
  const paths = revisions.flatMap((revision, at) =>
    revision.paths.map(path => ({ ...path, space_id: spaceId, seq: first + at })),
  )

  for (let at = 0; at < paths.length; at += atOnce)
    store.run(
      query
        .insertInto('revision_path')
        .values(paths.slice(at, at + atOnce))
        .onConflict(conflict => conflict.doNothing()),
    )
}

/**
 * Deletes the revisions after `seq` from the index, with the paths of pages that ended with them.
 */
export function deleteRevisionsAfter(store: Store, spaceId: string, seq: number): void {
  deleteFormerPathsAfter(store, spaceId, seq)
  store.run(query.deleteFrom('revision').where('space_id', '=', spaceId).where('seq', '>', seq))
  store.run(
    query.deleteFrom('revision_path').where('space_id', '=', spaceId).where('seq', '>', seq),
  )
}

/**
 * Copies the index of one space to another with the same content, inside the caller's transaction.
 */
export function copyRevisions(store: Store, fromId: string, toId: string): void {
  store.run(
    sqlRows(sql`
      insert into revision (space_id, seq, oid, tree, parents, author_name, author_email, message, committed_at)
      select ${toId}, seq, oid, tree, parents, author_name, author_email, message, committed_at
      from revision where space_id = ${fromId}`),
  )
  store.run(
    sqlRows(sql`
      insert into revision_path (space_id, path, seq, status, from_path)
      select ${toId}, path, seq, status, from_path from revision_path where space_id = ${fromId}`),
  )
}
