import { randomBytes } from 'node:crypto'
import type { Origin } from '../../access/asker.ts'
import type { Context } from '../../context.ts'
import { sha256 } from '../../lib/digest.ts'
import { findUser, listUsersByEmail } from '../../store/people/users.ts'
import {
  findWelcomeCode,
  insertWelcomeCode,
  removeOldWelcomeCodes,
  removeWelcomeCode,
} from '../../store/sso/welcome-codes.ts'
import type { UserRow } from '../../store/tables/rows.ts'
import { changeUser } from '../people/change-user.ts'
import { type Browser, openOwnSession } from './sessions.ts'

const hour = 60 * 60_000
/** The maximum number of codes of a user: a new one ends the oldest. */
const mostCodes = 20

type NewCode = {
  userId: string
  /** Whether who opens its page says the name and the e-mail address of the user. */
  introduces: boolean
  /** Whether its page opens on other machines than that of the server. */
  anywhere?: boolean
}

/**
 * Returns a new code that signs a user in with a browser, once, within an hour. Only the SHA-256 of
 * a code is stored. Call inside a transaction.
 */
export function createWelcomeCode(
  ctx: Context,
  { userId, introduces, anywhere = false }: NewCode,
): string {
  const code = randomBytes(32).toString('base64url')
  const now = ctx.now()
  removeOldWelcomeCodes(ctx.store, userId, mostCodes - 1)
  insertWelcomeCode(ctx.store, {
    hash: sha256(code),
    user_id: userId,
    introduces: Number(introduces),
    anywhere: Number(anywhere),
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + hour).toISOString(),
  })
  return code
}

/**
 * The user of a code, whether they have yet to tell their name and e-mail address, and whether its
 * page opens on other machines.
 */
type Welcomed = { user: UserRow; introduces: boolean; anywhere: boolean }

/** Returns the address of the page of a code. `base` is the public URL. */
export const welcomeUrl = (base: string, code: string): string => `${base}/app/welcome?code=${code}`

/** Returns whom a code signs in, without using it up; undefined for a code that is not valid. */
export function findWelcomed(ctx: Context, code: string): Welcomed | undefined {
  const row = findWelcomeCode(ctx.store, sha256(code), ctx.now().toISOString())
  const user = row && findUser(ctx.store, row.user_id)
  return (
    user && {
      user,
      introduces: row?.introduces === 1 && user.email === null,
      anywhere: row?.anywhere === 1,
    }
  )
}

/** Returns whether an e-mail address is that of another user than this one. */
export const isAddressOfAnother = (ctx: Context, email: string, userId: string): boolean =>
  listUsersByEmail(ctx.store, email).some(({ id }) => id !== userId)

type Welcome = {
  code: string
  /** What the user says about themselves. */
  person?: { displayName: string; email: string } | undefined
}

/**
 * Uses a code up: saves what the user says about themselves, and opens a session. Of several that
 * use one code at the same time, one gets a session, the others undefined; so does one whose e-mail
 * address is that of another user. Call inside a transaction.
 */
export function takeWelcome(
  ctx: Context,
  { code, person }: Welcome,
  browser: Browser,
  origin: Origin,
): { user: UserRow; secret: string } | undefined {
  const welcomed = findWelcomed(ctx, code)
  if (!welcomed) return undefined
  const { user } = welcomed
  if (person && isAddressOfAnother(ctx, person.email, user.id)) return undefined
  if (!removeWelcomeCode(ctx.store, sha256(code))) return undefined
  if (person)
    changeUser(
      ctx,
      user,
      { display_name: person.displayName, confirmed_email: person.email },
      { userId: user.id, origin },
    )
  return { user, secret: openOwnSession(ctx, user.id, browser, origin).secret }
}
