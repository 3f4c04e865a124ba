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
import type { ContentTree, TreeInput } from '../../content/tree/build.ts'
import type { ContentConfig } from '../../content/tree/config.ts'
import { treeInMemory } from '../../content/tree/in-memory.ts'

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
export const treeOf = (
  contents: Contents,
  config: ContentConfig,
  read?: Pick<TreeInput, 'variables' | 'issues'>,
): ContentTree => treeInMemory(filesOf(contents), contents, config, read)
