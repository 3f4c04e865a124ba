import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { pauses } from '../../lib/slices.ts'
import { readIncludeTargets } from './read-include-targets.ts'

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
  const all = new Set(paths)
  const shows = (targets: readonly (readonly string[])[]) =>
    targets.some(paths => paths.some(each => all.has(each)))
  const pause = pauses()
  const others = content.includes.filter(({ path }) => !all.has(path))
  const nested = await readIncludeTargets(ctx, repo, content, others)

  for (let size = 0; size !== all.size; ) {
    size = all.size
    for (const [path, targets] of nested) {
      if (shows(targets)) all.add(path)
      await pause()
    }
  }

  const documents = [...content.pageById.values()].filter(
    (page): page is PageNode & { file: NonNullable<PageNode['file']> } => page.file !== undefined,
  )
  const files = documents.map(({ file }) => file)
  const targetsOf = await readIncludeTargets(ctx, repo, content, files)

  return new Set(
    documents.flatMap(({ id, file }) => (shows(targetsOf.get(file.path) ?? []) ? [id] : [])),
  )
}
