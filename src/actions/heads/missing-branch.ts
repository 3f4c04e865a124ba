/** A required branch is missing from a space's repository. Callers can do nothing about it. */
export class MissingBranch extends Error {
  constructor(spaceId: string, ref: string) {
    super(`The branch ${ref} of space ${spaceId} does not exist.`)
    this.name = 'MissingBranch'
  }
}
