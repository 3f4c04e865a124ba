import type { ContentTree } from '../../content/tree/build.ts'
import { objectInfo } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { allPages, mostPages } from './print-pages.ts'
import { mostText } from './print-texts.ts'

/**
 * Returns whether the pages of a tree, more than one, can be printed together: they are as few and
 * as short as those of a book. Only the sizes of their files are read, so that what blocks of
 * specifications add is not counted.
 */
export async function canPrintWhole(repo: Repository, content: ContentTree): Promise<boolean> {
  const pages = allPages(content)
  if (pages.length < 2 || pages.length > mostPages) return false
  const oids = pages.flatMap(({ file }) => file?.oid ?? [])
  const sizes = await objectInfo(repo, [...new Set(oids)])
  return [...sizes.values()].reduce((sum, { size }) => sum + size, 0) <= mostText
}
