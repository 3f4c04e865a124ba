import { isGitError } from '../../git/values/errors.ts'

/** A required branch is missing from a space's repository. Callers can do nothing about it. */
export class MissingBranch extends Error {
  constructor(spaceId: string, ref: string) {
    super(`The branch ${ref} of space ${spaceId} does not exist.`)
    this.name = 'MissingBranch'
  }
}

/**
 * Returns whether an error says that a repository cannot be read: it is damaged, or lacks a
 * required branch.
 */
export const isUnreadable = (error: unknown): boolean =>
  isGitError(error) || error instanceof MissingBranch
