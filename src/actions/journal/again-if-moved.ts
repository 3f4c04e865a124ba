import { Fault } from '../../errors.ts'
import { isGitError } from '../../git/values/errors.ts'

const mostTries = 5

/**
 * Runs work that ends in moving refs, and retries it from the start if another writer moved one of
 * them meanwhile. Throws Fault 'conflict' after five tries. The work must read its starting point
 * again on every try.
 */
export async function againIfMoved<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isGitError(error, 'ref_moved') && !isGitError(error, 'ref_locked')) throw error
      if (tries >= mostTries)
        throw new Fault('concurrent_change', 'Too many concurrent changes. Try again.')
      await new Promise(resolve => setTimeout(resolve, 20 * tries * Math.random()))
    }
  }
}
