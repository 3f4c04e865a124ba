import { setTimeout } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { findSpace, listAllSpaces } from '../../store/spaces/spaces.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { readPushMarks, removePushMark } from '../repositories/push-marks.ts'
import { recordPushes } from './primary-head.ts'

/**
 * How long the background work pauses after a piece of work, as a multiple of the time that the
 * piece took.
 */
export const backgroundRest = 2

/**
 * Watches repositories that are pushed to or edited without a request, so that search, webhooks and
 * the audit log learn of it. A space that cannot be read is logged once.
 */
export class PushWatch {
  readonly #ctx: Context
  readonly #signal: AbortSignal | undefined
  readonly #logged = new Set<string>()

  constructor(ctx: Context, signal?: AbortSignal) {
    this.#ctx = ctx
    this.#signal = signal
  }

  /** Records new pushes to the spaces that the push hook has marked. */
  async lookAtMarked(): Promise<void> {
    const { config, store } = this.#ctx
    for (const mark of await readPushMarks(config.dataDir)) {
      if (this.#signal?.aborted) return
      const space = findSpace(store, mark.spaceId)
      const found = space && (await this.#look(space))
      if (!space || (found === 'nothing' && !mark.isNew)) await removePushMark(config.dataDir, mark)
    }
  }

  /**
   * Records what was done to any space where no hook ran, as by an edit of its folder. Reads the
   * branches of all spaces, and pauses after each. Where nodes share spaces, their folders are caches.
   */
  async lookAtAll(): Promise<void> {
    if (this.#ctx.store.isShared) return
    for (const space of listAllSpaces(this.#ctx.store)) {
      if (this.#signal?.aborted) return
      const started = performance.now()
      await this.#look(space)
      const restMs = (performance.now() - started) * backgroundRest
      const signal = this.#signal
      await setTimeout(restMs, undefined, signal && { signal }).catch(() => {})
    }
  }

  /** Records new pushes to a space, which opens it only if there are any. */
  async #look(space: SpaceRow): Promise<'recorded' | 'nothing' | 'unreadable'> {
    if (space.deleted_at !== null) return 'nothing'
    try {
      const found = await recordPushes(this.#ctx, space)
      this.#logged.delete(space.id)
      return found ? 'recorded' : 'nothing'
    } catch (error) {
      if (!this.#logged.has(space.id))
        this.#ctx.log.warn(
          { space: space.id, err: String(error) },
          'could not read the branches of a space to record pushes',
        )
      this.#logged.add(space.id)
      return 'unreadable'
    }
  }
}
