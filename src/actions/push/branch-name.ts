import { isUtf8 } from '../../git/protocol/raw-text.ts'
import { checkRefName } from '../../git/refs/refs.ts'
import { isGitError } from '../../git/values/errors.ts'
import { findInvisible, lookAlike } from '../../lib/invisible.ts'
import { Refused } from './refusals.ts'

const mostBytes = 200

/**
 * Throws Refused unless a change request can use this branch name next to the listed ones. Two
 * names conflict if one is a folder of the other, or if some file system treats them as equal: not
 * every clone could hold both. A name that looks like another one or like a folder of it, or that
 * has an invisible character, could be taken for it.
 */
export function checkBranchName(name: string, listed: Iterable<string>): void {
  if (!isUtf8(name)) throw notUtf8()
  if (Buffer.byteLength(name) > mostBytes)
    throw new Refused(`the name of a branch has at most ${mostBytes} bytes`)
  if (!isValid(name)) throw new Refused('the name of the branch is not valid')

  const invisible = findInvisible(name)
  if (invisible)
    throw new Refused(`the name of the branch has an invisible character (${invisible})`)

  const folded = fold(name)

  for (const other of ['change-requests', ...listed]) {
    const taken = fold(other)
    if (folded === taken || folded.startsWith(`${taken}/`) || taken.startsWith(`${folded}/`))
      throw new Refused(`the name of the branch conflicts with "${other}": choose another one`)
    if (folderLooksAlike(name, other))
      throw new Refused(`the name of the branch looks like "${other}": choose another one`)
  }
}

/** Returns whether two names look alike, or one looks like a folder of the other. */
function folderLooksAlike(one: string, other: string): boolean {
  const [parts, others] = [one.split('/'), other.split('/')]
  const count = Math.min(parts.length, others.length)
  return lookAlike(parts.slice(0, count).join('/'), others.slice(0, count).join('/'))
}

/** Returns the refusal of a name that is not UTF-8. */
export const notUtf8 = (): Refused => new Refused('the name of the branch is not UTF-8')

/** Characters that some file systems ignore in names, such as joiners. */
const ignored = /\p{Default_Ignorable_Code_Point}/gu

/**
 * Returns the same key for names that some file system treats as equal. APFS compares with full
 * case folding and ignores the normalization form. JavaScript has no case folding; lower case
 * followed by upper case is the closest to it. Upper case can be a decomposed sequence, hence the
 * second normalization.
 */
const fold = (name: string): string =>
  name.normalize('NFKC').replace(ignored, '').toLowerCase().toUpperCase().normalize('NFKC')

/** Characters that change how the text around them is shown. */
const hidden = /[\p{Bidi_Control}\p{Cc}\u2028\u2029]/u

function isValid(name: string): boolean {
  if (hidden.test(name)) return false
  if (name === 'HEAD' || name === '@' || name.startsWith('-') || /^[0-9a-f]{40}$/i.test(name))
    return false

  try {
    checkRefName(`refs/heads/${name}`)
    return true
  } catch (error) {
    if (isGitError(error, 'ref_invalid')) return false
    throw error
  }
}
