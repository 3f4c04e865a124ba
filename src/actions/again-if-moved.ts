import { Fault } from '../errors.ts'
import { isGitError } from '../git/errors.ts'

/** How often work is begun anew on what the branch has become before the caller hears of it. */
const mostTries = 5

/** Does the work; when a ref moved under it, does it again on the new base, a few times. Throws 'conflict' after that. */
export async function againIfMoved<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isGitError(error, 'ref_moved')) throw error
      if (tries >= mostTries) {
        throw new Fault(
          'conflict',
          'Others changed the same at the same time, again and again. Try once more.',
        )
      }
    }
  }
}
