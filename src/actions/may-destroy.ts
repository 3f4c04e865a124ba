import type { Context } from '../context.ts'

/** Everything that the server deletes or abandons because of its age. */
export const destructions = [
  'deleted spaces',
  'kept answers',
  'expired sign-ins',
  'unused uploads',
  'import runs',
  'events of sites',
  'digests of readers',
  'webhook deliveries',
  'lost repositories',
  'failing webhooks',
] as const

export type Destruction = (typeof destructions)[number]

/**
 * Returns whether data may be deleted because of its age. Returns false, and logs it, within an
 * hour after the machine's clock has jumped: to a wrong clock everything is old. Every deletion by
 * date must ask here.
 */
export function mayDestroy(ctx: Pick<Context, 'destroyWait' | 'log'>, what: Destruction): boolean {
  const waitMs = ctx.destroyWait()
  if (waitMs === 0) return true
  ctx.log.warn(
    { what, minutes: Math.ceil(waitMs / 60_000) },
    'the clock of this machine has jumped, or the server was stopped for a long time: nothing is deleted because of its age for an hour',
  )
  return false
}
