import type { Express, Request, Response } from 'express'
import { z } from 'zod'
import { findWelcomed, isAddressOfAnother, takeWelcome } from '../actions/sso/welcome.ts'
import type { Context } from '../context.ts'
import { checkSameOrigin, setSessionCookie } from '../http/browser-session.ts'
import { clientAddress } from '../http/limits/client-address.ts'
import { isFromThisMachine } from '../http/limits/this-machine.ts'
import type { Throttles } from '../http/limits/throttles.ts'
import { readForm } from '../http/receiving/form.ts'
import { EmailAddress, PersonName } from '../lib/line-of-text.ts'
import { browserOf, originOf } from './browser.ts'
import { type Fields, readFields } from './fields.ts'
import { basePath, type Page, sendPage } from './layout.tsx'
import { onServer } from './on-server.ts'
import { home } from './return-address.ts'
import { elsewherePage, goneCodePage, welcomePage } from './welcome-page.tsx'

const Person = z.object({ displayName: PersonName, email: EmailAddress })

/** A page to send, with its status. */
type Answer = { status: number; page: Page }

/**
 * Serves the page of the codes that the first start and `stemma open` print. Looking at it does not
 * use the code up, because programs look at links as well: its form does.
 */
export function serveWelcome(app: Express, ctx: Context, throttles: Throttles): void {
  const look = (req: Request, code: string, entered?: Fields<unknown>): Answer => {
    const welcomed = findWelcomed(ctx, code)
    if (!welcomed) return gone(ctx, throttles, req)
    if (!isAllowedHere(ctx, req, welcomed)) return { status: 403, page: elsewherePage }
    const { user, introduces } = welcomed
    const form = { base: basePath(ctx), code, name: user.display_name, introduces }
    const { values = {}, problems = {} } = entered ?? {}
    return { status: entered ? 400 : 200, page: welcomePage({ ...form, values, problems }) }
  }

  app.get('/app/welcome', onServer(ctx), (req, res) => {
    const { code } = req.query
    const { status, page } = look(req, typeof code === 'string' ? code : '')
    sendPage(res, status, page)
  })

  app.post('/app/welcome', onServer(ctx), async (req, res) => {
    checkSameOrigin(ctx, req)
    const form = await readForm(ctx, req, res)
    const code = form.get('code') ?? ''
    const welcomed = findWelcomed(ctx, code)
    const read = () => (welcomed?.introduces ? readPerson(ctx, welcomed.user.id, form) : undefined)
    const person = read()
    const isFit = welcomed && isAllowedHere(ctx, req, welcomed) && !person?.problems
    const entered = isFit && enter(ctx, { code, person: person?.fields }, req, res)

    if (entered) {
      res.set('Cache-Control', 'no-store').redirect(303, ctx.publicUrl() + home)
    } else {
      const { status, page } = look(req, code, read())
      sendPage(res, status, page)
    }
  })
}

/** Returns what the user says about themselves, or what is wrong with it. */
function readPerson(ctx: Context, userId: string, form: ReadonlyMap<string, string>) {
  const read = readFields(Person, form)
  if (!read.fields || !isAddressOfAnother(ctx, read.fields.email, userId)) return read
  return { ...read, fields: undefined, problems: { email: 'is that of another user' } }
}

/** Uses a code up and opens a session. Returns false if the code is not valid any more. */
function enter(
  ctx: Context,
  welcome: Parameters<typeof takeWelcome>[1],
  req: Request,
  res: Response,
): boolean {
  const taken = ctx.store.transact(() =>
    takeWelcome(ctx, welcome, browserOf(ctx, req), originOf(ctx, req, res)),
  )
  if (!taken) return false
  res.locals.userId = taken.user.id
  setSessionCookie(ctx, res, taken.secret)
  return true
}

/** Returns the answer to a code that is unknown, expired or used. Throws 'too_many' for guesses. */
function gone({ config }: Context, throttles: Throttles, req: Request): Answer {
  throttles.failed(clientAddress(req, config.trustProxy))
  return { status: 404, page: goneCodePage }
}

const isAllowedHere = (
  { config }: Context,
  req: Request,
  { anywhere }: { anywhere: boolean },
): boolean => anywhere || config.welcomeAnywhere || isFromThisMachine(req, config)
