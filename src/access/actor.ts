import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { sha256 } from '../lib/digest.ts'
import { findTokenByHash } from '../store/people/tokens.ts'
import { findUser } from '../store/people/users.ts'
import type { TokenRow, UserRow } from '../store/tables/rows.ts'
import type { Actor } from './asker.ts'
import { findReader } from './reader.ts'
import { isReadingToken } from './reading-token.ts'
import { isStillSignedIn } from './sign-in.ts'

type Holder = { token?: TokenRow | undefined; user?: UserRow | undefined }

/**
 * The longest Authorization header with the token of a user. Reading tokens may fill the headers of
 * a request.
 */
const longestUserHeader = 512

const findHolder = (ctx: Context, hash: string): Holder =>
  ctx.store.remember(
    `token ${hash}`,
    () => {
      const token = findTokenByHash(ctx.store, hash)
      return { token, user: token && findUser(ctx.store, token.user_id) }
    },
    {},
  )

/**
 * Returns the caller that an Authorization header identifies: a user, a reader for a reading token,
 * anonymous without a header. Throws 'unauthenticated' for an unusable token, without telling
 * whether it is unknown, expired or revoked.
 */
export function findActor(ctx: Context, header: string | undefined): Actor {
  if (header === undefined) return { type: 'anonymous' }
  const secret = /^bearer (\S+)$/i.exec(header)?.[1]
  if (secret !== undefined && isReadingToken(secret)) {
    const found = findReader(ctx, secret)
    if ('unusable' in found) throw unusable(found.unusable)
    if (found.preview?.linkId !== undefined) throw unusable('unknown')
    return { ...found, tokenId: sha256(secret) }
  }

  if (secret === undefined || header.length > longestUserHeader) throw unusable('malformed')

  return findTokenUser(ctx, secret)
}

function findTokenUser(ctx: Context, secret: string): Actor {
  const { token, user } = findHolder(ctx, sha256(secret))
  const now = ctx.store.time
  if (!token || !user) throw unusable('unknown')
  const reason = whyUnusable(ctx, token, now)
  if (reason !== undefined) throw unusable(reason)
  ctx.tokenUses.note(token.id, now)
  return { type: 'user', user, token }
}

/** Returns why a token cannot be used at a time in milliseconds since 1970; undefined if it can. */
export function whyUnusable(
  ctx: Context,
  token: TokenRow,
  now: number,
): 'expired' | 'revoked' | 'signed-out' | undefined {
  if (token.expires_at && Date.parse(token.expires_at) <= now) return 'expired'
  if (token.revoked_at !== null) return 'revoked'
  return isStillSignedIn(ctx, token) ? undefined : 'signed-out'
}

/** `reason` is for the log and the metrics only: the response is the same for all. */
const unusable = (reason: 'malformed' | 'unknown' | 'expired' | 'revoked' | 'signed-out'): Fault =>
  new Fault(
    'token_unusable',
    'The token cannot be used. Send "Authorization: Bearer <token>" with a valid token.',
    undefined,
    { label: reason },
  )

/**
 * Returns until when an actor's token is valid without another check, in milliseconds since 1970,
 * unless its row changes.
 */
export function goodUntil(actor: Actor): number {
  if (actor.type === 'anonymous') return 0
  if (actor.type === 'reader') return actor.until
  const { expires_at } = actor.token
  return expires_at ? Date.parse(expires_at) : Number.POSITIVE_INFINITY
}
