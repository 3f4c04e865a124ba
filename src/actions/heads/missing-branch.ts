/** A branch that a space must have is not in its repository: nothing a caller could do about. */
export class MissingBranch extends Error {
  constructor(spaceId: string, ref: string) {
    super(`The branch ${ref} of space ${spaceId} does not exist.`)
    this.name = 'MissingBranch'
  }
}
