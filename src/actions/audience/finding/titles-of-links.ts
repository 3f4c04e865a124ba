import type { Reader } from '../../../access/asker.ts'
import { pageAtPaths, targetPaths } from '../../../content/links/target-paths.ts'
import type { TitleOf } from '../../../content/search/passages.ts'
import type { ContentTree } from '../../../content/tree/build.ts'
import type { Context } from '../../../context.ts'
import { isGitError } from '../../../git/values/errors.ts'
import type { SpaceRow } from '../../../store/tables/rows.ts'
import { primaryHead } from '../../heads/primary-head.ts'
import { viewRevision } from '../../revisions/view-revision.ts'
import { openContent } from '../open-content.ts'

/** Returns what finds the titles for links in the passages of a page, by the id of the page. */
export type TitlesOfLinks = (pageId: string) => TitleOf

/** Returns the titles of the targets in the pages of a tree: the one that the caller is shown. */
export function titlesIn(content: ContentTree): TitlesOfLinks {
  const resolve = targetPaths(content.config.root)
  return pageId => {
    const file = content.pageById.get(pageId)?.file?.path
    return target => file && pageAtPaths(content, resolve(file, target).paths)?.title
  }
}

const noTitles: TitlesOfLinks = () => () => undefined

/**
 * Returns the titles in the published content of a space, as a reader is shown it, or a member
 * without one; none if its repository is damaged.
 */
export async function titlesInSpace(
  ctx: Context,
  space: SpaceRow,
  { reader, signal }: { reader: Reader | undefined; signal: AbortSignal },
): Promise<TitlesOfLinks> {
  try {
    if (!reader) {
      const { head } = await primaryHead(ctx, space)
      return titlesIn((await viewRevision(ctx, space.id, head)).content)
    }
    const granted = { space, reader, scope: { kind: 'space' } } as const
    return titlesIn((await openContent(ctx, granted, { request: { signal } })).shown.content)
  } catch (error) {
    if (!isGitError(error) || signal.aborted) throw error
    return noTitles
  }
}
