import { isExternalAddress } from '../../content/site/redirect-source.ts'
import { matchStructure } from '../../content/site/structure.ts'
import type { Context } from '../../context.ts'
import { Fault, invalid, missing } from '../../errors.ts'
import type { RedirectDestination } from '../../store/tables/sites.ts'
import { structureOf } from '../sites/follow-structure.ts'
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

/**
 * Returns the destination for a text that a person writes: an https address, or a path below the
 * base of the site. Throws 'missing' for a path without a page, 'invalid' for another text.
 */
export async function destinationAt(
  ctx: Context,
  looking: Looking,
  text: string,
): Promise<RedirectDestination> {
  if (!text.startsWith('/')) {
    if (!isExternalAddress(text))
      throw invalid(`"${text.slice(0, 100)}" is neither a path nor an https address.`)
    return { kind: 'external', url: new URL(text).href }
  }

  const segments = text.split('/').filter(Boolean)
  const match = matchStructure(structureOf(ctx, looking.view), segments)
  const siteSpace = looking.view.siteSpaces.find(({ row }) => row.id === match?.siteSpaceId)
  if (!match || !siteSpace) throw missing('page', text)
  if (match.rest.length === 0) return { kind: 'site-space', siteSpaceId: siteSpace.row.id }
  return pageIn(ctx, looking, siteSpace, match.rest)
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
