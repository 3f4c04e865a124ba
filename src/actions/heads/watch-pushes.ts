import type { Context } from '../../context.ts'
import { pauses } from '../../lib/slices.ts'
import { listAllSpaces } from '../../store/spaces/spaces.ts'
import { openSpaces } from './open-space.ts'
import { recordPushes } from './primary-head.ts'

/**
 * How long the background work pauses after opening a space, as a multiple of the time that it
 * took.
 */
export const backgroundRest = 2

/**
 * Returns a function that opens the spaces that are not opened yet and records new pushes to every
 * space, so that search, webhooks and the audit log learn of them without a request. A space that
 * cannot be read is logged once.
 */
export function watchPushes(ctx: Context, signal?: AbortSignal): () => Promise<void> {
  const logged = new Set<string>()
  return async () => {
    await openSpaces(ctx, { rest: backgroundRest, ...(signal && { signal }) })
    const pause = pauses()
    for (const space of listAllSpaces(ctx.store)) {
      if (signal?.aborted) return
      if (space.deleted_at !== null) continue

      try {
        await recordPushes(ctx, space)
        logged.delete(space.id)
      } catch (error) {
        if (!logged.has(space.id))
          ctx.log.warn(
            { space: space.id, err: String(error) },
            'could not read the branches of a space to record pushes',
          )
        logged.add(space.id)
      }

      await pause()
    }
  }
}
