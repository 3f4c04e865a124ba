import type { Oid } from '../../lib/oid.ts'
import { reusable } from '../reusable.ts'
import { Rows } from '../rows.ts'
import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { RevisionPathRow, RevisionRow } from '../tables/rows.ts'
import { insertRevisions, type NewRevision } from './revision-index.ts'

const revisions = new Rows('revision')

/** Returns the newest revision in a space's index of its primary content. */
export const findLastRevision = (store: Store, spaceId: string): RevisionRow | undefined =>
  store.get(
    query
      .selectFrom('revision')
      .selectAll()
      .where('space_id', '=', spaceId)
      .orderBy('seq', 'desc')
      .limit(1),
  )

/** Returns a revision of a space's primary content by its commit. */
export const findRevision = revisions.find('space_id', 'oid')

/**
 * Returns the last revision of a space's primary content that was committed before a time, in
 * seconds since 1970.
 */
export const findRevisionBefore = (
  store: Store,
  spaceId: string,
  time: number,
): RevisionRow | undefined =>
  store.get(
    query
      .selectFrom('revision')
      .selectAll()
      .where('space_id', '=', spaceId)
      .where('committed_at', '<', time)
      .orderBy('seq', 'desc')
      .limit(1),
  )

/** Returns up to `limit` revisions of a space below `before` (a `seq`), newest first. */
export function listRevisions(
  store: Store,
  spaceId: string,
  limit: number,
  before?: number,
): RevisionRow[] {
  let select = query.selectFrom('revision').selectAll().where('space_id', '=', spaceId)
  if (before !== undefined) select = select.where('seq', '<', before)
  return store.all(select.orderBy('seq', 'desc').limit(limit))
}

const changesOf = (spaceId: string, path: string) =>
  query
    .selectFrom('revision_path')
    .innerJoin('revision', join =>
      join
        .onRef('revision.space_id', '=', 'revision_path.space_id')
        .onRef('revision.seq', '=', 'revision_path.seq'),
    )
    .where('revision_path.space_id', '=', spaceId)
    .where('revision_path.path', '=', path)

/** Returns up to `limit` revisions that changed a path, below `before` (a `seq`), newest first. */
export function listRevisionsOfPath(
  store: Store,
  spaceId: string,
  path: string,
  limit: number,
  before?: number,
): (RevisionRow & Pick<RevisionPathRow, 'status' | 'from_path'>)[] {
  let select = changesOf(spaceId, path)
    .selectAll('revision')
    .select(['revision_path.status', 'revision_path.from_path'])
  if (before !== undefined) select = select.where('revision_path.seq', '<', before)
  return store.all(select.orderBy('revision_path.seq', 'desc').limit(limit))
}

const changeOf = (spaceId: string, path: string, upTo: number) =>
  changesOf(spaceId, path)
    .select(['revision.committed_at', 'revision.author_name'])
    .select(['revision_path.seq', 'revision_path.status', 'revision_path.from_path'])
    .where('revision_path.seq', '<=', upTo)
    .orderBy('revision_path.seq', 'desc')
    .limit(1)

type PathChange = Pick<RevisionRow, 'committed_at' | 'author_name' | 'seq'> &
  Pick<RevisionPathRow, 'status' | 'from_path'>

const lastChange = reusable(changeOf)

/** Returns the last change of a path up to the revision `upTo` (a `seq`). */
export const findLastChange = (
  store: Store,
  spaceId: string,
  path: string,
  upTo: number,
): PathChange | undefined => store.get(lastChange(spaceId, path, upTo))

/** When a path last changed, in seconds since 1970; null: the index has no change of it. */
type LastChange = { committed_at: number | null }

const lastChangeAt = reusable((spaceId: string, oid: Oid, path: string) =>
  query
    .selectFrom('revision as at')
    .select(select =>
      select
        .selectFrom('revision_path')
        .innerJoin('revision', join =>
          join
            .onRef('revision.space_id', '=', 'revision_path.space_id')
            .onRef('revision.seq', '=', 'revision_path.seq'),
        )
        .select('revision.committed_at')
        .whereRef('revision_path.space_id', '=', 'at.space_id')
        .where('revision_path.path', '=', path)
        .whereRef('revision_path.seq', '<=', 'at.seq')
        .orderBy('revision_path.seq', 'desc')
        .limit(1)
        .as('committed_at'),
    )
    .where('at.space_id', '=', spaceId)
    .where('at.oid', '=', oid),
)

/**
 * Returns the last change of a path up to the revision of a commit, in one statement; undefined
 * without the revision.
 */
export const findLastChangeAt = (
  store: Store,
  spaceId: string,
  oid: Oid,
  path: string,
): LastChange | undefined => store.get(lastChangeAt(spaceId, oid, path))

const lastNaming = reusable((spaceId: string, path: string, upTo: number) =>
  changeOf(spaceId, path, upTo).where('revision_path.status', 'in', ['added', 'renamed']),
)

/** The number of renames that a search for the creation of a file follows. */
const mostNames = 50

/**
 * Returns the change that created a file, under its name at that time, up to the revision `upTo` (a
 * `seq`).
 */
export function findBirth(
  store: Store,
  spaceId: string,
  path: string,
  upTo: number,
): PathChange | undefined {
  let [name, before] = [path, upTo]
  let born: PathChange | undefined
  for (let names = 0; names < mostNames; names++) {
    const found = store.get(lastNaming(spaceId, name, before))
    if (!found) return born
    born = found
    if (found.status !== 'renamed' || found.from_path === null) return born
    name = found.from_path
    before = found.seq - 1
  }

  return born
}

/**
 * Appends a revision to the index if the newest one is `after` (null: the index is empty). Returns
 * false if it is not.
 */
export function appendRevision(
  store: Store,
  after: string | null,
  row: NewRevision['row'],
  paths: NewRevision['paths'],
): boolean {
  const last = findLastRevision(store, row.space_id)
  if ((last?.oid ?? null) !== after) return false
  insertRevisions(store, row.space_id, (last?.seq ?? 0) + 1, [{ row, paths }])
  return true
}
