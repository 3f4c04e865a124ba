import { stateSlot } from '../../caches.ts'
import { pageSpellings } from '../../content/files.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { findPageOfFolder, foldAddress, foldPath } from '../../content/tree/find-page.ts'
import { BackgroundWork } from '../../lib/shared-work.ts'
import { listFormerPages, listRenamesOf, presentPath } from '../../store/git/former-paths.ts'
import { findRevision } from '../../store/git/revisions.ts'
import { buildIfLost } from '../heads/index-up-to.ts'
import { hasFormerPaths, recordFormerPaths } from '../revisions/record-former-paths.ts'
import type { OpenContent } from './open-content.ts'

/**
 * Maximum numbers per look-up: of pages that once had the path, and of files that it was renamed
 * to.
 */
const mostPages = 10
const mostFiles = 3
/** Longer paths, in characters, are not looked up. */
const longestPath = 1_024

const recordings = stateSlot(() => new BackgroundWork())

/** Reports whether the paths that pages had before the opened revision are recorded. */
export function hasAllFormerPaths({ ctx, space, view }: OpenContent): boolean {
  const revision = findRevision(ctx.store, space.id, view.oid)
  return revision !== undefined && hasFormerPaths(ctx, space.id, revision)
}

/**
 * Returns the page that had this path in an earlier published revision of the space, if the reader
 * may see the page. A look-up reads a few rows. The first look-up after a change of the table of
 * contents also records the paths that the change removed, and waits up to a second for that.
 */
export async function findFormerPage(
  open: OpenContent,
  path: string,
): Promise<PageNode | undefined> {
  const { ctx, space, shown, view, repo } = open
  const { store } = ctx
  if (path === '' || path.length > longestPath || !(await buildIfLost(ctx, space.id)))
    return undefined

  const revision = findRevision(store, space.id, view.oid)

  if (revision && !hasFormerPaths(ctx, space.id, revision))
    await ctx.caches.get(recordings).run(
      space.id,
      () => recordFormerPaths(ctx, repo, space.id, view),
      error =>
        ctx.log.warn(
          { space: space.id, err: String(error) },
          'the former paths of pages cannot be recorded',
        ),
    )

  const paths = new Set([foldAddress(path)])
  // The former path of a folder counts for its page, too, unless another page has that path now.
  if (!findPageOfFolder(shown.content, path)) paths.add(foldPath(path))
  const ids = [...paths].flatMap(each => listFormerPages(store, space.id, each, mostPages))

  return (
    ids.map(id => shown.content.pageById.get(id)).find(node => node !== undefined) ??
    pageOfFile(open, path)
  )
}

/** Returns the page whose file was at this path before it was renamed. */
function pageOfFile({ ctx, space, shown }: OpenContent, path: string): PageNode | undefined {
  const { pageByFile, config } = shown.content
  const name = config.root + path.replace(/\.(?:html?|mdx?|markdown)$/i, '')
  for (const file of pageSpellings(name))
    for (const renamed of listRenamesOf(ctx.store, space.id, file, mostFiles)) {
      const node = pageByFile.get(presentPath(ctx.store, space.id, renamed.path, renamed.seq))
      if (node) return node
    }
  return undefined
}
