import type { Context } from '../../context.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'

/**
 * How long an image is not attempted again. Most failures are due to the image, but a busy server or a full disk causes
 * some.
 */
const pauseMs = 5 * 60_000

/** Remembers the images that could not be made, by path. */
export class FailedImages {
  readonly #failedAt = new BoundedCache<string, number>(10_000)

  add({ now }: Pick<Context, 'now'>, path: string): void {
    this.#failedAt.set(path, now().getTime(), 1)
  }

  /** Returns whether an image failed so recently that another attempt would be too early. */
  has({ now }: Pick<Context, 'now'>, path: string): boolean {
    const failedAt = this.#failedAt.get(path)
    return failedAt !== undefined && now().getTime() < failedAt + pauseMs
  }
}
