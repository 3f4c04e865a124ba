import type { Express, Request, Response } from 'express'
import { z } from 'zod'
import { admitToken } from '../access/admit-token.ts'
import { scopeNeeded } from '../access/scopes.ts'
import {
  checkInvited,
  findInvited,
  type Invited,
  joinWithInvite,
  unusable,
} from '../actions/members/join-with-invite.ts'
import { openOwnSession } from '../actions/sso/sessions.ts'
import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import {
  type BrowserUser,
  checkSameOrigin,
  checkWrite,
  setSessionCookie,
  signedInUser,
} from '../http/browser-session.ts'
import { clientAddress } from '../http/limits/client-address.ts'
import { countStep } from '../http/limits/sign-ins.ts'
import type { Throttles } from '../http/limits/throttles.ts'
import { readForm } from '../http/receiving/form.ts'
import { randomId } from '../lib/digest.ts'
import { PersonName } from '../lib/line-of-text.ts'
import { insertUser } from '../store/people/users.ts'
import { browserOf, originOf } from './browser.ts'
import { type Fields, readFields } from './fields.ts'
import { goneInvitePage, joinPage } from './join-page.tsx'
import { basePath, sendPage } from './layout.tsx'
import { onServer } from './on-server.ts'
import { home } from './return-address.ts'

const Person = z.object({ displayName: PersonName })

/** The secret of an invite link. Other paths may be those of a site. */
const path = /^\/join\/([0-9A-Za-z]{20})$/

/** Serves the page of an invite link. A GET does not join, the form does. */
export function serveJoin(app: Express, ctx: Context, throttles: Throttles): void {
  const answered =
    (answer: (req: Request, res: Response, secret: string) => Promise<void> | void) =>
    async (req: Request, res: Response) => {
      try {
        await answer(req, res, String(req.params[0]))
      } catch (error) {
        if (!(error instanceof Fault) || error.kind !== 'missing') throw error
        throttles.failed(clientAddress(req, ctx.config.trustProxy))
        sendPage(res, 404, goneInvitePage)
      }
    }

  const show = (req: Request, res: Response, secret: string, entered?: Fields<unknown>) => {
    const user = signedInUser(ctx, throttles, req, res)
    const invited = findFor(ctx, secret, user)
    const { organization, invite } = invited
    const page = joinPage({
      base: basePath(ctx),
      secret,
      organization: organization.title,
      maker: checkInvited(ctx, invited, user?.actor.user)?.user.display_name,
      gives: { role: invite.level ?? invite.role, isPart: invite.level !== null },
      user: user && { name: user.actor.user.display_name, csrfToken: user.csrfToken },
      values: entered?.values ?? {},
      problems: entered?.problems ?? {},
    })
    sendPage(res, entered ? 400 : 200, page)
  }

  app.get(path, onServer(ctx), answered(show))
  app.post(
    path,
    onServer(ctx),
    answered(async (req, res, secret) => {
      checkSameOrigin(ctx, req)
      const form = await readForm(ctx, req, res)
      const user = signedInUser(ctx, throttles, req, res)
      findFor(ctx, secret, user)

      if (user) {
        checkWrite(ctx, req, user, form.get('csrf'))
        joinAs(ctx, secret, user, req, res)
      } else if (form.has('csrf')) {
        // The form of a user whose sign-in has ended meanwhile.
        return show(req, res, secret)
      } else {
        const person = readFields(Person, form)
        if (!person.fields) return show(req, res, secret, person)
        countStep(ctx, clientAddress(req, ctx.config.trustProxy))
        joinAsNew(ctx, secret, person.fields.displayName, req, res)
      }

      res.set('Cache-Control', 'no-store').redirect(303, ctx.publicUrl() + home)
    }),
  )
}

/**
 * Returns the invitation of a link. Throws 'missing' for none, 'forbidden' for a session whose token
 * may not join, as the operation of the API does.
 */
function findFor(ctx: Context, secret: string, user: BrowserUser | undefined): Invited {
  const invited = findInvited(ctx, secret)
  if (!invited) throw unusable()
  if (user)
    admitToken(
      ctx,
      user.actor,
      {
        operationId: 'joinOrganizationWithInvite',
        scope: scopeNeeded('POST /orgs/:organizationId/invites/:inviteId'),
        readers: false,
      },
      { organizationId: invited.organization.id },
    )
  return invited
}

function joinAs(
  ctx: Context,
  secret: string,
  browserUser: BrowserUser,
  req: Request,
  res: Response,
): void {
  const { user, token } = browserUser.actor
  const by = { userId: user.id, origin: originOf(ctx, req, res, token.id) }
  ctx.store.transact(() => joinWithInvite(ctx, findFor(ctx, secret, browserUser), user, by))
}

/**
 * Creates a user who joins, and opens a session. An e-mail address would not be confirmed, so
 * they have none.
 */
function joinAsNew(
  ctx: Context,
  inviteSecret: string,
  displayName: string,
  req: Request,
  res: Response,
): void {
  const { user, secret } = ctx.store.transact(() => {
    const origin = originOf(ctx, req, res)
    const made = insertUser(ctx.store, {
      id: randomId(),
      display_name: displayName,
      email: null,
      created_at: ctx.now().toISOString(),
    })
    joinWithInvite(ctx, findFor(ctx, inviteSecret, undefined), made, { userId: made.id, origin })
    return { user: made, ...openOwnSession(ctx, made.id, browserOf(ctx, req), origin) }
  })
  res.locals.userId = user.id
  setSessionCookie(ctx, res, secret)
}
