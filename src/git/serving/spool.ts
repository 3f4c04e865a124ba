import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { randomId } from '../../lib/digest.ts'
import { freeBytes } from '../../lib/free-bytes.ts'
import { fileError, GitError } from '../values/errors.ts'

/** Up to this many bytes stay in memory. */
const memoryBytes = 64 * 1024
/** The most bytes of one read. */
const readBytes = 256 * 1024
/** A spool leaves this much of the disk free, and looks after each of so many bytes. */
const leastFree = 256 * 1024 ** 2
const lookBytes = 16 * 1024 ** 2

/**
 * An answer that one writer appends to and several readers read from its beginning, each at its own speed. Larger ones
 * are in a file without a name, of which a crash leaves nothing.
 */
export class Spool {
  readonly #folder: string
  #head: Buffer[] = []
  #file: FileHandle | undefined
  #bytes = 0
  #looked = 0
  #end: 'done' | { error: unknown } | undefined
  #waiting: (() => void)[] = []
  #closed: Promise<void> | undefined

  /** `folder` is created when the answer needs a file. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** The number of bytes written. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether no more bytes will come. */
  get ended(): boolean {
    return this.#end !== undefined
  }

  /** Appends bytes; do not append again before it returns. Throws GitError 'no_space'. */
  async append(chunk: Buffer): Promise<void> {
    if (!this.#file && this.#bytes + chunk.length > memoryBytes) await this.#moveToFile()
    if (this.#file) await this.#write(chunk, this.#bytes)
    else this.#head.push(chunk)
    this.#bytes += chunk.length
    this.#wake()
  }

  /** Ends the answer; with an error, readers throw it after the bytes that were written. */
  end(error?: unknown): void {
    this.#end ??= error === undefined ? 'done' : { error }
    this.#wake()
  }

  /** Yields the bytes from the beginning, as they come. Throws the error that the answer ended with. */
  async *read(): AsyncGenerator<Buffer, void, undefined> {
    let at = 0
    for (;;) {
      if (at < this.#bytes) {
        if (this.#closed) throw closed()
        const chunk = this.#file
          ? await this.#readFile(this.#file, at)
          : Buffer.concat(this.#head).subarray(at)
        at += chunk.length
        yield chunk
      } else if (this.#end === undefined) await new Promise<void>(resolve => this.#waiting.push(resolve))
      else if (this.#end === 'done') return
      else throw this.#end.error
    }
  }

  /** Removes the bytes. Call it when there is no reader left. */
  close(): Promise<void> {
    this.end(closed())
    this.#closed ??= this.#file?.close() ?? Promise.resolve()
    this.#head = []
    return this.#closed
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }

  /** Readers use the memory until the file holds the same bytes. */
  async #moveToFile(): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      const name = join(this.#folder, `fetch-${randomId(12)}`)
      const file = await open(name, 'wx+', 0o600)
      try {
        await unlink(name)
        const head = Buffer.concat(this.#head)
        await file.write(head, 0, head.length, 0)
      } catch (error) {
        await file.close()
        throw error
      }
      if (this.#closed) await file.close()
      else this.#file = file
      this.#head = []
    } catch (error) {
      throw fileError('keep the answer to a fetch', error)
    }
    if (!this.#file) throw closed()
  }

  async #write(chunk: Buffer, at: number): Promise<void> {
    if (at >= this.#looked) {
      if (freeBytes(this.#folder) < leastFree)
        throw new GitError('no_space', 'The disk of the server is almost full.')
      this.#looked = at + lookBytes
    }
    try {
      for (let written = 0; written < chunk.length; ) {
        const step = await this.#file!.write(chunk, written, chunk.length - written, at + written)
        written += step.bytesWritten
      }
    } catch (error) {
      throw fileError('keep the answer to a fetch', error)
    }
  }

  async #readFile(file: FileHandle, at: number): Promise<Buffer> {
    const size = Math.min(readBytes, this.#bytes - at)
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(size), 0, size, at)
    if (bytesRead === 0) throw new GitError('failed', 'The answer to a fetch cannot be read back.')
    return buffer.subarray(0, bytesRead)
  }
}

const closed = (): GitError => new GitError('aborted', 'The answer was closed.')
