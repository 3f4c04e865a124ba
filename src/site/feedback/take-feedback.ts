import type { Request, Response } from 'express'
import { stateSlot } from '../../caches.ts'
import { addressOfPage } from '../../content/tree/page-address.ts'
import type { Context } from '../../context.ts'
import { Fault, invalid, missing } from '../../errors.ts'
import { addressGroup, clientAddress } from '../../http/limits/client-address.ts'
import { readForm } from '../../http/receiving/form.ts'
import { RateLimit } from '../../lib/rate-limit.ts'
import { recordFeedback } from '../../store/sites/page-feedback.ts'
import type { FeedbackRating } from '../../store/tables/sites.ts'
import type { SitePlace } from '../place/place.ts'
import { settingsOf } from '../place/settings-of-place.ts'
import { acceptsHtml } from '../sending/accepts.ts'
import { audienceHeaders } from '../sending/headers.ts'
import { readerDigest } from './reader-digest.ts'

const minute = 60_000
/** The most answers per minute: of one address, and of all readers of a site. */
const ofAddress = stateSlot(() => new RateLimit(20, minute))
const ofSite = stateSlot(() => new RateLimit(600, minute))

const ratings: ReadonlySet<string> = new Set<FeedbackRating>(['yes', 'partly', 'no'])

/** The path of the form below a site space. */
const formPath = '~stemma/feedback'

/** Returns whether a request sends the form of a page. */
export const isFeedback = ({ method, path }: Request): boolean =>
  method === 'POST' && path.endsWith(`/${formPath}`)

/** Returns the address of the form of a page; undefined while the settings ask for no answers. */
export const feedbackAddress = (place: SitePlace): string | undefined =>
  settingsOf(place).feedback.enabled && !place.resolved.preview && !place.scope && !place.isCopy
    ? place.base + formPath
    : undefined

/**
 * Returns the headers that a page with the form needs. Over plain http, browsers tell with the
 * header "Origin" alone where a form comes from, and send "null" with the "no-referrer" of share
 * links. The key of the link stays out of the header "Referer" here as well.
 */
export const feedbackHeaders = (place: SitePlace): Record<string, string> =>
  place.resolved.site.visibility === 'share-link' &&
  place.resolved.canonicalUrl.startsWith('http:') &&
  feedbackAddress(place) !== undefined
    ? { 'Referrer-Policy': 'strict-origin' }
    : {}

/**
 * Counts the answer of a reader to "Was this page helpful?". Without a script, the browser is sent
 * back to the page, which says thank you. Throws 'forbidden' for a form of another site, 'missing'
 * for a page that the reader is not shown and while the settings ask for no answers, 'too_many'
 * above the limits.
 */
export async function takeFeedback(place: SitePlace, req: Request, res: Response): Promise<void> {
  const { ctx, open, resolved } = place
  if (place.path !== formPath || feedbackAddress(place) === undefined)
    throw missing('form', 'at this address')
  checkOrigin(req)
  const address = addressGroup(clientAddress(req, ctx.config.trustProxy))

  limit(ctx, address, resolved.site.id)
  const form = await readForm(ctx, req, res)
  const page = form.get('page') ?? ''
  const rating = form.get('rating') ?? ''
  const node = open.shown.content.pageById.get(page)
  if (node?.type !== 'document') throw missing('page', page)
  if (!isRating(rating)) throw invalid('"rating" must be "yes", "partly" or "no".')
  recordFeedback(ctx.store, {
    site_id: resolved.site.id,
    site_space_id: resolved.siteSpace.row.id,
    page_id: node.id,
    revision: open.view.oid,
    rating,
    ...readerDigest(ctx, resolved.site.id, address, ctx.now()),
  })
  const { visibility } = resolved.site

  res.set({ ...audienceHeaders(visibility, false), 'Cache-Control': 'no-store' })
  if (acceptsHtml(req.headers.accept))
    res.redirect(303, `${addressOfPage(place.base, open.shown.content, node)}?thanks=1`)
  else res.status(204).end()
}

const isRating = (text: string): text is FeedbackRating => ratings.has(text)

/** Throws 'forbidden' unless a page of the same origin sent the form. */
function checkOrigin({ headers }: Request): void {
  const { origin, host, 'sec-fetch-site': site } = headers
  const isSame =
    site === undefined
      ? origin !== undefined && URL.canParse(origin) && new URL(origin).host === host
      : site === 'same-origin'
  if (!isSame)
    throw new Fault(
      'form_refused',
      'This form was not sent from a page of this site. Open the page and try again.',
    )
}

function limit(ctx: Context, address: string, siteId: string): void {
  const wait = ctx.caches.get(ofAddress).take(address) || ctx.caches.get(ofSite).take(siteId)
  if (wait === 0) return
  const retryAfter = Math.ceil(wait / 1000)
  throw new Fault(
    'rate_limited',
    `Too many answers were sent. Try again in ${retryAfter} s.`,
    undefined,
    {
      label: 'feedback',
      retryAfter,
    },
  )
}
