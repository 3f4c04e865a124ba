import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { inSlices } from '../../lib/slices.ts'
import { removeDeletedWords } from '../../store/search/search-index.ts'

const underWay = stateSlot(() => ({ count: 0 }))

/**
 * Runs work that deletes rows of purged content, so that no bytes of them stay in files. Returns the
 * bytes of the logs that could not be written back, because another process reads.
 */
export async function erasing(ctx: Context, work: () => Promise<unknown>): Promise<number> {
  const { store } = ctx
  const state = ctx.caches.get(underWay)
  state.count++
  store.overwriteDeleted(true)
  try {
    await work()
    await inSlices(removeDeletedWords(store))
  } finally {
    state.count--
    if (state.count === 0) store.overwriteDeleted(false)
  }
  return store.checkpoint()
}
