import { decode } from '../../content/text/bytes.ts'
import type { MergeConflict, Side } from '../../git/commits/merge.ts'
import { readBlob } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { isGitError } from '../../git/values/errors.ts'

/** The texts of a file of which all sides have one; the base of a file that both added is empty. */
export type Texts = readonly [base: string, ours: string, theirs: string]

/**
 * Returns the texts of a file in conflict; undefined if Git takes it for binary, or a side has no
 * file of at most `limit` bytes of UTF-8 here.
 */
export async function textsOf(
  repo: Repository,
  { type, stages }: MergeConflict,
  limit: number,
): Promise<Texts | undefined> {
  if (type === 'binary') return undefined
  const [base, ours, theirs] = await Promise.all([
    stages.base ? textOfSide(repo, stages.base, limit) : '',
    textOfSide(repo, stages.ours, limit),
    textOfSide(repo, stages.theirs, limit),
  ])
  return base === undefined || ours === undefined || theirs === undefined
    ? undefined
    : [base, ours, theirs]
}

/**
 * Returns the text of one side of a conflict; undefined if the side has no file of at most `limit`
 * bytes of UTF-8 here. A submodule may have the id of any object.
 */
export async function textOfSide(
  repo: Repository,
  side: Side | undefined,
  limit: number,
): Promise<string | undefined> {
  if (!side?.mode.startsWith('100')) return undefined
  try {
    const bytes = await readBlob(repo, side.oid, limit)
    const decoded = bytes && decode(bytes)
    return decoded?.exact ? decoded.text : undefined
  } catch (error) {
    if (isGitError(error, 'too_large')) return undefined
    throw error
  }
}
