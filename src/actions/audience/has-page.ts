import { admitReader } from '../../access/reader.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import type { ResolvedContent } from '../sites/resolve-address.ts'
import { findPageOrFormer } from './find-page.ts'
import { followRedirect, lookingAsReader } from './follow-redirect.ts'
import { type OpenContent, openContent } from './open-content.ts'

/** The most spaces that are opened for a list of addresses. Pages of further spaces count as existing. */
const mostSpaces = 50

/** A path with a file's ending, or below a name that sites have for themselves. */
const isNoPage = /(?:^|\/)~|\.(?!html?$|mdx?$|markdown$)[a-z][a-z0-9]{0,9}$/i

/**
 * Returns a function that says whether a resolved address of a site leads its visitor to a page or is
 * redirected. Each space is opened once.
 */
export function pageFinder(ctx: Context, signal = new AbortController().signal) {
  const opened = new Map<string, Promise<OpenContent | undefined>>()
  const open = (found: ResolvedContent): Promise<OpenContent | undefined> => {
    const { space, row } = found.siteSpace
    const key = `${row.id} ${found.claimsId} ${found.shareKey ?? ''}`
    const known = opened.get(key)
    if (known) return known
    const reader = admitReader(ctx, found.reading)
    const granted = !('unusable' in reader) && opened.size < mostSpaces
    const made = granted
      ? openContent(
          ctx,
          { space, reader, scope: { kind: 'space' } },
          { computed: true, request: { signal } },
        ).catch(unreadable)
      : Promise.resolve(undefined)
    opened.set(key, made)
    return made
  }

  return async (found: ResolvedContent): Promise<boolean> => {
    const { pathname, changeRequest, revision } = found
    if (pathname === '' || isNoPage.test(pathname) || changeRequest || revision) return true
    const content = await open(found)
    if (!content || (await findPageOrFormer(content, pathname))) return true
    return isRedirected(content, found)
  }
}

/** A space that cannot be read now says nothing about its pages. */
function unreadable(error: unknown): undefined {
  if (error instanceof Fault) return undefined
  throw error
}

async function isRedirected(
  { ctx, reader, signal }: OpenContent,
  { siteSpace, pathname }: ResolvedContent,
): Promise<boolean> {
  if (!reader || !signal) return false
  const looking = await lookingAsReader(ctx, reader, { signal })
  const segments = `${siteSpace.path}${pathname}`.split('/').filter(segment => segment !== '')
  return (await followRedirect(ctx, looking, segments)) !== undefined
}
