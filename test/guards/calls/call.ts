import type { Part } from '../../support/http/multipart.ts'
import { type Caller, settle } from '../callers.ts'
import type { Ids, World } from '../world.ts'

/**
 * The input of a call: path parameters besides those of the world, a body, a query ("?a=b"), and the files
 * of a form.
 */
export type Sent = { ids?: Ids; body?: unknown; query?: string; files?: readonly Part[] }

/**
 * How to call an operation so that it succeeds for every authorized caller. `sent` is called before
 * the first call and after each success, so that the next call finds the initial state; with `own`,
 * before every call. `after` runs at the end of a line.
 */
export type Call = {
  own?: true
  make: (world: World, caller: Caller) => Sent | Promise<Sent>
  after?: (world: World) => void
}

/** Calls by the names of the table's lines: an operationId, or one with "@" and a variant. */
export type Calls = Record<string, Call>

/** The same input for every caller, recreated after it was used up. */
export const fresh = (make: Call['make']): Call => ({ make })

/** An input of the caller's own. */
export const own = (make: Call['make']): Call => ({ own: true, make })

/** A call that changes rights: all callers are restored before the next call and at the end. */
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
