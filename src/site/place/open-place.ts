import type { Reader } from '../../access/asker.ts'
import { admitReader } from '../../access/reader.ts'
import type { SignedInUser } from '../../access/session.ts'
import { openContent } from '../../actions/audience/open-content.ts'
import {
  type Resolved,
  type ResolvedContent,
  resolveAddress,
} from '../../actions/sites/resolve-address.ts'
import { viewForReader } from '../../actions/sites/view-for-reader.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import type { SiteRow } from '../../store/tables/rows.ts'
import type { VisitorSession } from '../readers/visitor-session.ts'
import { memberOf } from './member.ts'
import type { SitePlace } from './place.ts'

type PlaceRequest = {
  address: string
  /** Whether a program of a language model asks. */
  isAgent: boolean
  /** A visitor token in the address. */
  jwtToken: string | undefined
  session: (site: SiteRow) => Promise<VisitorSession | undefined>
  /** What the browser states without a signature. */
  unsigned: Readonly<Record<string, unknown>> | undefined
  previewer: Reader | undefined
  user: SignedInUser | undefined
}

/** Returns where an address leads. Throws like `resolveAddress`. */
export function resolve(ctx: Context, asked: PlaceRequest): Promise<Resolved> {
  const { address, isAgent, jwtToken, session, unsigned, previewer, user } = asked
  return resolveAddress(ctx, {
    url: address,
    redirectOnError: true,
    keepsScope: true,
    hidesAsAbsent: true,
    previewer,
    user: user && { userId: user.actor.user.id, tokenId: user.actor.token.id },
    visitor: { type: isAgent ? 'agent' : 'human', jwtToken, session, unsignedClaims: unsigned },
  })
}

type Opened = Pick<SitePlace, 'signal' | 'hold'> & {
  user: SignedInUser | undefined
  /** Whether a member is shown drafts. */
  drafts?: boolean
}

/**
 * Opens the content that an address leads to. Throws 'missing' if the reader may not read it any
 * more.
 */
export async function openPlace(
  ctx: Context,
  resolved: ResolvedContent,
  { user, signal, hold, drafts = false }: Opened,
): Promise<SitePlace> {
  const reader = admitReader(ctx, resolved.reading)
  if ('unusable' in reader) throw new Fault('not_found', 'No content found for this address.')
  const { view, isMet } = await viewForReader(ctx, reader)
  const { space } = resolved.siteSpace
  const granted = { space, reader, scope: { kind: 'space' } } as const
  const member = user && memberOf(ctx, user, space)
  const open = await openContent(ctx, granted, {
    computed: true,
    drafts: drafts && member !== undefined,
    request: { signal },
  })

  return {
    ctx,
    resolved,
    reader,
    view,
    isMet,
    open,
    isSignedIn: user !== undefined,
    member,
    scope: undefined,
    base: resolved.basePath,
    siteBase: resolved.siteBasePath,
    path: resolved.pathname,
    signal,
    hold,
  }
}
