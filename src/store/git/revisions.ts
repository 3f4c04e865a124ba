import type { Store } from '../store.ts'
import { query } from '../store.ts'
import type { RevisionPathRow, RevisionRow } from '../tables/rows.ts'
import { insertRevisions, type NewRevision } from './revision-index.ts'

/** The newest revision in a space's index of its primary content. */
export const findLastRevision = (store: Store, spaceId: string): RevisionRow | undefined =>
  store.get(
    query.selectFrom('revision').selectAll().where('space_id', '=', spaceId).orderBy('seq', 'desc').limit(1),
  )

/** A revision of a space's primary content by its commit. */
export const findRevision = (store: Store, spaceId: string, oid: string): RevisionRow | undefined =>
  store.get(query.selectFrom('revision').selectAll().where('space_id', '=', spaceId).where('oid', '=', oid))

/** A space's revisions, newest first, `limit` from below `before` (a `seq`). */
export const listRevisions = (
  store: Store,
  spaceId: string,
  limit: number,
  before?: number,
): RevisionRow[] => {
  let select = query.selectFrom('revision').selectAll().where('space_id', '=', spaceId)
  if (before !== undefined) select = select.where('seq', '<', before)
  return store.all(select.orderBy('seq', 'desc').limit(limit))
}

/** The revisions that changed a path, newest first, `limit` from below `before` (a `seq`). */
export const listRevisionsOfPath = (
  store: Store,
  spaceId: string,
  path: string,
  limit: number,
  before?: number,
): (RevisionRow & Pick<RevisionPathRow, 'status' | 'from_path'>)[] => {
  let select = query
    .selectFrom('revision_path')
    .innerJoin('revision', join =>
      join
        .onRef('revision.space_id', '=', 'revision_path.space_id')
        .onRef('revision.seq', '=', 'revision_path.seq'),
    )
    .selectAll('revision')
    .select(['revision_path.status', 'revision_path.from_path'])
    .where('revision_path.space_id', '=', spaceId)
    .where('revision_path.path', '=', path)
  if (before !== undefined) select = select.where('revision_path.seq', '<', before)
  return store.all(select.orderBy('revision_path.seq', 'desc').limit(limit))
}

const changeOf = (spaceId: string, path: string, upTo: number) =>
  query
    .selectFrom('revision_path')
    .innerJoin('revision', join =>
      join
        .onRef('revision.space_id', '=', 'revision_path.space_id')
        .onRef('revision.seq', '=', 'revision_path.seq'),
    )
    .select(['revision.committed_at', 'revision_path.seq', 'revision_path.status', 'revision_path.from_path'])
    .where('revision_path.space_id', '=', spaceId)
    .where('revision_path.path', '=', path)
    .where('revision_path.seq', '<=', upTo)
    .orderBy('revision_path.seq', 'desc')
    .limit(1)

type PathChange = Pick<RevisionRow, 'committed_at' | 'seq'> & Pick<RevisionPathRow, 'status' | 'from_path'>

/** The last change of a path up to the revision `upTo` (a `seq`). */
export const findLastChange = (
  store: Store,
  spaceId: string,
  path: string,
  upTo: number,
): PathChange | undefined => store.get(changeOf(spaceId, path, upTo))

/** How often a file may have had another name; before that its birth is not looked for. */
const mostNames = 50

/** The change that brought a file into being, under the name that it had then, up to the revision `upTo` (a `seq`). */
export const findBirth = (
  store: Store,
  spaceId: string,
  path: string,
  upTo: number,
): PathChange | undefined => {
  let [name, before] = [path, upTo]
  let born: PathChange | undefined
  for (let names = 0; names < mostNames; names++) {
    const found = store.get(
      changeOf(spaceId, name, before).where('revision_path.status', 'in', ['added', 'renamed']),
    )
    if (!found) return born
    born = found
    if (found.status !== 'renamed' || found.from_path === null) return born
    name = found.from_path
    before = found.seq - 1
  }
  return born
}

/** Adds the next revision to the index if its newest one is `after` (null: it is empty); false when it is not. */
export const appendRevision = (
  store: Store,
  after: string | null,
  row: NewRevision['row'],
  paths: NewRevision['paths'],
): boolean => {
  const last = findLastRevision(store, row.space_id)
  if ((last?.oid ?? null) !== after) return false
  insertRevisions(store, row.space_id, (last?.seq ?? 0) + 1, [{ row, paths }])
  return true
}
