import { pageSpellings } from '../files.ts'
import type { ContentTree, PageNode } from '../tree/build.ts'
import { pageAsking } from './asked.ts'
import { resolveLink } from './find.ts'
import { furtherPaths } from './served.ts'

/** The paths of files that a target may mean, likeliest first, and its fragment. */
type TargetPaths = { paths: string[]; fragment: string | undefined }

/**
 * Returns a function that resolves targets in the texts of a space, whose content is below `root`.
 */
export function targetPaths(root: string) {
  const within = (path: string) => (path.startsWith(root) ? path.slice(root.length) : path)
  return (fromFile: string | undefined, target: string): TargetPaths => {
    const { candidates, fragment } = resolveLink(
      within(fromFile ?? `${root}README.md`),
      target.trim(),
    )
    const paths = [...candidates, ...furtherPaths(target.trim(), candidates)]
    return { paths: paths.map(path => root + path), fragment }
  }
}

/** Returns the value of the first of some paths that has one. */
export function firstOf<Value>(
  paths: readonly string[],
  find: { get: (path: string) => Value | undefined },
): Value | undefined {
  for (const path of paths) {
    const found = find.get(path)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the page that one of these paths of the repository leads to. */
export function pageAtPaths(content: ContentTree, paths: readonly string[]): PageNode | undefined {
  const page = firstOf(paths.flatMap(pageSpellings), content.pageByFile)
  if (page || firstOf(paths, content.fileByPath)) return page
  return pageAsking(content, paths)
}
