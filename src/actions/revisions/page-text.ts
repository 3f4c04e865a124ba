import { decode } from '../../content/text/bytes.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { readBlob, unreadable } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'

const textLimit = 32 * 1024 * 1024

/**
 * Returns the Markdown of a page as it is in Git, with front matter; '' for a page without a file.
 * Throws GitError 'too_large' over 32 MB, and 'object_unreadable' without the blob.
 */
export async function pageText(
  repo: Repository,
  { file, facts }: Pick<PageNode, 'file' | 'facts'>,
): Promise<string> {
  if (!file) return ''
  // Facts come from the whole text, within a lower limit: its size need not be asked for.
  const bytes = await readBlob(repo, file.oid, facts ? undefined : textLimit)
  if (!bytes) throw unreadable(file.oid)
  return decode(bytes).text
}
