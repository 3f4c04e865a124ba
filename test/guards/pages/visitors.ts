import { createToken } from '../../../src/actions/people/create-token.ts'
import { revokeToken } from '../../../src/store/people/tokens.ts'
import { query } from '../../../src/store/store.ts'
import type { Actor, App } from '../../support/app.ts'
import { Browser, type PageReply } from '../../support/http/browser.ts'
import { type Column, columns } from '../callers.ts'
import { at } from '../rows.ts'

/** A browser of somebody, with the token of its session against forged requests. */
export type Visitor = { browser: Browser; csrf: string }

/** Signs in with a token in a browser of its own. */
export async function signedIn(url: string, token: string): Promise<Visitor> {
  const browser = new Browser(url)
  const { status, text } = await browser.signIn(token)
  if (!browser.isSignedIn) throw new Error(`Signing in answered ${status}: ${text.slice(-500)}`)
  return { browser, csrf: await browser.csrf() }
}

/** Opens the browsers of the callers who can sign in, and of those whose token ended since they did. */
export async function makeVisitors(
  app: App,
  callers: Record<Column, Actor>,
): Promise<Record<Column, Visitor>> {
  const made: Partial<Record<Column, Visitor>> = {}
  for (const column of columns) {
    if (column === 'none' || column === 'reader')
      made[column] = { browser: new Browser(app.url), csrf: '' }
    else if (column === 'expired' || column === 'revoked')
      made[column] = await endedVisitor(app, column)
    else made[column] = await signedIn(app.url, callers[column].token)
  }
  return made as Record<Column, Visitor>
}

/** Returns a browser of an admin whose token expires, or is revoked, after the sign-in. */
async function endedVisitor(app: App, how: 'expired' | 'revoked'): Promise<Visitor> {
  const { store } = app.ctx
  const { row, secret } = createToken(
    store,
    { userId: app.admin.id, name: how, expiresAt: '2999-01-01T00:00:00.000Z' },
    app.ctx.now(),
  )
  const visitor = await signedIn(app.url, secret)
  if (how === 'revoked') revokeToken(store, row.id, at)
  else store.run(query.updateTable('token').set({ expires_at: at }).where('id', '=', row.id))
  return visitor
}

/** Whether an answer leads to the sign-in. */
export const leadsToSignIn = ({ status, headers }: PageReply): boolean =>
  status === 303 && (headers.get('location') ?? '').includes('/sso/sign-in?')

/**
 * Returns the status in the notation of the table: an answer that leads on is 204, but for one that leads
 * to the sign-in.
 */
export const statusOf = (reply: PageReply): number =>
  reply.status === 303 && !leadsToSignIn(reply) ? 204 : reply.status
