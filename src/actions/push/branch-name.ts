import { isUtf8 } from '../../git/protocol/raw-text.ts'
import { checkRefName } from '../../git/refs/refs.ts'
import { isGitError } from '../../git/values/errors.ts'
import { Refused } from './order.ts'

const mostBytes = 200

/**
 * Throws Refused unless a change request can have this branch name beside the listed ones. Two names of which one is a
 * folder of the other, or that some file systems take for the same, cannot both exist in every clone.
 */
export function checkBranchName(name: string, listed: Iterable<string>): void {
  if (!isUtf8(name)) throw notUtf8()
  if (Buffer.byteLength(name) > mostBytes)
    throw new Refused(`the name of a branch has at most ${mostBytes} bytes`)
  if (!isValid(name)) throw new Refused('the name of the branch is not valid')
  const folded = fold(name)
  for (const other of ['change-requests', ...listed]) {
    const taken = fold(other)
    if (folded === taken || folded.startsWith(`${taken}/`) || taken.startsWith(`${folded}/`))
      throw new Refused(`the name of the branch conflicts with "${other}": choose another one`)
  }
}

/** Returns the refusal of a name whose bytes are not UTF-8. */
export const notUtf8 = (): Refused => new Refused('the name of the branch is not UTF-8')

/** Characters that some file systems ignore in names, such as joiners. */
const ignored = /\p{Default_Ignorable_Code_Point}/gu

/**
 * Returns a key that is equal for names that some file system takes for the same. APFS ignores case by full case folding,
 * and whether characters are composed or decomposed. JavaScript has no case folding: lower case followed by upper case
 * comes closest to it. The upper case of some characters is decomposed, hence the second normalization.
 */
const fold = (name: string): string =>
  name.normalize('NFKC').replace(ignored, '').toLowerCase().toUpperCase().normalize('NFKC')

/** Characters that change how the text around them is shown. */
const hidden = /[\p{Bidi_Control}\p{Cc}\u2028\u2029]/u

function isValid(name: string): boolean {
  if (hidden.test(name)) return false
  if (name === 'HEAD' || name === '@' || name.startsWith('-') || /^[0-9a-f]{40}$/i.test(name)) return false
  try {
    checkRefName(`refs/heads/${name}`)
    return true
  } catch (error) {
    if (isGitError(error, 'ref_invalid')) return false
    throw error
  }
}
