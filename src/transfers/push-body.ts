import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Fault } from '../errors.ts'
import { ProtocolError } from '../git/protocol/protocol-error.ts'
import { GitError } from '../git/values/errors.ts'
import { isTooDense, tooDense } from '../http/limits/body-ratio.ts'

/** How long a client may send nothing, and how long a push may take in all, in milliseconds. */
const limits = { silentMs: 60_000, longestMs: 3_600_000 }

/**
 * The body of a push, read as it comes. Leaving it unread keeps the connection: a client that still
 * sends would not read an answer.
 */
export class PushBody {
  readonly #req: IncomingMessage
  readonly #stream: Readable
  readonly #chunks: AsyncIterator<Buffer>
  readonly #silentMs: number
  readonly #until: number
  readonly #isPacked: boolean
  /** The bytes that the client sent of a gzipped body. */
  #sent = 0
  /** The bytes that were read, unpacked. */
  received = 0

  /** Throws 'unsupported_type' for an encoding other than gzip. */
  constructor(req: IncomingMessage, { silentMs, longestMs }: Partial<typeof limits> = {}) {
    const encoding = String(req.headers['content-encoding'] ?? 'identity').toLowerCase()
    if (encoding !== 'identity' && encoding !== 'gzip' && encoding !== 'x-gzip')
      throw new Fault(
        'unsupported_media_type',
        'Send the push without "Content-Encoding", or with gzip.',
      )
    this.#req = req
    this.#silentMs = silentMs ?? limits.silentMs
    this.#until = performance.now() + (longestMs ?? limits.longestMs)
    this.#isPacked = encoding !== 'identity'
    this.#stream = this.#isPacked ? unpacked(req, bytes => (this.#sent += bytes)) : req
    this.#chunks = this.#stream.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  }

  /**
   * Returns the next bytes; undefined at the end. Throws GitError 'aborted' when the client is gone
   * or silent, and ProtocolError for gzip that is broken or unpacks to more than 100 times its
   * size; the rest is then unread.
   */
  async next(): Promise<Buffer | undefined> {
    const left = Math.min(this.#silentMs, this.#until - performance.now())
    let timer: NodeJS.Timeout | undefined
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => {
          this.#req.destroy() // of a gzipped body the stream alone would leave the connection open
          reject(gone())
        },
        Math.max(0, left),
      )
    })

    try {
      const step = await Promise.race([this.#chunks.next(), silence])
      if (step.done) return undefined
      this.received += step.value.length
      if (this.#isPacked && isTooDense(this.#sent, this.received))
        throw new ProtocolError(tooDense().message, 'too_large')
      return step.value
    } catch (error) {
      this.#stream.destroy()
      // Unread bytes of a complete body would block the next request on the connection.
      if (this.#req.complete) this.#req.resume()
      if (error instanceof ProtocolError) throw error
      if (isMalformed(error))
        throw new ProtocolError('The push is not in the encoding that its header names.')
      throw gone()
    } finally {
      clearTimeout(timer)
    }
  }

  /** Yields the rest of the body after these bytes. */
  async *after(first: Buffer): AsyncGenerator<Buffer, void, undefined> {
    if (first.length > 0) yield first
    for (let chunk = await this.next(); chunk; chunk = await this.next()) yield chunk
  }

  /** Reads the rest to nowhere, at most this many bytes. Returns whether it came to the end. */
  async drain(most: number): Promise<boolean> {
    const until = this.received + most
    while (this.received <= until) if (!(await this.next())) return true
    return false
  }
}

function unpacked(req: IncomingMessage, count: (bytes: number) => void): Readable {
  const gunzip = createGunzip()
  req.on('error', error => gunzip.destroy(error)).on('data', (chunk: Buffer) => count(chunk.length))
  return req.pipe(gunzip)
}

/** Returns whether zlib refused the bytes of a body. */
const isMalformed = (error: unknown): boolean =>
  /^Z_(?:DATA|BUF)_ERROR$/.test(String((error as NodeJS.ErrnoException).code))

const gone = (): GitError => new GitError('aborted', 'The client has gone.')
