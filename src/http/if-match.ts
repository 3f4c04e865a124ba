import { Fault, invalid } from '../errors.ts'
import type { Store } from '../store/store.ts'
import { matchList } from './conditional.ts'

/** How often a write begins again because rows have changed since its condition was checked. */
const mostTries = 10

class Changed extends Error {}

/**
 * Does work on a resource while `If-Match` names the ETag that `read` returns, undefined without the
 * resource. The work calls `unchanged` in its transaction, which starts all again if rows have
 * changed meanwhile; work outside a transaction is only checked before. Throws 'unmet' for another
 * ETag.
 */
export async function whileMatching<Result>(
  store: Pick<Store, 'watchChanges'>,
  header: string,
  read: () => Promise<string | undefined>,
  work: (unchanged: () => void) => Promise<Result>,
): Promise<Result> {
  for (let tries = 0; tries < mostTries; tries++) {
    const haveChanged = await store.watchChanges()
    checkMatch(header, await read())
    try {
      return await work(() => {
        if (haveChanged()) throw new Changed()
      })
    } catch (error) {
      if (!(error instanceof Changed)) throw error
    }
  }

  throw new Fault('busy', 'Other requests wrote at the same time. Try again in a moment.')
}

function checkMatch(header: string, etag: string | undefined): void {
  const named = matchList(header)
  const isNamed = named === '*' || named === undefined || (etag && named.includes(etag))
  if (etag !== undefined && isNamed) return
  throw new Fault(
    'precondition_failed',
    etag === undefined
      ? 'The resource that "If-Match" is about does not exist.'
      : 'The resource has changed since you read it: its ETag is not in "If-Match". Read it again, and decide what to write.',
  )
}

/** Returns the fault for `If-Match` on an operation at whose path nothing can be read. */
export const noCondition = (): Fault =>
  invalid(
    'This operation cannot take the header "If-Match": nothing is read at its path. Leave the header out.',
  )
