import type { IncomingMessage, ServerResponse } from 'node:http'
import { cacheSlot } from '../../caches.ts'
import { isAgent } from '../../content/site/agents.ts'
import type { Context } from '../../context.ts'
import { answerHeaders } from '../../http/answer-headers.ts'
import { sessionOf } from '../../http/browser-session.ts'
import { notModified } from '../../http/conditional.ts'
import type { ReadScope } from '../../store/changes.ts'
import { parametersOf } from '../place/parameters.ts'
import type { Place } from '../place/place.ts'
import { prefersMarkdown } from './accepts.ts'
import { encodedAtOnce, encodingOf, type Packed } from './send.ts'

/**
 * A page that is the same for all readers with the same claims, or for all, with what it depends
 * on.
 */
type Kept = {
  packed: Packed
  /** Whether the site is open to everybody: then its readers need not be identified. */
  isOpen: boolean
  /** Whether the site is hidden from programs of language models. */
  excludesAgents: boolean
  /** The headers of a 304 as name and value in turn, the fastest form for `writeHead`. */
  known: readonly string[]
  version: number
  scope: ReadScope | undefined
  holds: () => boolean
}

const pages = cacheSlot<Kept>('pages')
const missingPages = cacheSlot<Kept>('missingPages')
const slots = [pages, missingPages] as const

/** The estimated weight of an entry beside its key and bytes, in bytes. */
const entryBytes = 3_000
/** An entry has its bytes once more, compressed with gzip, as soon as a client asks for them. */
const codings = 2.2

/**
 * Returns what of a request decides the answer: its address, the parameters that the answer reads,
 * and the form.
 */
export const questionOf = (req: Pick<IncomingMessage, 'headers'>, target: string): string =>
  [
    req.headers.host ?? '',
    target.split('?', 1)[0],
    JSON.stringify(parametersOf(target)),
    prefersMarkdown(req.headers.accept),
  ].join('\n')

/** The readers of an answer: those with some claims, by their digest, or all. */
type Readers = 'all' | `claims ${string}`

const keyOf = (req: IncomingMessage, target: string, readers: Readers): string =>
  `${questionOf(req, target)}\n${readers}`

type Keepable = {
  packed: Packed
  version: number
  /** Whether readers with other claims get the same answer. */
  isForAll: boolean
}

/**
 * Reports whether an answer may be kept: a page, or that a path has none, the same for absent and
 * for hidden pages. Whether a version or a reserved name has an answer depends on more than the
 * claims of the reader.
 */
const isKeepable = ({ preview, pathname }: Place['resolved'], status: number): boolean =>
  !preview && (status === 200 || (status === 404 && !pathname.startsWith('~')))

/**
 * Keeps an answer that depends on no more of its reader than their claims, until its rows change or
 * the branch of its space moves.
 */
export function keepPage(
  place: Place,
  req: IncomingMessage & { originalUrl: string },
  { packed, version, isForAll }: Keepable,
): void {
  if (place.member || place.scope) return
  const { ctx, resolved, open, view } = place
  const { site, claimsId } = resolved
  const { holds } = open
  if (!holds || !isKeepable(resolved, packed.status)) return

  // The titles of other spaces are part of the page.
  const isAlone = view.siteSpaces.length === 1
  const scope = isAlone
    ? { spaceId: open.space.id, organizationId: site.organization_id }
    : undefined
  if (!ctx.store.isCurrent(version, scope)) return

  const { bytes, etag, headers } = packed
  const kept = {
    packed,
    isOpen: site.visibility !== 'visitor-auth',
    excludesAgents: site.agents_context === 'excluded',
    known: Object.entries({ ...answerHeaders, ...headers, ETag: `"${etag}"` }).flat(),
    version,
    scope,
    holds,
  }
  const isForEverybody = isForAll || site.adaptive === 0
  const key = keyOf(req, req.originalUrl, isForEverybody ? 'all' : `claims ${claimsId}`)
  const slot = packed.status === 404 ? missingPages : pages

  ctx.caches.get(slot).set(key, kept, key.length + bytes.length * codings + entryBytes)
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

/**
 * Returns the kept answer to a request that needs no look at its reader, while it is valid. Never
 * throws: no caller would catch it.
 */
export function findOpenPage(ctx: Context, req: IncomingMessage): Kept | undefined {
  const target = req.url ?? ''
  // A visitor token in the address begins a session.
  if (!isRead(req) || target.includes('jwt_token=')) return undefined

  try {
    const kept = findValid(ctx, keyOf(req, target, 'all'))
    if (!kept?.isOpen || (kept.excludesAgents && isAgent(req.headers['user-agent'])))
      return undefined
    // A member may be shown more than others.
    return sessionOf(ctx, req) ? undefined : kept
  } catch {
    // The full path meets the same error.
    return undefined
  }
}

/**
 * Returns the kept answer for a reader who is known to be let in, and is no member, while it is
 * valid.
 */
export function findPageFor(
  ctx: Context,
  req: IncomingMessage & { originalUrl: string },
  claimsId: string,
): Packed | undefined {
  if (!isRead(req)) return undefined
  const find = (readers: Readers) => findValid(ctx, keyOf(req, req.originalUrl, readers))
  return (find('all') ?? find(`claims ${claimsId}`))?.packed
}

function findValid(ctx: Context, key: string): Kept | undefined {
  for (const slot of slots) {
    const cache = ctx.caches.get(slot)
    const kept = cache.get(key)
    if (kept && ctx.store.isCurrent(kept.version, kept.scope) && kept.holds()) return kept
    if (kept) cache.delete(key)
  }
  return undefined
}

/**
 * Sends a kept answer at once, or 304. Returns the status and the bytes; undefined if the client
 * needs an encoding that has to be made first.
 */
export function sendKeptPage(
  req: IncomingMessage,
  res: ServerResponse,
  { packed, known }: Kept,
  requestId: string,
): { status: number; bytes?: Buffer } | undefined {
  const { status } = packed
  if (status === 200 && notModified(req.headers['if-none-match'], packed.etag)) {
    res.writeHead(304, ['X-Request-Id', requestId, ...known])
    res.end()
    return { status: 304 }
  }

  const sent = encodedAtOnce(packed, encodingOf(String(req.headers['accept-encoding'] ?? '')))
  if (!sent) return undefined

  const { bytes, encoding } = sent
  const coding = encoding === 'identity' ? [] : ['Content-Encoding', encoding]
  const length = ['Content-Length', String(bytes.length)]

  res.writeHead(status, ['X-Request-Id', requestId, ...known, ...coding, ...length])
  res.end(req.method === 'HEAD' ? undefined : bytes)

  return { status, bytes }
}
