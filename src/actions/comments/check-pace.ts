import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { countPosted, type Posts } from '../../store/discussions/comments.ts'

const hour = 60 * 60 * 1000
/** The limit of all users together in a space, as a multiple of the limit of one user. */
const togetherMore = 10

/**
 * Returns the time of a new comment or reply. Throws 'too_many' when the limit of the last hour is
 * reached.
 */
export function checkPace(
  ctx: Context,
  { space, user }: { space: { id: string }; user: { id: string } },
): string {
  const now = ctx.now()
  const most = ctx.config.maxCommentsPerHour
  checkCount(ctx, now, { by: user.id }, most, `You have posted ${most} comments and replies`)
  const together = most * togetherMore

  checkCount(
    ctx,
    now,
    { in: space.id },
    together,
    `This space has received ${together} comments and replies`,
  )

  return now.toISOString()
}

function checkCount(ctx: Context, now: Date, posts: Posts, most: number, said: string): void {
  // Of a whole second: a transaction that runs again at once then asks for the same.
  const since = now.getTime() - hour - now.getMilliseconds()
  const { count, first } = countPosted(ctx.store, posts, new Date(since).toISOString())
  if (count < most) return
  const minutes =
    first === null ? 1 : Math.ceil((Date.parse(first) + hour - now.getTime()) / 60_000)
  throw new Fault(
    'rate_limited',
    `${said} within an hour, which is the limit. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
  )
}
