import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { randomId } from '../../lib/digest.ts'
import { freeBytes } from '../../lib/free-bytes.ts'
import { fileError, GitError } from '../values/errors.ts'

/** Up to this many bytes stay in memory. */
const memoryBytes = 64 * 1024
/** The most bytes that wait for the disk while the writer goes on. */
const waitingBytes = 1024 * 1024
/** The most bytes of one read. */
const readBytes = 256 * 1024
/** A spool leaves this much of the disk free, and looks after each of so many bytes. */
const leastFree = 256 * 1024 ** 2
const lookBytes = 16 * 1024 ** 2

/**
 * An answer that one writer appends to and several readers read from its beginning, each at its own speed. Larger ones
 * are in a file without a name, of which a crash leaves nothing. The writer runs ahead of the file by up to a megabyte, which
 * readers take from memory.
 */
export class Spool {
  readonly #folder: string
  /** The bytes that are not in the file, `#bytes` - `#inFile` of them. */
  #pieces: Buffer[] = []
  #file: FileHandle | undefined
  #inFile = 0
  #bytes = 0
  #looked = 0
  #readers = 0
  #flushing: Promise<void> | undefined
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

  /**
   * Appends bytes; do not append again before it returns. Throws GitError 'no_space', perhaps for an earlier piece, and
   * 'aborted' once the answer has ended.
   */
  async append(chunk: Buffer): Promise<void> {
    if (this.#end !== undefined) throw endError(this.#end)
    this.#pieces.push(chunk)
    this.#bytes += chunk.length
    this.#wake()
    if (this.#bytes > memoryBytes) this.#flushing ??= this.#flush()
    if (this.#bytes - this.#inFile > waitingBytes) await this.finish()
  }

  /** Waits until the file has all bytes of a large answer. Throws GitError 'no_space' or 'aborted'. */
  async finish(): Promise<void> {
    await this.#flushing
    if (this.#end !== undefined) throw endError(this.#end)
  }

  /** Ends the answer; with an error, readers throw it after the bytes that were written. */
  end(error?: unknown): void {
    this.#end ??= error === undefined ? 'done' : { error }
    this.#wake()
  }

  /** Yields the bytes from the beginning, as they come. Throws the error that the answer ended with. */
  async *read(): AsyncGenerator<Buffer, void, undefined> {
    this.#readers++
    try {
      for (let at = 0; ; ) {
        if (at < this.#readable) {
          if (this.#closed) throw closed()
          const chunk = at < this.#inFile ? await this.#readFile(at) : this.#readPiece(at)
          at += chunk.length
          yield chunk
        } else if (this.#end === undefined) await new Promise<void>(resolve => this.#waiting.push(resolve))
        else if (this.#end === 'done') return
        else throw this.#end.error
      }
    } finally {
      this.#readers--
    }
  }

  /**
   * The number of bytes that can be read. Several readers take those of a large answer from the file: from memory, they would
   * all write at once, and keep other requests waiting.
   */
  get #readable(): number {
    const takesFile = this.#readers > 1 && this.#bytes > memoryBytes && this.#end === undefined
    return takesFile ? this.#inFile : this.#bytes
  }

  /** Removes the bytes. Call it when there is no reader left. */
  close(): Promise<void> {
    this.end(closed())
    this.#closed ??= this.#closeFile()
    this.#pieces = []
    return this.#closed
  }

  async #closeFile(): Promise<void> {
    await this.#flushing
    await this.#file?.close()
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }

  /** Writes what waits, and what comes meanwhile. An error ends the answer. */
  async #flush(): Promise<void> {
    try {
      const file = this.#file ?? (await this.#openFile())
      while (this.#pieces.length > 0 && !this.#closed) {
        if (this.#inFile >= this.#looked) {
          if (freeBytes(this.#folder) < leastFree)
            throw new GitError('no_space', 'The disk of the server is almost full.')
          this.#looked = this.#inFile + lookBytes
        }
        const { bytesWritten } = await file.writev([...this.#pieces], this.#inFile)
        this.#forget(bytesWritten)
      }
    } catch (error) {
      this.end(fileError('keep the answer to a fetch', error))
    } finally {
      this.#flushing = undefined
    }
  }

  /** Opens a file and removes its name. */
  async #openFile(): Promise<FileHandle> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const name = join(this.#folder, `fetch-${randomId(12)}`)
    const file = await open(name, 'wx+', 0o600)
    await unlink(name).catch(async error => {
      await file.close()
      throw error
    })
    this.#file = file
    return file
  }

  /** Forgets pieces that are in the file now. */
  #forget(bytes: number): void {
    this.#inFile += bytes
    this.#wake()
    let left = bytes
    while (left > 0) {
      const [first] = this.#pieces
      if (!first) return
      if (first.length > left) {
        this.#pieces[0] = first.subarray(left)
        return
      }
      left -= first.length
      this.#pieces.shift()
    }
  }

  #readPiece(at: number): Buffer {
    let from = at - this.#inFile
    for (const piece of this.#pieces) {
      if (from < piece.length) return piece.subarray(from)
      from -= piece.length
    }
    throw closed()
  }

  async #readFile(at: number): Promise<Buffer> {
    const size = Math.min(readBytes, this.#inFile - at)
    const { buffer, bytesRead } = await this.#file!.read(Buffer.allocUnsafeSlow(size), 0, size, at)
    if (bytesRead === 0) throw new GitError('failed', 'The answer to a fetch cannot be read back.')
    return buffer.subarray(0, bytesRead)
  }
}

const closed = (): GitError => new GitError('aborted', 'The answer was closed.')

const endError = (end: 'done' | { error: unknown }): unknown =>
  end === 'done' ? new GitError('aborted', 'The answer has ended.') : end.error
