import { stateSlot } from '../../caches.ts'

/**
 * What a server does before it reports that it is ready, although it answers requests already: what
 * would make its first answers slow.
 */
export const readiness = stateSlot(() => ({ reached: Promise.resolve() as Promise<unknown> }))
