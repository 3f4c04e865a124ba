import { query, type Store } from '../store.ts'

/** Returns the signature with the key of the nodes that used the database; undefined: none did. */
export const findKeyCheck = (store: Store): string | undefined =>
  store.get(query.selectFrom('key_check').select('signature'))?.signature

/** Records the signature with the key of all nodes. */
export const putKeyCheck = (store: Store, signature: string): number =>
  store.run(
    query
      .insertInto('key_check')
      .values({ id: 1, signature })
      .onConflict(conflict => conflict.column('id').doUpdateSet({ signature })),
  )
