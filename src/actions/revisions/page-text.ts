import { decode } from '../../content/text/bytes.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { readBlob } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../git/values/oid.ts'

/** More than this would not be read by anybody. */
const textLimit = 32 * 1024 * 1024

/** The Markdown of a page as it is in Git, front matter included; '' for one without a file. Throws GitError 'too_large'. */
export async function pageText(repo: Repository, { file }: Pick<PageNode, 'file'>): Promise<string> {
  if (!file) return ''
  const bytes = await readBlob(repo, file.oid as Oid, textLimit)
  if (!bytes) throw new Error(`The blob ${file.oid} of the page ${file.path} is not there.`)
  return decode(bytes).text
}
