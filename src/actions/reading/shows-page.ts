import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import { findPageByPath } from '../../content/tree/find-page.ts'
import type { Context } from '../../context.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { primaryHead } from '../heads/primary-head.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { viewRevision } from '../revisions/view-revision.ts'
import { withComputed } from '../specs/computed-pages.ts'
import type { Audience } from './audience.ts'
import { readerContent } from './reader-content.ts'

/**
 * Returns the page that a space shows its readers at a path, otherwise with an id; undefined for none, and
 * for a space with a damaged repository.
 */
export async function findShownPage(
  ctx: Context,
  space: SpaceRow,
  { path, id }: { path?: string | undefined; id?: string | undefined },
  audience: Audience,
): Promise<{ content: ContentTree; node: PageNode } | undefined> {
  try {
    const { head } = await primaryHead(ctx, space)
    const whole = await withComputed(
      ctx,
      space.organization_id,
      await viewRevision(ctx, space.id, head),
    )
    const original = { space, repo: spaceRepository(ctx, space.id), oid: head, shown: whole }
    const { content } = await readerContent(ctx, original, audience, { files: false })
    const node =
      (path === undefined ? undefined : findPageByPath(content, path)) ??
      (id === undefined ? undefined : content.pageById.get(id))

    return node && { content, node }
  } catch (error) {
    if (!isGitError(error)) throw error
    ctx.log.warn({ err: error, spaceId: space.id }, 'the pages of a space cannot be read')
    return undefined
  }
}

/**
 * Returns whether a space shows its readers a page at a path; false for a space with a damaged
 * repository.
 */
export const showsPage = async (
  ctx: Context,
  space: SpaceRow,
  path: string,
  audience: Audience,
): Promise<boolean> => (await findShownPage(ctx, space, { path }, audience)) !== undefined
