import type { Context } from '../../context.ts'
import { listIntentsOf } from '../../store/git/intents.ts'
import { lockSpace } from '../heads/open-space.ts'
import { againIfMoved } from '../journal/again-if-moved.ts'
import { settleLeftovers } from '../journal/settle-intent.ts'
import { spaceRepository } from '../repositories/space-repository.ts'

/**
 * Throws Fault 'unavailable' while a space is read-only, so that nothing is sent in vain. Like
 * every write, it first tries to finish the earlier change. Waits for a write that is under way;
 * takes no lock without one.
 */
export async function checkSpaceWritable(ctx: Context, spaceId: string): Promise<void> {
  if (listIntentsOf(ctx.store, spaceId).length === 0) return
  await lockSpace(ctx, spaceId, () =>
    againIfMoved(() => settleLeftovers(ctx, spaceRepository(ctx, spaceId), spaceId)),
  )
}
