import { withoutSwap } from '../../lib/crash-points.ts'
import type { Oid } from '../../lib/oid.ts'
import { findMirroredRef, putMirroredRef } from '../git/refs.ts'
import { query, type Store } from '../store.ts'

/** A move of a ref from its required value to another; null: it does not exist. */
type Move = { ref: string; from: Oid | null; to: Oid | null }

/**
 * Moves the refs of a repository, each only if its value is `from`. Returns a function that returns the
 * first that has another value: then roll the transaction back. Call it after the statements that can
 * travel with these.
 */
export function swapRefs(
  store: Store,
  key: string,
  moves: readonly Move[],
): () => string | undefined {
  const swaps = moves.map(move => ({ ref: move.ref, isDone: swap(store, key, move) }))
  return () => swaps.find(({ isDone }) => !isDone())?.ref
}

function swap(store: Store, key: string, { ref, from, to }: Move): () => boolean {
  if (from === to) return () => (findMirroredRef(store, key, ref) ?? null) === to
  if (withoutSwap()) {
    putMirroredRef(store, key, ref, to)
    return () => true
  }
  const moved = store.getLater(statement(key, { ref, from, to }))
  return () => moved() !== undefined
}

/** Returns a statement that changes and returns one row, or none. */
function statement(key: string, { ref, from, to }: Move) {
  if (from === null && to !== null)
    return query
      .insertInto('ref')
      .values({ space_id: key, name: ref, oid: to })
      .onConflict(conflict => conflict.columns(['space_id', 'name']).doNothing())
      .returning('name')
  if (to === null)
    return query
      .deleteFrom('ref')
      .where('space_id', '=', key)
      .where('name', '=', ref)
      .where('oid', '=', from)
      .returning('name')
  return query
    .updateTable('ref')
    .set({ oid: to })
    .where('space_id', '=', key)
    .where('name', '=', ref)
    .where('oid', '=', from)
    .returning('name')
}

/**
 * Returns a ref that Git cannot hold beside this one: one of them is named as a folder of the other.
 */
export function findConflictingRef(store: Store, key: string, ref: string): string | undefined {
  const parts = ref.split('/')
  const folders = parts.map((_, at) => parts.slice(0, at).join('/')).slice(1)
  return store.get(
    query
      .selectFrom('ref')
      .select('name')
      .where('space_id', '=', key)
      .where(eb =>
        eb.or([
          eb('name', 'in', folders),
          eb.and([eb('name', '>', `${ref}/`), eb('name', '<', `${ref}0`)]),
        ]),
      ),
  )?.name
}
