import type { Oid } from '../../lib/oid.ts'
import { Rows } from '../rows.ts'
import { query, type Store } from '../store.ts'
import type { GitStateRow } from '../tables/rows.ts'

/**
 * Returns the position, the epoch and the default branch of a repository; undefined: it does not
 * exist.
 */
export const findGitState = new Rows('git_state').find('space_id')

/** The state of a repository with the values of its default branch and of another ref. */
export type GitStateAndRefs = GitStateRow & { head_oid: Oid | null; ref_oid: Oid | null }

/** Returns the state of a repository, with the values of its default branch and of `ref`. */
export const findGitStateAndRefs = (
  store: Store,
  key: string,
  ref: string,
): GitStateAndRefs | undefined =>
  store.get(
    query
      .selectFrom('git_state')
      .leftJoin('ref as primary', join =>
        join
          .onRef('primary.space_id', '=', 'git_state.space_id')
          .onRef('primary.name', '=', 'git_state.head'),
      )
      .leftJoin('ref as other', join =>
        join.onRef('other.space_id', '=', 'git_state.space_id').on('other.name', '=', ref),
      )
      .selectAll('git_state')
      .select(['primary.oid as head_oid', 'other.oid as ref_oid'])
      .where('git_state.space_id', '=', key),
  )

/** Returns the epochs of those of these repositories that exist, by their keys. */
export const findEpochs = (store: Store, keys: readonly string[]): Map<string, string> =>
  new Map(
    store
      .all(
        query.selectFrom('git_state').select(['space_id', 'epoch']).where('space_id', 'in', keys),
      )
      .map(row => [row.space_id, row.epoch]),
  )

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

type NextState = Pick<GitStateRow, 'space_id' | 'epoch' | 'mark'> & { head?: string | undefined }

/**
 * Moves a repository to its next position, with a mark, and sets its default branch where one is given. Returns
 * the position; undefined: the repository does not exist in this epoch. Nothing waits for the move: the
 * position is as of the transaction, which PostgreSQL ends if another one moves the repository meanwhile.
 */
export function advanceGitState(
  store: Store,
  { space_id: key, epoch, mark, head }: NextState,
): number | undefined {
  const state = findGitState(store, key)
  if (state?.epoch !== epoch) return undefined
  const seq = state.seq + 1
  store.send(
    query
      .updateTable('git_state')
      .set({ seq, mark, ...(head !== undefined && { head }) })
      .where('space_id', '=', key)
      .where('epoch', '=', epoch),
  )
  return seq
}

/**
 * Gives a repository another epoch at its next position. Returns 0, having changed nothing, if it is no
 * longer at `from`.
 */
export const renewGitState = (
  store: Store,
  from: Pick<GitStateRow, 'space_id' | 'epoch' | 'seq'>,
  to: Pick<GitStateRow, 'epoch' | 'mark'>,
): number =>
  store.run(
    query
      .updateTable('git_state')
      .set({ ...to, seq: from.seq + 1 })
      .where('space_id', '=', from.space_id)
      .where('epoch', '=', from.epoch)
      .where('seq', '=', from.seq),
  )
