import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { findMergeBase } from '../heads/find-merge-base.ts'
import { lockSpace } from '../heads/open-space.ts'
import { againIfMoved } from '../journal/again-if-moved.ts'
import type { EditOrder } from './edit-order.ts'
import { type Edit, editTogether } from './edit-together.ts'

type Waiting = Edit & { resolve: (body: unknown) => void; reject: (error: unknown) => void }

/** The edits that wait for their space's lock, by branch, in the order of arrival. */
const editQueues = stateSlot(() => new Map<string, Waiting[]>())

/**
 * The most edits written under one hold of the lock, so that other work on the space gets its turn.
 */
const mostTogether = 16

/**
 * Applies a batch of changes to the primary content or a change request as exactly one commit; a
 * batch that changes nothing makes none. Batches that wait at the same time are applied in order
 * and written together. Throws the Fault of the first change that cannot be made, and nothing is
 * written then; 'unmet' if `ifMatch` does not name the head, 'conflict' for a change request that
 * is archived or merged.
 */
export async function editContent<Body>(ctx: Context, order: EditOrder<Body>): Promise<Body> {
  const { space, changeRequest, changes } = order
  const reverts = changes.some(
    change => change.operation === 'revert_page' && change.revision === undefined,
  )
  const origin = changeRequest && reverts ? await findMergeBase(ctx, changeRequest) : undefined

  return new Promise<Body>((resolve, reject) => {
    const branch = `${space.id} ${changeRequest?.id ?? ''}`
    const queues = ctx.caches.get(editQueues)
    const queue = queues.get(branch) ?? []
    queues.set(branch, queue)
    queue.push({ order, origin: origin ?? undefined, resolve, reject } as Waiting)
    void takeTurn(ctx, space.id, branch)
  })
}

/** Applies the edits that wait for a branch once the space's lock is free. */
async function takeTurn(ctx: Context, spaceId: string, branch: string): Promise<void> {
  let taken: Waiting[] | undefined
  try {
    await againIfMoved(() =>
      lockSpace(ctx, spaceId, async () => {
        taken ??= takeFrom(ctx, branch)
        while (taken.length > 0) {
          const outcomes = await editTogether(ctx, taken)
          for (const outcome of outcomes) {
            const { resolve, reject } = taken.shift()!
            if ('error' in outcome) reject(outcome.error)
            else resolve(outcome.body)
          }
        }
      }),
    )
  } catch (error) {
    for (const { reject } of taken ?? []) reject(error)
  }
}

/**
 * Takes the first edits off a queue. Each of the others has asked for the lock too, so none is left
 * behind.
 */
function takeFrom(ctx: Context, branch: string): Waiting[] {
  const queues = ctx.caches.get(editQueues)
  const queue = queues.get(branch) ?? []
  const taken = queue.splice(0, mostTogether)
  if (queue.length === 0) queues.delete(branch)
  return taken
}
