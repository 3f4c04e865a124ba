import { type Caller, settle } from '../callers.ts'
import type { Ids, World } from '../world.ts'

/** What is sent: parameters of the path beside those of the world, a body, a query ("?a=b"). */
export type Sent = { ids?: Ids; body?: unknown; query?: string }

/**
 * How an operation is called so that it succeeds for whoever may. It is asked before the first call and again after each
 * that succeeded, so that the next one finds what it is to change as it was; with `own`, before every call.
 * What `after` does ends a line.
 */
export type Call = {
  own?: true
  make: (world: World, caller: Caller) => Sent | Promise<Sent>
  after?: (world: World) => void
}

/** Calls by the names of the table's lines: an operationId, or one with "@" and what is special. */
export type Calls = Record<string, Call>

/** The same for everybody, made anew when it was used up. */
export const fresh = (make: Call['make']): Call => ({ make })

/** Something of the caller's own. */
export const own = (make: Call['make']): Call => ({ own: true, make })

/** What changes who may what: everybody stands where they stood before the next one asks, and at the end. */
export function restoring(make: Call['make']): Call {
  const after = ({ app, ids }: World) => {
    if (ids.organizationId === 'acme') settle(app, ids)
  }
  return {
    own: true,
    make: (world, caller) => {
      after(world)
      return make(world, caller)
    },
    after,
  }
}
