import { Rows } from '../rows.ts'
import { query, type Store } from '../store.ts'
import type { GitStateRow } from '../tables/rows.ts'

const states = new Rows('git_state')
const find = states.find('space_id')

/**
 * Returns the position, the epoch and the default branch of a repository; undefined: it does not
 * exist.
 */
export const findGitState = (store: Store, key: string): GitStateRow | undefined =>
  store.remember(`git state ${key}`, () => find(store, key), { spaceId: key })

/** Deletes the state and the packs of a repository. */
export function deleteRepository(store: Store, key: string): void {
  store.run(query.deleteFrom('git_log').where('space_id', '=', key))
  store.run(query.deleteFrom('git_state').where('space_id', '=', key))
}

/** Inserts the state of a new repository, at position 1. Returns 0 if it has one. */
export const insertGitState = (store: Store, row: Omit<GitStateRow, 'seq'>): number =>
  store.run(
    query
      .insertInto('git_state')
      .values({ ...row, seq: 1 })
      .onConflict(conflict => conflict.column('space_id').doNothing()),
  )

/**
 * Moves a repository to its next position, and sets its default branch where one is given. Returns
 * the position; undefined: the repository does not exist in this epoch.
 */
export const advanceGitState = (
  store: Store,
  { space_id: key, epoch }: Pick<GitStateRow, 'space_id' | 'epoch'>,
  head?: string,
): number | undefined =>
  store.get(
    query
      .updateTable('git_state')
      .set(eb => ({ seq: eb('seq', '+', 1), ...(head !== undefined && { head }) }))
      .where('space_id', '=', key)
      .where('epoch', '=', epoch)
      .returning('seq'),
  )?.seq
