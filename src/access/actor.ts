import type { Context } from '../context.ts'
import { Fault } from '../errors.ts'
import { sha256 } from '../lib/digest.ts'
import { findTokenByHash } from '../store/people/tokens.ts'
import { findUser } from '../store/people/users.ts'
import type { TokenRow, UserRow } from '../store/tables/rows.ts'
import type { Actor } from './asker.ts'

type Holder = { token?: TokenRow | undefined; user?: UserRow | undefined }

const anonymous: Holder = {}

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
 * Returns the caller that an Authorization header identifies; anonymous without one. Throws 'unauthenticated' for an
 * unusable token, without telling whether it is unknown, expired or revoked.
 */
export function findActor(ctx: Context, header: string | undefined): Actor {
  if (header === undefined) return { type: 'anonymous' }
  const secret = header.length <= 512 ? /^bearer (\S+)$/i.exec(header)?.[1] : undefined
  const { token, user } = secret === undefined ? anonymous : findHolder(ctx, sha256(secret))
  const now = Date.now()
  const expired = token?.expires_at ? Date.parse(token.expires_at) <= now : false
  if (!token || !user || token.revoked_at !== null || expired) {
    // For the log and the metrics only: the response is the same for all.
    const reason = secret === undefined ? 'malformed' : expired ? 'expired' : token ? 'revoked' : 'unknown'
    throw new Fault(
      'unauthenticated',
      'The token cannot be used. Send "Authorization: Bearer <token>" with a valid token.',
      undefined,
      { reason },
    )
  }
  ctx.tokenUses.note(token.id, now)
  return { type: 'user', user, token }
}

/**
 * Returns until when an actor's token is valid without another check, in milliseconds since 1970, unless its row
 * changes.
 */
export function goodUntil(actor: Actor): number {
  if (actor.type === 'anonymous') return 0
  if (actor.type === 'reader') return actor.until
  const { expires_at } = actor.token
  return expires_at ? Date.parse(expires_at) : Number.POSITIVE_INFINITY
}
