import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import type { RedirectDestination } from '../../store/tables/sites.ts'
import type { SiteSpaceView } from '../sites/view-site.ts'
import type { Looking } from './destination.ts'
import { openContent } from './open-content.ts'
import { checkPage } from './redirect-rules.ts'

/** Where a redirect is to lead: also to a page by its path in a space of the site. */
export type InputDestination = RedirectDestination | { kind: 'path'; spaceId: string; path: string }

/**
 * Returns a destination as it is stored: a page by its id. Throws 'missing' for a page that does
 * not exist or that the caller may not see.
 */
export async function storedDestination(
  ctx: Context,
  looking: Looking,
  given: InputDestination,
): Promise<RedirectDestination> {
  if (given.kind !== 'path') {
    await checkPage(ctx, looking, given)
    return given
  }

  const { spaceId, path } = given
  const siteSpace = looking.view.siteSpaces.find(({ space }) => space.id === spaceId)
  if (!siteSpace) throw missing('space of the site', spaceId)
  return pageIn(ctx, looking, siteSpace, path.split('/').filter(Boolean))
}

async function pageIn(
  ctx: Context,
  { grant, request }: Looking,
  { row, space }: SiteSpaceView,
  segments: readonly string[],
): Promise<RedirectDestination> {
  const path = segments.join('/')
  const { shown } = await openContent(ctx, grant(space), { computed: true, request })
  const page = shown.content.pageByPath.get(path)
  if (!page)
    throw new Fault(
      'not_found',
      `The published content of "${space.title}" has no page at "${path.slice(0, 200)}".`,
    )

  return { kind: 'site-page', siteSpaceId: row.id, pageId: page.id }
}
