import { checkRefName } from '../../git/refs/refs.ts'
import { isGitError } from '../../git/values/errors.ts'
import { Refused } from './order.ts'

const mostBytes = 200

/**
 * Throws Refused unless a change request can have this branch name beside the listed ones. Two names of which one is a
 * folder of the other, or that differ only in case, cannot both exist in every clone.
 */
export function checkBranchName(name: string, listed: Iterable<string>): void {
  if (Buffer.byteLength(name) > mostBytes)
    throw new Refused(`the name of a branch has at most ${mostBytes} bytes`)
  if (!isValid(name)) throw new Refused('the name of the branch is not valid')
  const lower = name.toLowerCase()
  for (const other of ['change-requests', ...listed]) {
    const taken = other.toLowerCase()
    if (lower === taken || lower.startsWith(`${taken}/`) || taken.startsWith(`${lower}/`))
      throw new Refused(`the name of the branch conflicts with "${other}": choose another one`)
  }
}

function isValid(name: string): boolean {
  if (name === 'HEAD' || name === '@' || name.startsWith('-') || /^[0-9a-f]{40}$/i.test(name)) return false
  try {
    checkRefName(`refs/heads/${name}`)
    return true
  } catch (error) {
    if (isGitError(error, 'ref_invalid')) return false
    throw error
  }
}
