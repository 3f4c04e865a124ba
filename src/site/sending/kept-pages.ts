import type { IncomingMessage, ServerResponse } from 'node:http'
import { cacheSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { answerHeaders } from '../../http/answer-headers.ts'
import { notModified } from '../../http/conditional.ts'
import type { ReadScope } from '../../store/changes.ts'
import type { Place } from '../place/place.ts'
import { prefersMarkdown } from './accepts.ts'
import { encodingOf, type Packed } from './send.ts'

/** A page that is the same for everybody, with what it depends on. */
type Kept = { packed: Packed; version: number; scope: ReadScope | undefined; holds: () => boolean }

const cache = cacheSlot<Kept>('pages')

/** The estimated weight of an entry beside its key and bytes, in bytes. */
const entryBytes = 1_200

const keyOf = (req: IncomingMessage, url: string): string =>
  `${req.headers.host ?? ''}\n${url}\n${prefersMarkdown(req.headers.accept)}`

/** Keeps an answer that does not depend on its reader, until its rows change or the branch of its space moves. */
export function keepPage(
  { ctx, resolved, open, view }: Place,
  req: IncomingMessage & { originalUrl: string },
  packed: Packed,
  version: number,
): void {
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
  ctx.caches
    .get(cache)
    .set(key, { packed, version, scope, holds }, key.length + packed.bytes.length + entryBytes)
}

/** Returns the kept answer to a request while it is valid. Never throws. */
export function findKeptPage(ctx: Context, req: IncomingMessage): Packed | undefined {
  if (req.method !== 'GET') return undefined
  const pages = ctx.caches.get(cache)
  const key = keyOf(req, req.url ?? '')
  const kept = pages.get(key)
  if (!kept) return undefined
  try {
    if (ctx.store.isCurrent(kept.version, kept.scope) && kept.holds()) return kept.packed
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
  { bytes, isPlain, etag, headers }: Packed,
  requestId: string,
): 200 | 304 | undefined {
  const all = { ...answerHeaders, ...headers, ETag: `"${etag}"`, 'X-Request-Id': requestId }
  if (notModified(req.headers['if-none-match'], etag)) {
    res.writeHead(304, all).end()
    return 304
  }
  if (!isPlain && encodingOf(String(req.headers['accept-encoding'] ?? '')) !== 'br') return undefined
  const coding = isPlain ? {} : { 'Content-Encoding': 'br' }
  res.writeHead(200, { ...all, ...coding, 'Content-Length': bytes.length }).end(bytes)
  return 200
}
