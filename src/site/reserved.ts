import type { Request, Response } from 'express'
import { isFeedback, takeFeedback } from './feedback/take-feedback.ts'
import { answerMcp } from './mcp/answer-mcp.ts'
import type { Place } from './place/place.ts'
import { forgetVisitor } from './readers/visitor-session.ts'
import { queryOf, redirect, relativeTo } from './sending/redirect.ts'
import { sendSiteFile } from './sending/send-file.ts'
import { sendIcon } from './sending/send-icon.ts'
import { sendPrint } from './sending/send-pdf.ts'
import { sendShareImage } from './sending/send-share-image.ts'
import { sendVisitor } from './sending/send-visitor.ts'
import { sendTheme } from './sending/theme.ts'
import { signInAddress } from './travel/sign-in.ts'

type Send = (place: Place, req: Request, res: Response, rest: readonly string[]) => Promise<void> | void

/** What the reserved names of a site send that is no page, by the first two segments of the path. */
const sends: Readonly<Record<string, Send>> = {
  '~stemma/files': sendSiteFile,
  '~stemma/theme': (place, req, res, [name = '']) => sendTheme(place, req, res, name),
  '~gitbook/icon': sendIcon,
  '~gitbook/mcp': answerMcp,
  '~gitbook/ogimage': (place, req, res, [id = '']) => sendShareImage(place, req, res, id),
  '~gitbook/pdf': sendPrint,
  '~gitbook/visitor': sendVisitor,
}

/** Answers a reserved name that leads to no page. Returns false for other paths. */
export async function sendReserved(
  place: Place,
  req: Request,
  res: Response,
  address: string,
): Promise<boolean> {
  const [first = '', second = '', ...rest] = place.path.split('/')
  const name = `${first}/${second}`
  if (isFeedback(req)) await takeFeedback(place, req, res)
  else if (Object.hasOwn(sends, name)) await sends[name]!(place, req, res, rest)
  else return name === '~gitbook/auth' && signInOrOut(place, req, res, { step: rest[0], address })
  return true
}

function signInOrOut(
  { ctx, resolved, siteBase }: Place,
  req: Request,
  res: Response,
  { step, address }: { step: string | undefined; address: string },
): boolean {
  if (step === 'login') {
    const to = signInAddress(ctx, resolved, { address, location: queryOf(req, 'location') ?? '' })
    redirect(res, relativeTo(address, to), 302)
  } else if (step === 'logout') {
    forgetVisitor(ctx, res, resolved.site, siteBase)
    redirect(res, siteBase, 303)
  }
  return step === 'login' || step === 'logout'
}
