import type { IncomingMessage, ServerResponse } from 'node:http'
import { cacheSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { answerHeaders } from '../../http/answer-headers.ts'
import { hasSessionCookie } from '../../http/browser-session.ts'
import { notModified } from '../../http/conditional.ts'
import type { ReadScope } from '../../store/changes.ts'
import type { Place } from '../place/place.ts'
import { prefersMarkdown } from './accepts.ts'
import { encodingOf, type Packed } from './send.ts'

/** A page that is the same for everybody, with what it depends on. */
type Kept = {
  packed: Packed
  /** The headers of a 200 and of a 304 as name and value in turn, the fastest form for `writeHead`. */
  whole: readonly string[]
  known: readonly string[]
  version: number
  scope: ReadScope | undefined
  holds: () => boolean
}

const cache = cacheSlot<Kept>('pages')

/** The estimated weight of an entry beside its key and bytes, in bytes. */
const entryBytes = 3_000

const keyOf = (req: IncomingMessage, url: string): string =>
  `${req.headers.host ?? ''}\n${url}\n${prefersMarkdown(req.headers.accept)}`

/** Keeps an answer that does not depend on its reader, until its rows change or the branch of its space moves. */
export function keepPage(
  place: Place,
  req: IncomingMessage & { originalUrl: string },
  packed: Packed,
  version: number,
): void {
  if (place.member || place.scope) return
  const { ctx, resolved, open, view } = place
  const { site, preview, claimsId } = resolved
  const isForAll = !preview && claimsId === '' && site.visibility !== 'visitor-auth' && site.adaptive === 0
  const { holds } = open
  if (!isForAll || !holds || packed.status !== 200 || req.method !== 'GET') return
  if (site.agents_context === 'excluded') return
  // The titles of other spaces are part of the page.
  const isAlone = view.siteSpaces.length === 1
  const scope = isAlone ? { spaceId: open.space.id, organizationId: site.organization_id } : undefined
  if (!ctx.store.isCurrent(version, scope)) return
  const key = keyOf(req, req.originalUrl)
  const { bytes, isPlain, etag, headers } = packed
  const known = Object.entries({ ...answerHeaders, ...headers, ETag: `"${etag}"` }).flat()
  const coding = isPlain ? [] : ['Content-Encoding', 'br']
  const whole = [...known, ...coding, 'Content-Length', String(bytes.length)]
  const kept = { packed, whole, known, version, scope, holds }
  ctx.caches.get(cache).set(key, kept, key.length + bytes.length + entryBytes)
}

/** Returns the kept answer to a request while it is valid. Never throws. */
export function findKeptPage(ctx: Context, req: IncomingMessage): Kept | undefined {
  if (req.method !== 'GET') return undefined
  const pages = ctx.caches.get(cache)
  const key = keyOf(req, req.url ?? '')
  const kept = pages.get(key)
  // A member may be shown more than others.
  if (!kept || hasSessionCookie(ctx, req)) return undefined
  try {
    if (ctx.store.isCurrent(kept.version, kept.scope) && kept.holds()) return kept
  } catch {
    // The full path meets the same error.
  }
  pages.delete(key)
  return undefined
}

/** Sends a kept answer at once, or 304. Returns the status; undefined if the client needs another encoding. */
export function sendKeptPage(
  req: IncomingMessage,
  res: ServerResponse,
  { packed: { bytes, isPlain, etag }, whole, known }: Kept,
  requestId: string,
): 200 | 304 | undefined {
  const isKnown = notModified(req.headers['if-none-match'], etag)
  if (!isKnown && !isPlain && encodingOf(String(req.headers['accept-encoding'] ?? '')) !== 'br')
    return undefined
  res.writeHead(isKnown ? 304 : 200, ['X-Request-Id', requestId, ...(isKnown ? known : whole)])
  res.end(isKnown ? undefined : bytes)
  return isKnown ? 304 : 200
}
