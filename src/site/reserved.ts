import type { Request, Response } from 'express'
import type { Admit } from '../http/limits/admission.ts'
import { queryOf, redirect, relativeTo } from '../ui/serving/redirect.ts'
import { isFeedback, takeFeedback } from './feedback/take-feedback.ts'
import { answerMcp } from './mcp/answer-mcp.ts'
import type { SitePlace } from './place/place.ts'
import { forgetVisitor } from './readers/visitor-session.ts'
import { sendSiteFile } from './sending/send-file.ts'
import { sendIcon } from './sending/send-icon.ts'
import { sendPrint } from './sending/send-pdf.ts'
import { sendShareImage } from './sending/send-share-image.ts'
import { sendVisitor } from './sending/send-visitor.ts'
import { sendTheme } from './sending/theme.ts'
import { signInAddress } from './travel/sign-in.ts'

type Given = { rest: readonly string[]; admit: Admit }

type Send = (place: SitePlace, req: Request, res: Response, given: Given) => Promise<void> | void

/**
 * What the reserved names of a site send that is no page, by the first two segments of the path.
 */
const sends: Readonly<Record<string, Send>> = {
  '~stemma/files': (place, req, res, { rest }) => sendSiteFile(place, req, res, rest),
  '~stemma/theme': (place, req, res, { rest: [name = ''] }) => sendTheme(place, req, res, name),
  '~gitbook/icon': sendIcon,
  '~gitbook/mcp': answerMcp,
  '~gitbook/ogimage': (place, req, res, { rest: [id = ''] }) => sendShareImage(place, req, res, id),
  '~gitbook/pdf': sendPrint,
  '~gitbook/visitor': (place, req, res, { rest }) => sendVisitor(place, req, res, rest),
}

const signIn = '~gitbook/auth'

const nameOf = (path: string): string => path.split('/', 2).join('/')

/** Returns whether a request is for a reserved name that leads to no page. */
export function isReserved(req: Request, path: string): boolean {
  const name = nameOf(path)
  if (name === signIn) return /^[^/]+\/[^/]+\/(?:login|logout)(?:\/|$)/.test(path)
  return isFeedback(req) || Object.hasOwn(sends, name)
}

type ReservedRequest = { place: SitePlace; address: string; admit: Admit }

/** Answers a request of `isReserved`. `admit` runs what has to be computed. */
export async function sendReserved(
  { place, address, admit }: ReservedRequest,
  req: Request,
  res: Response,
): Promise<void> {
  const name = nameOf(place.path)
  const [, , ...rest] = place.path.split('/')
  if (isFeedback(req)) return takeFeedback(place, req, res)
  if (name === signIn) return signInOrOut(place, req, res, { step: rest[0], address })
  await sends[name]!(place, req, res, { rest, admit })
}

function signInOrOut(
  { ctx, resolved, siteBase }: SitePlace,
  req: Request,
  res: Response,
  { step, address }: { step: string | undefined; address: string },
): void {
  if (step === 'login') {
    const to = signInAddress(ctx, resolved, { address, location: queryOf(req, 'location') ?? '' })
    redirect(res, relativeTo(address, to), 302)
  } else {
    forgetVisitor(ctx, res, resolved.site, siteBase)
    redirect(res, siteBase, 303)
  }
}
