import type { IncomingMessage } from 'node:http'
import { saysUnread } from '../../actions/specs/read-spec.ts'
import { cacheSlot } from '../../caches.ts'
import { isAgent } from '../../content/site/agents.ts'
import type { Context } from '../../context.ts'
import { sessionOf } from '../../http/browser-session.ts'
import { findKept, type Kept, keep } from '../../http/kept-answers.ts'
import type { ReadyAnswer } from '../../http/sending/ready-answer.ts'
import { parametersOf } from '../place/parameters.ts'
import type { SitePlace } from '../place/place.ts'
import { formOf } from './accepts.ts'

/** A page that is the same for all readers with the same claims, or for all. */
type Page = {
  answer: ReadyAnswer
  /** Whether the site is open to everybody: then its readers need not be identified. */
  isOpen: boolean
  /** Whether the site is hidden from programs of language models. */
  excludesAgents: boolean
}

const pages = cacheSlot<Kept<Page>>('pages')
const missingPages = cacheSlot<Kept<Page>>('missingPages')
const slots = [pages, missingPages] as const

/**
 * Returns what of a request decides the answer: its address, the parameters that the answer reads,
 * and the form.
 */
export const questionOf = (req: Pick<IncomingMessage, 'headers'>, target: string): string =>
  [
    req.headers.host ?? '',
    target.split('?', 1)[0],
    JSON.stringify(parametersOf(target)),
    formOf(req.headers.accept),
  ].join('\n')

/** The readers of an answer: those with some claims, by their digest, or all. */
type Readers = 'all' | `claims ${string}`

const keyOf = (req: IncomingMessage, target: string, readers: Readers): string =>
  `${questionOf(req, target)}\n${readers}`

type Keepable = {
  answer: ReadyAnswer
  version: number
  /** Whether readers with other claims get the same answer. */
  isForAll: boolean
}

/**
 * Reports whether an answer may be kept: a page, or that a path has none, the same for absent and
 * for hidden pages. Whether a version or a reserved name has an answer depends on more than the
 * claims of the reader.
 */
const isKeepable = ({ preview, pathname }: SitePlace['resolved'], status: number): boolean =>
  !preview && (status === 200 || (status === 404 && !pathname.startsWith('~')))

/**
 * Keeps an answer that depends on no more of its reader than their claims, until its rows change or
 * the branch of its space moves.
 */
export function keepPage(
  place: SitePlace,
  req: IncomingMessage & { originalUrl: string },
  { answer, version, isForAll }: Keepable,
): void {
  if (place.member || place.scope) return
  const { ctx, resolved, open, view } = place
  const { site, claimsId } = resolved
  const { holds } = open
  if (!holds || !isKeepable(resolved, answer.status) || saysUnread(open.shown.stamp)) return

  // The titles of other spaces are part of the page.
  const isAlone = view.siteSpaces.length === 1
  const scope = isAlone
    ? { spaceId: open.space.id, organizationId: site.organization_id }
    : undefined
  const isForEverybody = isForAll || site.adaptive === 0
  const key = keyOf(req, req.originalUrl, isForEverybody ? 'all' : `claims ${claimsId}`)
  const value = {
    answer,
    isOpen: site.visibility !== 'visitor-auth',
    excludesAgents: site.agents_context === 'excluded',
  }

  keep(ctx.store, ctx.caches.get(answer.status === 404 ? missingPages : pages), key, {
    value,
    size: answer,
    rows: { version, scope },
    holds,
  })
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

const hasBearer = ({ headers }: IncomingMessage): boolean =>
  headers.authorization?.startsWith('Bearer ') ?? false

/**
 * Returns the kept answer to a request that needs no look at its reader, while it is valid. Never
 * throws: no caller would catch it.
 */
export function findOpenPage(ctx: Context, req: IncomingMessage): ReadyAnswer | undefined {
  const target = req.url ?? ''
  // A visitor token in the address begins a session; a program that sends a token calls the API.
  if (!isRead(req) || target.includes('jwt_token=') || hasBearer(req)) return undefined

  try {
    const page = findValid(ctx, keyOf(req, target, 'all'))
    if (!page?.isOpen || (page.excludesAgents && isAgent(req.headers['user-agent'])))
      return undefined
    // A member may be shown more than others.
    return sessionOf(ctx, req) ? undefined : page.answer
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
): ReadyAnswer | undefined {
  if (!isRead(req)) return undefined
  const find = (readers: Readers) => findValid(ctx, keyOf(req, req.originalUrl, readers))
  return (find('all') ?? find(`claims ${claimsId}`))?.answer
}

function findValid(ctx: Context, key: string): Page | undefined {
  for (const slot of slots) {
    const page = findKept(ctx.store, ctx.caches.get(slot), key)
    if (page) return page
  }
  return undefined
}
