import type { Store } from '../../../src/store/store.ts'

/**
 * Runs `work` right before the next transaction of a store, as another server on the same database
 * may do after a handler has looked and before it writes.
 */
export function meanwhile(store: Store, work: () => void): void {
  store.transact = next => {
    Reflect.deleteProperty(store, 'transact')
    work()
    return store.transact(next)
  }
}
