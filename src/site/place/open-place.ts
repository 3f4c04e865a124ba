import { findReader } from '../../access/reader.ts'
import { openContent } from '../../actions/content/open-content.ts'
import { type Resolved, type ResolvedContent, resolveAddress } from '../../actions/sites/resolve-address.ts'
import { viewForReader } from '../../actions/sites/view-for-reader.ts'
import { isAgent } from '../../content/site/agents.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import type { SiteRow } from '../../store/tables/rows.ts'
import type { Place } from './place.ts'
import type { VisitorSession } from './visitor-session.ts'

type Asked = {
  address: string
  userAgent: string | undefined
  /** A visitor token in the address. */
  jwtToken: string | undefined
  session: (site: SiteRow) => VisitorSession | undefined
}

/** Returns where an address leads. Throws like `resolveAddress`. */
export const resolve = (ctx: Context, { address, userAgent, jwtToken, session }: Asked): Promise<Resolved> =>
  resolveAddress(ctx, {
    url: address,
    redirectOnError: true,
    visitor: { type: isAgent(userAgent) ? 'agent' : 'human', jwtToken, session },
  })

/** Opens the content that an address leads to. Throws 'missing' if the reader may not read it any more. */
export async function openPlace(
  ctx: Context,
  resolved: ResolvedContent,
  signal: AbortSignal,
): Promise<Place> {
  const reader = findReader(ctx, resolved.apiToken)
  if ('unusable' in reader) throw new Fault('missing', 'No content found for this address.')
  const { view, isMet } = await viewForReader(ctx, reader)
  const { space } = resolved.siteSpace
  const granted = { space, reader, scope: { kind: 'space' } } as const
  const open = await openContent(ctx, granted, { computed: true, request: { signal } })
  return {
    ctx,
    resolved,
    reader,
    view,
    isMet,
    open,
    base: resolved.basePath,
    siteBase: resolved.siteBasePath,
    path: resolved.pathname,
    signal,
  }
}
