import type { Context } from '../context.ts'

/** Everything that the server destroys, or gives up for good, because of its age. */
export const destructions = [
  'deleted spaces',
  'kept answers',
  'webhook deliveries',
  'lost repositories',
  'failing webhooks',
] as const

export type Destruction = (typeof destructions)[number]

/**
 * Returns whether data may be destroyed because its time is over. Returns false, and logs it, within an hour after the
 * clock of the machine has jumped: by a wrong clock everything is old. Every deletion that depends on a date asks here.
 */
export function mayDestroy(ctx: Pick<Context, 'destroyWait' | 'log'>, what: Destruction): boolean {
  const waitMs = ctx.destroyWait()
  if (waitMs === 0) return true
  ctx.log.warn(
    { what, minutes: Math.ceil(waitMs / 60_000) },
    'the clock of this machine has jumped, or the server was stopped for long: nothing is destroyed because of its age for an hour',
  )
  return false
}
