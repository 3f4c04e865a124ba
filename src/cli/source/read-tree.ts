import { blobId } from '../../content/edit/draft.ts'
import type { ContentFile } from '../../content/files.ts'
import {
  type Category,
  isCategory,
  longestCategory,
  readCategory,
} from '../../content/navigation/category.ts'
import { listsFor, readNavigation } from '../../content/navigation/navigation.ts'
import type { Navigation } from '../../content/navigation/outline.ts'
import { readPageFacts } from '../../content/page/facts.ts'
import { parseSummary } from '../../content/summary/parse.ts'
import { decode } from '../../content/text/bytes.ts'
import { buildTree, type ContentTree, type TreeInput } from '../../content/tree/build.ts'
import type { ContentConfig } from '../../content/tree/config.ts'

/** The contents of the files of a folder that are read; of others, no bytes. */
export type Contents = Map<string, Uint8Array>

/** Returns the files as content lists them. */
export const filesOf = (contents: Contents): ContentFile[] =>
  [...contents].map(([path, bytes]) => ({ path, oid: blobId(bytes), mode: '100644' }))

/** Returns what folders below the root say about themselves, by path with its slash. */
export const categoriesOf = (contents: Contents, root: string): Map<string, Category> =>
  new Map(
    [...contents].flatMap(([path, bytes]) =>
      isCategory(path) && path.startsWith(root) && bytes.length <= longestCategory
        ? [[path.slice(0, path.lastIndexOf('/') + 1), readCategory(bytes)] as const]
        : [],
    ),
  )

/** Returns what a settings file of another tool in the folder says. */
export function navigationIn(contents: Contents, path: string): Navigation {
  const bytes = contents.get(path)
  const lists = listsFor(path, bytes).flatMap(name => {
    const list = contents.get(name)
    return list ? [[name, list] as const] : []
  })
  return readNavigation(path, bytes, new Map(lists))
}

/** Builds the page tree of a folder with these settings. */
export function treeOf(
  contents: Contents,
  config: ContentConfig,
  read: Pick<TreeInput, 'variables' | 'issues'> = { variables: {} },
): ContentTree {
  const files = filesOf(contents)
  const paths = new Map(files.map(({ path, oid }) => [oid as string, path]))
  const summary = contents.get(config.summary)
  return buildTree({
    ...read,
    spaceId: '',
    files,
    identity: new Map(),
    config,
    summary: summary ? parseSummary(decode(summary).text) : null,
    facts: oid => readPageFacts(contents.get(paths.get(oid) ?? '') ?? new Uint8Array()),
  })
}
