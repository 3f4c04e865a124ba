import { deleteRevisionsAfter } from './revisions.ts'
import type { RevisionPathRow, RevisionRow } from './rows.ts'
import type { Store } from './store.ts'
import { query } from './store.ts'

/** The paths that the revisions `from` to `to` (`seq`, both included) of a space changed. */
export const listPathsOfRevisions = (
  store: Store,
  spaceId: string,
  from: number,
  to: number,
): RevisionPathRow[] =>
  store.all(
    query
      .selectFrom('revision_path')
      .selectAll()
      .where('space_id', '=', spaceId)
      .where('seq', '>=', from)
      .where('seq', '<=', to),
  )

/** Puts these revisions (oldest first) in the place of a space's index, inside the caller's transaction. */
export const replaceRevisions = (
  store: Store,
  spaceId: string,
  revisions: readonly {
    row: Omit<RevisionRow, 'seq'>
    paths: readonly Omit<RevisionPathRow, 'seq' | 'space_id'>[]
  }[],
): void => {
  deleteRevisionsAfter(store, spaceId, 0)
  for (const [at, { row, paths }] of revisions.entries()) {
    const seq = at + 1
    store.run(query.insertInto('revision').values({ ...row, seq }))
    for (const path of paths)
      store.run(
        query
          .insertInto('revision_path')
          .values({ ...path, space_id: spaceId, seq })
          .onConflict(conflict => conflict.doNothing()),
      )
  }
}
