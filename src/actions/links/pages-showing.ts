import { targetPaths } from '../../content/links/target-paths.ts'
import type { ContentTree, IncludeNode, PageNode } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'
import { pauses } from '../../lib/slices.ts'
import { readLinkFacts } from './read-link-facts.ts'

/** How many files are looked up together. */
const batch = 500

/**
 * Returns the ids of the pages that show one of these pieces of reusable content, by their paths:
 * directly, or within other reusable content.
 */
export async function pagesShowing(
  ctx: Context,
  repo: Repository,
  content: ContentTree,
  paths: ReadonlySet<string>,
): Promise<Set<string>> {
  const resolve = targetPaths(content.config.root)
  const pause = pauses()
  const shows = async (
    files: readonly { path: string; oid: Oid }[],
    wanted: ReadonlySet<string>,
  ) => {
    const found = new Set<string>()
    for (let at = 0; at < files.length; at += batch) {
      const some = files.slice(at, at + batch)
      const { facts } = await readLinkFacts(
        ctx,
        repo,
        some.map(({ oid }) => oid),
      )

      for (const { path, oid } of some) {
        const links = facts.get(oid)?.links ?? []
        const isShown = (target: string) =>
          resolve(path, target).paths.some(each => wanted.has(each))
        if (links.some(({ how, target }) => how === 'include' && isShown(target))) found.add(path)
        await pause()
      }
    }

    return found
  }
  const all = new Set(paths)
  let others: readonly IncludeNode[] = content.includes.filter(({ path }) => !all.has(path))

  for (let size = 0; size !== all.size; ) {
    size = all.size
    for (const path of await shows(others, all)) all.add(path)
    others = others.filter(({ path }) => !all.has(path))
  }

  const documents = [...content.pageById.values()].filter(
    (page): page is PageNode & { file: NonNullable<PageNode['file']> } => page.file !== undefined,
  )
  const shown = await shows(
    documents.map(({ file }) => file),
    all,
  )

  return new Set(documents.flatMap(({ id, file }) => (shown.has(file.path) ? [id] : [])))
}
