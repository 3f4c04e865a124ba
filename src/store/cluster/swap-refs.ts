import { withoutSwap } from '../../lib/crash-points.ts'
import type { Oid } from '../../lib/oid.ts'
import { among } from '../dialect.ts'
import { putMirroredRef } from '../git/refs.ts'
import { query, type Store } from '../store.ts'

/** A move of a ref from its required value to another; null: it does not exist. */
type Move = { ref: string; from: Oid | null; to: Oid | null }

/**
 * Moves the refs of a repository, each only if its value is `from`. Returns a function that returns the
 * first that has another value: call it at the end of the transaction, which then must be rolled back.
 *
 * The values are read in the snapshot of the transaction, and PostgreSQL ends it if another one moves
 * the same row meanwhile. So the moves can travel with the commit: nothing waits for their results.
 */
export function swapRefs(
  store: Store,
  key: string,
  moves: readonly Move[],
): () => string | undefined {
  if (withoutSwap()) {
    for (const { ref, to } of moves) putMirroredRef(store, key, ref, to)
    return () => undefined
  }
  const values = valuesOf(store, key, moves)
  for (const { ref, from, to } of moves) if (from !== to) store.send(swap(key, { ref, from, to }))
  return () => moves.find(({ ref, from }) => (values.get(ref) ?? null) !== from)?.ref
}

/** Returns the values of refs, as of the open transaction. */
function valuesOf(store: Store, key: string, moves: readonly Move[]): Map<string, Oid> {
  const rows = store.all(
    query
      .selectFrom('ref')
      .select(['name', 'oid'])
      .where('space_id', '=', key)
      .where('name', 'in', among(moves.map(({ ref }) => ref))),
  )
  return new Map(rows.map(({ name, oid }) => [name, oid]))
}

/** Returns a statement that changes one row, or none if the ref has another value. */
function swap(key: string, { ref, from, to }: Move) {
  if (from === null && to !== null)
    return query
      .insertInto('ref')
      .values({ space_id: key, name: ref, oid: to })
      .onConflict(conflict => conflict.columns(['space_id', 'name']).doNothing())
  if (to === null)
    return query
      .deleteFrom('ref')
      .where('space_id', '=', key)
      .where('name', '=', ref)
      .where('oid', '=', from)
  return query
    .updateTable('ref')
    .set({ oid: to })
    .where('space_id', '=', key)
    .where('name', '=', ref)
    .where('oid', '=', from)
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
