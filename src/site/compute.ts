import type { Request } from 'express'
import type { SignedInUser } from '../access/session.ts'
import type { ResolvedContent } from '../actions/sites/resolve-address.ts'
import { stateSlot } from '../caches.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import type { Admission, Applicant } from '../http/limits/admission.ts'
import { encodingOf, type ReadyAnswer } from '../http/sending/ready-answer.ts'
import { SharedWork } from '../lib/shared-work.ts'
import { answerScoped } from './answer.ts'
import { nothingHere } from './pages/nothing-here.ts'
import type { Redirect } from './pages/redirected.ts'
import { openPlace } from './place/open-place.ts'
import { parametersOf } from './place/parameters.ts'
import type { SitePlace } from './place/place.ts'
import { formOf } from './sending/accepts.ts'
import { countable } from './sending/count-read.ts'
import { pageHeaders, placeHeaders } from './sending/headers.ts'
import { keepPage, questionOf } from './sending/kept-pages.ts'
import { readyOf, type SiteResponse } from './sending/made.ts'
import { policyHeader } from './sending/page-policy.ts'
import { rulesHeader } from './sending/send-asset.ts'
import { openScope } from './travel/open-scope.ts'

/** What a request asks of a site, and the reader who asks. */
type SiteRequest = {
  resolved: ResolvedContent
  version: number
  user: SignedInUser | undefined
  applicant: Applicant
  /** Whether a page says that there is nothing, rather than JSON. */
  wantsPage: boolean
}

/** An answer that can be sent to everybody who asked the same. */
type Computed = ReadyAnswer | { redirect: Redirect; headers: Record<string, string> }

const running = stateSlot(() => new SharedWork<Computed>())

/**
 * Computes the answer to an address of a site, once for all who ask the same at the same time, and
 * keeps it if it may be kept. `gone` is aborted when the client leaves: the work ends with its last
 * client. Throws what `Admission.run` throws, and 'missing'.
 */
export function compute(
  { ctx, admission }: { ctx: Context; admission: Admission },
  req: Request,
  asked: SiteRequest,
  gone: AbortSignal,
): Promise<Computed> {
  const work = (signal: AbortSignal) =>
    admission.run(asked.applicant, signal, hold => computeNow(ctx, req, asked, { signal, hold }))
  // The reader of a preview has a token of their own.
  if (asked.resolved.preview) return work(gone)
  return ctx.caches.get(running).join(keyOf(req, asked), gone, work)
}

/**
 * Requests with the same key have the same answer. A newer version of the rows may lead to another
 * one.
 */
function keyOf(req: Request, { resolved, version, user, wantsPage }: SiteRequest): string {
  const tokenId = user?.actor.token.id ?? ''
  return [version, wantsPage, tokenId, resolved.claimsId, questionOf(req, req.originalUrl)].join(
    '\n',
  )
}

async function computeNow(
  ctx: Context,
  req: Request,
  asked: SiteRequest,
  run: Pick<SitePlace, 'signal' | 'hold'>,
): Promise<Computed> {
  const { resolved, version, user, wantsPage } = asked
  const place = await openPlace(ctx, resolved, { user, drafts: true, ...run })
  try {
    const parameters = parametersOf(req.originalUrl)
    const scoped = isScope(place.path) ? await openScope(place, parameters.marks !== '0') : place
    const here = typeof scoped === 'string' || 'redirect' in scoped ? place : scoped
    const answered = resolved.isHidden
      ? await nothingHere(place)
      : await answerScoped(place, scoped, {
          parameters,
          form: formOf(req.headers.accept),
          endsWithSlash: req.path.endsWith('/'),
        })
    if ('redirect' in answered) return { redirect: answered, headers: headersOf(here) }

    const ready = await readyFor(here, answered)
    await ready.encode(encodingOf(req))
    if (answered.read) countable(here, ready, answered.read)
    if (!answered.isUnsettled)
      keepPage(here, req, { answer: ready, version, isForAll: answered.isForAll === true })

    return ready
  } catch (error) {
    // Paths below a reserved name that do not exist get the "not found" page of the site, like any
    // other path without a page.
    if (!(error instanceof Fault) || error.kind !== 'missing' || !wantsPage) throw error
    return readyFor(place, await nothingHere(place))
  }
}

/** Returns whether a path of a site leads to another version of its content. */
export const isScope = (path: string): boolean => path.split('/', 1)[0] === '~'

/** Returns a page of a place with its headers. */
export async function readyFor(place: SitePlace, made: SiteResponse): Promise<ReadyAnswer> {
  const rules = made.type.startsWith('text/html') ? await rulesHeader(place) : {}
  const called = policyHeader(place, made.origins)
  return readyOf({
    ...made,
    headers: { ...headersOf(place), ...rules, ...called, ...made.headers },
  })
}

const headersOf = (place: SitePlace): Record<string, string> => ({
  ...pageHeaders,
  ...policyHeader(place),
  ...placeHeaders(place),
})
