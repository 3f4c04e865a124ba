import type { IncomingMessage, ServerResponse } from 'node:http'
import { createGunzip, createInflate, type Gunzip, type Inflate } from 'node:zlib'
import { Fault } from '../../errors.ts'
import type { BodyBudget, Hold } from '../limits/body-budget.ts'
import { isTooDense, tooDense } from '../limits/body-ratio.ts'

/** How long a body may take before the minimum rate applies, in milliseconds. */
const graceMs = 10_000
/** The minimum rate from then on, in bytes per second since the start. */
const leastRate = 64 * 1024
/** The interval between checks of the rate, in milliseconds. */
const lookMs = 1_000
const blockBytes = 16 * 1024

type BodyOptions = {
  budget: BodyBudget
  /** The user whose share of the budget the body counts against. */
  userId: string
  /** The maximum size in bytes, also after decompression. */
  limit: number
  /** Shortens `graceMs` in tests. */
  grace?: number
}

/**
 * Reads the body of a request, decompressed. Its memory counts against the budget until the
 * response is closed. Throws a Fault 'too_large', 'too_many', 'unavailable', 'too_slow',
 * 'unsupported_type' or 'invalid' as early as possible, with the rest unread.
 */
export async function readBody(
  req: IncomingMessage,
  res: ServerResponse,
  { budget, userId, limit, grace = graceMs }: BodyOptions,
): Promise<Buffer> {
  const encoding = encodingOf(req)
  if (!hasBody(req)) return nothing
  if (Number(req.headers['content-length']) > limit) throw tooLarge(limit)

  const hold = budget.open(userId, { inflated: encoding !== 'identity' })

  res.once('close', hold.release)

  try {
    askForBody(req, res)
    return await receive(req, { encoding, limit, grace, hold })
  } finally {
    hold.arrived()
  }
}

/** Returns whether the headers of a request announce a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const nothing = Buffer.alloc(0)
const waiting = new WeakSet<IncomingMessage>()

/** Records that a client waits for "100 Continue" before it sends the body. */
export const expectsContinue = (req: IncomingMessage): void => void waiting.add(req)

/** Sends "100 Continue" to a client that waits for it. */
export function askForBody(req: IncomingMessage, res: ServerResponse): void {
  if (waiting.delete(req)) res.writeContinue()
}

type Encoding = 'identity' | 'gzip' | 'deflate'

function encodingOf({ headers }: IncomingMessage): Encoding {
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity'
  if (encoding === 'identity' || encoding === 'gzip' || encoding === 'deflate') return encoding
  throw new Fault(
    'unsupported_media_type',
    'The body has an unsupported encoding. Send it with gzip or deflate, or uncompressed.',
  )
}

const tooLarge = (limit: number) =>
  new Fault(
    'too_large',
    `The body is too large. This operation takes up to ${limit} bytes.`,
    undefined,
    {
      label: 'body_size',
    },
  )

const unpackers = { identity: () => undefined, gzip: createGunzip, deflate: createInflate }

/** Ends an unpacker of a request. What it reports from now on is not heard. */
function drop(req: IncomingMessage, unpack: Gunzip | Inflate): void {
  req.unpipe(unpack)
  unpack.on('error', () => {}).destroy()
}

type Receiving = { encoding: Encoding; limit: number; grace: number; hold: Hold }

/** Returns the fault for a body whose connection was closed before its end. */
export const cutShort = (): Fault =>
  new Fault('malformed_request', 'The connection was closed before the whole body arrived.')

function receive(
  req: IncomingMessage,
  { encoding, limit, grace, hold }: Receiving,
): Promise<Buffer> {
  const unpack = unpackers[encoding]()
  const source = unpack ?? req
  const blocks = new Blocks()
  let sent = 0

  return new Promise((resolve, reject) => {
    const slow = slowness(() => sent, grace)
    slow.failed.catch(error => end(error))
    const countSent = (chunk: Buffer) => {
      sent += chunk.length
    }
    const take = (chunk: Buffer) => {
      try {
        if (blocks.length + chunk.length > limit) throw tooLarge(limit)
        if (unpack && isTooDense(sent, blocks.length + chunk.length)) throw tooDense()
        hold.add(chunk.length)
        blocks.add(chunk)
      } catch (error) {
        end(error)
      }
    }
    const finish = () => end(undefined)
    const gone = () => {
      // Decompression may continue after the last byte was read.
      if (!req.complete) end(cutShort())
    }
    const broken = () =>
      end(new Fault('malformed_request', `The body is not valid ${encoding} data.`))
    const end = (error: unknown) => {
      slow.end()
      req
        .off('data', countSent)
        .off('data', take)
        .off('end', finish)
        .off('close', gone)
        .off('error', gone)

      if (unpack) {
        unpack.off('data', take).off('end', finish).off('error', broken)
        drop(req, unpack)
      }

      // Unread bytes of a complete body would block the next request on the connection.
      if (req.complete) req.resume()
      else req.pause()
      if (error === undefined) resolve(blocks.whole())
      else reject(error)
    }

    req.on('close', gone).on('error', gone)

    if (unpack) {
      req.on('data', countSent).pipe(unpack)
      unpack.on('error', broken)
    } else req.on('data', countSent)

    source.on('data', take).on('end', finish)
  })
}

/**
 * Watches how fast a body arrives. `failed` is rejected with 'too_slow' when too few bytes have
 * arrived by then; `end` ends the watch.
 */
export function slowness(
  received: () => number,
  grace = graceMs,
): { failed: Promise<never>; end: () => void } {
  const start = performance.now()
  let timer: NodeJS.Timeout | undefined
  const failed = new Promise<never>((_, reject) => {
    timer = setInterval(
      () => {
        const ms = performance.now() - start
        if (received() < ((ms - grace) / 1000) * leastRate) reject(tooSlow())
      },
      Math.min(lookMs, grace),
    ).unref()
  })
  failed.catch(() => {})

  return { failed, end: () => clearInterval(timer) }
}

const tooSlow = () =>
  new Fault(
    'body_too_slow',
    'The body arrived too slowly. Try again over a faster connection.',
    undefined,
    {
      label: 'slow_body',
    },
  )

/**
 * A list of received bytes. Small chunks are copied together: as separate buffers they would take
 * far more memory than their bytes.
 */
class Blocks {
  readonly #blocks: Buffer[] = []
  #open = nothing
  #used = 0
  length = 0

  add(chunk: Buffer): void {
    this.length += chunk.length

    if (chunk.length >= blockBytes / 4 || (this.length === chunk.length && chunk.length > 0)) {
      this.#close()
      this.#blocks.push(chunk)
      return
    }

    if (this.#used + chunk.length > this.#open.length) {
      this.#close()
      this.#open = Buffer.allocUnsafeSlow(blockBytes)
    }

    this.#used += chunk.copy(this.#open, this.#used)
  }

  whole(): Buffer {
    this.#close()
    const [first] = this.#blocks
    return this.#blocks.length === 1 && first ? first : Buffer.concat(this.#blocks, this.length)
  }

  #close(): void {
    if (this.#used > 0) this.#blocks.push(this.#open.subarray(0, this.#used))
    this.#open = nothing
    this.#used = 0
  }
}
