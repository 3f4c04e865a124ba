import { fstatSync } from 'node:fs'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { randomId } from '../../lib/digest.ts'
import { freeBytes } from '../../lib/free-bytes.ts'
import type { OutputFile } from '../process/child.ts'
import { fileError, GitError } from '../values/errors.ts'

/** The most bytes of one read. */
const readBytes = 256 * 1024
/**
 * A spool of more than `fewBytes` checks its share of the disk, and that `leastFree` bytes stay
 * free, after every `lookBytes`.
 */
const leastFree = 256 * 1024 ** 2
const fewBytes = 1024 ** 2
const lookBytes = 16 * 1024 ** 2
/**
 * Milliseconds after which the size of the file is looked at again: few while it grows, more while
 * it does not.
 */
const pause = { least: 1, most: 20, growth: 1.5 }

/**
 * An answer in a file without a name, of which a crash leaves nothing. A program writes it, so that
 * its bytes do not pass through this process, or this process appends to it; several readers read
 * it from its beginning, each at its own speed.
 */
export class Spool {
  readonly #folder: string
  readonly #failed: () => void
  readonly #checkShare: () => void
  #file: FileHandle | undefined
  #bytes = 0
  /** The room is looked at again when there are more bytes. */
  #checked = fewBytes
  #timer: NodeJS.Timeout | undefined
  #end: 'done' | { error: unknown } | undefined
  #waiting: (() => void)[] = []
  #closed: Promise<void> | undefined

  /**
   * Creates `folder` if needed. `checkShare` throws GitError if the answer may not grow. That ends
   * the answer, as an almost full disk does, and `failed` is called.
   */
  constructor(folder: string, failed: () => void = () => {}, checkShare: () => void = () => {}) {
    this.#folder = folder
    this.#failed = failed
    this.#checkShare = checkShare
  }

  /** The number of bytes that were written. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether no more bytes will come. */
  get ended(): boolean {
    return this.#end !== undefined
  }

  /**
   * Makes the file, and follows it as it grows. Throws GitError 'no_space', and 'aborted' once the
   * answer has ended.
   */
  async open(): Promise<OutputFile> {
    try {
      const path = join(this.#folder, `fetch-${randomId(12)}`)
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      const file = await open(path, 'wx+', 0o600)
      const forget = () => unlink(path).catch(() => {})

      if (this.#end !== undefined) {
        await Promise.all([forget(), file.close()])
        throw closed()
      }

      this.#file = file
      this.#follow(pause.least)

      return { path, fd: file.fd, forget }
    } catch (error) {
      throw fileError('keep the answer to a fetch', error)
    }
  }

  /** Returns the first bytes, at most this many, of what a program has written. */
  async beginning(most: number): Promise<Buffer> {
    this.#measure()
    const read = await this.#file?.read(Buffer.alloc(most), 0, most, 0)
    return read?.buffer.subarray(0, read.bytesRead) ?? Buffer.alloc(0)
  }

  /**
   * Appends bytes, and wakes the readers. No program may be writing. Throws GitError 'no_space',
   * and 'aborted' once the answer has ended.
   */
  async append(bytes: Buffer): Promise<void> {
    try {
      for (let at = 0; at < bytes.length; ) {
        if (!this.#file || this.#end !== undefined) throw closed()
        this.#measure()
        at += (await this.#file.write(bytes, at, bytes.length - at, this.#bytes)).bytesWritten
      }
      if (this.#end === undefined) this.#measure()
    } catch (error) {
      throw fileError('keep the answer to a fetch', error)
    }
    this.#wake()
  }

  /** Ends the answer; with an error, readers throw it after the bytes that were written. */
  end(error?: unknown): void {
    if (this.#end === undefined) this.#measure()
    this.#end ??= error === undefined ? 'done' : { error }
    clearTimeout(this.#timer)
    this.#wake()
  }

  /**
   * Yields the bytes from the beginning, as they come. A chunk is valid until the next one is
   * requested. Throws the error that the answer ended with.
   */
  async *read(): AsyncGenerator<Buffer, void, undefined> {
    let buffer = Buffer.alloc(0)
    for (let at = 0; ; ) {
      const left = Math.min(readBytes, this.#bytes - at)
      if (left > 0) {
        if (!this.#file || this.#closed) throw closed()
        if (left > buffer.length) buffer = Buffer.allocUnsafeSlow(left)
        const { bytesRead } = await this.#file.read(buffer, 0, left, at)
        if (bytesRead === 0)
          throw new GitError('failed', 'The answer to a fetch cannot be read back.')
        at += bytesRead
        yield buffer.subarray(0, bytesRead)
      } else if (this.#end === undefined)
        await new Promise<void>(resolve => this.#waiting.push(resolve))
      else if (this.#end === 'done') return
      else throw this.#end.error
    }
  }

  /** Removes the bytes. Call it when there is no reader left. */
  close(): Promise<void> {
    this.end(closed())
    this.#closed ??= this.#file?.close() ?? Promise.resolve()
    return this.#closed
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }

  #follow(ms: number): void {
    this.#timer = setTimeout(() => {
      try {
        const isGrowing = this.#measure()
        if (isGrowing) this.#wake()
        if (this.#bytes > this.#checked) this.#checkRoom()
        if (this.#end === undefined)
          this.#follow(isGrowing ? pause.least : Math.min(pause.most, ms * pause.growth))
      } catch (error) {
        this.#stop(fileError('keep the answer to a fetch', error))
      }
    }, ms)
  }

  /** Looks at the size of the file. Returns whether it has grown. */
  #measure(): boolean {
    const before = this.#bytes
    if (this.#file) this.#bytes = fstatSync(this.#file.fd).size
    return this.#bytes > before
  }

  #checkRoom(): void {
    this.#checked = this.#bytes + lookBytes
    this.#checkShare()
    if (freeBytes(this.#folder) < leastFree)
      this.#stop(new GitError('no_space', 'The disk of the server is almost full.'))
  }

  #stop(error: unknown): void {
    // Before `end`, which would look at the file again.
    this.#end ??= { error }
    this.end()
    this.#failed()
  }
}

const closed = (): GitError => new GitError('aborted', 'The answer was closed.')
