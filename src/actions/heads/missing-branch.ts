import { GitError } from '../../git/values/errors.ts'

/** Returns the error for a space whose repository lacks a required branch. */
export const missingBranch = (spaceId: string, ref: string): GitError =>
  new GitError('repository_damaged', `The branch ${ref} of space ${spaceId} does not exist.`)
