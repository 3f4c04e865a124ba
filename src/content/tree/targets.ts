import type { ContentTree, FileNode, PageNode } from './build.ts'
import { type FileIndex, resolveTarget } from './resolve.ts'

/** What a target in the table of contents leads to. */
type Target = { page: PageNode } | { file: FileNode }

/** Returns whether a target is a URL and no path in the space. */
export const isUrl = (target: string): boolean =>
  /^[a-z][a-z0-9+.-]*:|^\/\//i.test(target) || target === ''

/**
 * Returns a function that resolves targets, without a fragment, as in the table of contents;
 * undefined for others.
 */
export function targetsIn(content: ContentTree): (target: string) => Target | undefined {
  let index: FileIndex | undefined
  return target => {
    index ??= indexOf(content)
    const resolved = resolveTarget(index, target)
    if (resolved.kind !== 'page' && resolved.kind !== 'file') return undefined
    const path = resolved.kind === 'page' ? resolved.file.path : resolved.path
    const page = content.pageByFile.get(path)
    if (page) return { page }
    const file = content.fileByPath.get(path)
    return file && { file }
  }
}

/**
 * Returns the index of the pages and files that a link can lead to, resolved as in the table of
 * contents.
 */
function indexOf(content: ContentTree): FileIndex {
  const byPath: FileIndex['byPath'] = new Map()
  for (const [path, { oid, mode }] of content.fileByPath) byPath.set(path, { path, oid, mode })
  for (const [path, page] of content.pageByFile)
    if (page.file) byPath.set(path, { path, oid: page.file.oid, mode: '100644' })
  return { byPath, odd: new Map(), root: content.config.root, summaryPath: content.summaryPath }
}
