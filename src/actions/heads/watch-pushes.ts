import type { Context } from '../../context.ts'
import { pauses } from '../../lib/slices.ts'
import { listAllSpaces } from '../../store/spaces/spaces.ts'
import { notePushes } from './reconcile-space.ts'

/**
 * Gives a function that takes note of what was pushed to any space since somebody last asked for it: search, webhooks and
 * the audit log hear of it then. A space that cannot be looked at is told once.
 */
export function watchPushes(ctx: Context, signal?: AbortSignal): () => Promise<void> {
  const told = new Set<string>()
  return async () => {
    const pause = pauses()
    for (const space of listAllSpaces(ctx.store)) {
      if (signal?.aborted) return
      if (space.deleted_at !== null) continue
      try {
        await notePushes(ctx, space)
        told.delete(space.id)
      } catch (error) {
        if (!told.has(space.id))
          ctx.log.warn(
            { space: space.id, err: String(error) },
            'what was pushed to a space cannot be read now',
          )
        told.add(space.id)
      }
      await pause()
    }
  }
}
