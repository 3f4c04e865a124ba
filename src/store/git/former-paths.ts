import { sql } from 'kysely'
import { reusable } from '../reusable.ts'
import type { Store } from '../store.ts'
import { query, sqlRows } from '../store.ts'
import type { Tables } from '../tables/tables.ts'

type FormerPathRow = Tables['former_path']

/** A path that a page had. */
export type FormerPath = Omit<FormerPathRow, 'space_id' | 'seq'>

const formerPages = reusable((spaceId: string, path: string, limit: number) =>
  query
    .selectFrom('former_path')
    .select('page_id')
    .where('space_id', '=', spaceId)
    .where('path', '=', path)
    .orderBy('seq', 'desc')
    .limit(limit),
)

/**
 * Returns up to `limit` ids of pages that had a path in earlier tables of contents, latest first.
 */
export const listFormerPages = (
  store: Store,
  spaceId: string,
  path: string,
  limit: number,
): string[] => store.all(formerPages(spaceId, path, limit)).map(({ page_id }) => page_id)

const lastScan = reusable((spaceId: string) =>
  query.selectFrom('former_path_scan').select('seq').where('space_id', '=', spaceId),
)

/** Returns the `seq` of the last revision whose former paths are recorded; undefined if none is. */
export const findFormerPathScan = (store: Store, spaceId: string): number | undefined =>
  store.get(lastScan(spaceId))?.seq

/**
 * Records the paths that ended with the revision `seq`, and that paths are recorded up to it. Call
 * it in a transaction.
 */
export function putFormerPaths(
  store: Store,
  spaceId: string,
  seq: number,
  rows: readonly FormerPath[],
): void {
  const values = rows.map(row => ({ ...row, space_id: spaceId, seq }))
  for (let at = 0; at < values.length; at += atOnce)
    store.run(
      query
        .insertInto('former_path')
        .values(values.slice(at, at + atOnce))
        .onConflict(conflict => conflict.doNothing()),
    )

  store.run(
    query
      .insertInto('former_path_scan')
      .values({ space_id: spaceId, seq })
      .onConflict(conflict => conflict.column('space_id').doUpdateSet({ seq })),
  )
  if (rows.length > 0) deleteOldest(store, spaceId)
}

/** Makes the former paths of pages those of the pages that continue them. */
export function moveFormerPaths(
  store: Store,
  spaceId: string,
  successors: ReadonlyMap<string, string>,
): void {
  if (successors.size === 0) return
  const list = JSON.stringify(Object.fromEntries(successors))
  store.run(
    sqlRows(sql`
      update former_path set page_id = (select value from json_each(${list}) where key = page_id)
      where space_id = ${spaceId} and page_id in (select key from json_each(${list}))`),
  )
}

/** The number of rows per statement. */
const atOnce = 100
/** Maximum number of rows per space: renaming a large group adds many. */
const mostRows = 50_000

/** Deletes the oldest rows of a space beyond the limit. */
function deleteOldest(store: Store, spaceId: string): void {
  const ofSpace = query.selectFrom('former_path').where('space_id', '=', spaceId)
  const count = store.get(ofSpace.select(({ fn }) => fn.countAll<number>().as('rows')))
  if ((count?.rows ?? 0) <= mostRows) return
  const last = store.get(ofSpace.select('seq').orderBy('seq', 'desc').offset(mostRows).limit(1))
  if (last)
    store.run(
      query.deleteFrom('former_path').where('space_id', '=', spaceId).where('seq', '<=', last.seq),
    )
}

/**
 * Deletes the paths that ended after the revision `seq`, because those revisions left the index.
 * They are recorded again.
 */
export function deleteFormerPathsAfter(store: Store, spaceId: string, seq: number): void {
  store.run(query.deleteFrom('former_path').where('space_id', '=', spaceId).where('seq', '>', seq))
  store.run(
    query
      .updateTable('former_path_scan')
      .set({ seq })
      .where('space_id', '=', spaceId)
      .where('seq', '>', seq),
  )
}

/**
 * Returns the `seq` of up to `limit` revisions after `after`, up to `upTo`, that changed one of
 * these paths.
 */
export const listChangesOfPaths = (
  store: Store,
  spaceId: string,
  paths: readonly string[],
  {
    after,
    upTo,
    limit,
    order,
  }: { after: number; upTo: number; limit: number; order: 'asc' | 'desc' },
): number[] =>
  store
    .all(
      query
        .selectFrom('revision_path')
        .select('seq')
        .distinct()
        .where('space_id', '=', spaceId)
        .where('path', 'in', paths)
        .where('seq', '>', after)
        .where('seq', '<=', upTo)
        .orderBy('seq', order)
        .limit(limit),
    )
    .map(({ seq }) => seq)

/** Returns up to `limit` paths, and former paths, of files added, deleted or renamed in revisions. */
export const listPathsMoved = (
  store: Store,
  spaceId: string,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): string[] =>
  store
    .all(
      query
        .selectFrom('revision_path')
        .select(['path', 'from_path'])
        .distinct()
        .where('space_id', '=', spaceId)
        .where('status', '!=', 'modified')
        .where('seq', '>', after)
        .where('seq', '<=', upTo)
        .limit(limit),
    )
    .flatMap(({ path, from_path }) => (from_path === null ? [path] : [path, from_path]))

const renamesOf = (spaceId: string, path: string) =>
  query
    .selectFrom('revision_path')
    .select(['path', 'seq'])
    .where('space_id', '=', spaceId)
    .where('from_path', '=', path)
    .where('status', '=', 'renamed')

const lastRenames = reusable((spaceId: string, path: string, limit: number) =>
  renamesOf(spaceId, path).orderBy('seq', 'desc').limit(limit),
)

/**
 * Returns up to `limit` renames of a file at this path, latest first: its new path, and the `seq`
 * of the revision.
 */
export const listRenamesOf = (store: Store, spaceId: string, path: string, limit: number) =>
  store.all(lastRenames(spaceId, path, limit))

const nextRename = reusable((spaceId: string, path: string, seq: number) =>
  renamesOf(spaceId, path).where('seq', '>', seq).orderBy('seq', 'asc').limit(1),
)

/** Maximum number of renames of a file to follow. */
const mostNames = 50

/** Returns the present path of a file that had a path at the revision `seq`. */
export function presentPath(store: Store, spaceId: string, path: string, seq: number): string {
  let at = { path, seq }
  for (let names = 0; names < mostNames; names++) {
    const next = store.get(nextRename(spaceId, at.path, at.seq))
    if (!next) break
    at = next
  }
  return at.path
}
