import { Fault } from '../../errors.ts'
import { isGitError } from '../../git/values/errors.ts'

const mostTries = 5

/**
 * Does work that ends in moving refs, and does it again from the start when somebody else moved one of them meanwhile:
 * five times at most, then throws Fault 'conflict'. The work must read what it builds on each time.
 */
export async function againIfMoved<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isGitError(error, 'ref_moved') && !isGitError(error, 'ref_locked')) throw error
      if (tries >= mostTries)
        throw new Fault('conflict', 'The content is changing faster than this can be done. Try again.')
      await new Promise(resolve => setTimeout(resolve, 20 * tries * Math.random()))
    }
  }
}
