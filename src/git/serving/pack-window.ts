import type { FileHandle } from 'node:fs/promises'
import { GitError } from '../values/errors.ts'

/**
 * A part of a pack in memory, which moves along the pack. Its memory is reused for the next pack.
 */
export class PackWindow {
  /** The bytes of the pack from `start`, `length` of them valid. */
  readonly bytes: Buffer
  start = 0
  #length = 0
  #file: FileHandle | undefined

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size)
  }

  /** Goes to the beginning of another pack. */
  use(file: FileHandle): void {
    this.#file = file
    this.start = 0
    this.#length = 0
  }

  /** Where the part in memory ends. */
  get end(): number {
    return this.start + this.#length
  }

  /** Returns whether these bytes of the pack are in memory. */
  covers(from: number, to: number): boolean {
    return from >= this.start && to <= this.end
  }

  /** Reads the part that begins at an offset. Throws GitError 'failed' at the end of the pack. */
  async moveTo(offset: number): Promise<void> {
    this.start = offset
    this.#length = 0
    const read = await this.#file?.read(this.bytes, 0, this.bytes.length, offset)
    this.#length = read?.bytesRead ?? 0
    if (this.#length === 0) throw new GitError('failed', 'A pack ends too early.')
  }
}
