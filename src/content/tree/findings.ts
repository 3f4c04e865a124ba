import { canBePage, isMarkdown } from '../files.ts'
import type { ContentTree } from './build.ts'

/** The most paths that a finding names. */
const mostNamed = 3

/** Returns sentences about files of a tree that its readers are not shown as pages. */
export function findingsOf(tree: ContentTree): string[] {
  const { pageById, files, summary, summaryPath, config } = tree
  const drafts: string[] = []
  const missing: string[] = []
  const { navigation } = config
  const listing = summary ? summaryPath : navigation?.groups && navigation.path

  for (const { file, facts, missing: path, folder } of pageById.values()) {
    if (path !== undefined && folder === undefined) missing.push(path)
    if (file && facts?.frontMatter.draft) drafts.push(file.path)
  }

  const unlisted = files
    .map(({ path }) => path)
    .filter(path => isMarkdown(path) && canBePage(path) && !/(?:^|\/)\./.test(path))

  return [
    ...finding(drafts, '1 draft left out', `${drafts.length} drafts left out`),
    ...(listing
      ? [
          ...finding(
            unlisted,
            `1 page is not in ${listing}`,
            `${unlisted.length} pages are not in ${listing}`,
          ),
          ...finding(
            missing,
            `1 page of ${listing} does not exist`,
            `${missing.length} pages of ${listing} do not exist`,
          ),
        ]
      : []),
    ...(summary ? [] : notTaken(tree)),
  ]
}

/** Returns what is not taken of the settings of another tool. */
function notTaken({ config: { navigation, categories } }: ContentTree): string[] {
  const folders = [...(categories ?? [])].flatMap(([folder, { notTaken: what }]) =>
    what === undefined ? [] : [`_category_ of ${folder}: ${what}`],
  )
  return [...(navigation?.notTaken ?? []), ...folders.slice(0, mostNamed)]
}

/** Returns a finding about paths with the first of them; none without paths. */
function finding(paths: readonly string[], one: string, several: string): string[] {
  if (paths.length === 0) return []
  const more = paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : ''
  return [`${paths.length === 1 ? one : several}: ${paths.slice(0, mostNamed).join(', ')}${more}`]
}
