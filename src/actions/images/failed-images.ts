import type { Context } from '../../context.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'

/**
 * How long to wait after a failure before an image is attempted again. Usually the image itself is
 * at fault, but a busy server or a full disk can be the cause.
 */
const pauseMs = 5 * 60_000

/** Remembers the images that could not be made, by path. */
export class FailedImages {
  readonly #failedAt = new BoundedCache<string, number>(10_000)

  /** Records that an attempt has failed. */
  add({ now }: Pick<Context, 'now'>, path: string): void {
    this.#failedAt.set(path, now().getTime(), 1)
  }

  /** Returns whether it is too early for another attempt. */
  has({ now }: Pick<Context, 'now'>, path: string): boolean {
    const failedAt = this.#failedAt.get(path)
    return failedAt !== undefined && now().getTime() < failedAt + pauseMs
  }
}
