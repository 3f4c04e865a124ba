import type { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import type { Request, Response } from 'express'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import type { BodyBudget, Hold } from '../limits/body-budget.ts'
import { addressGroup, clientAddress } from '../limits/client-address.ts'
import { bodyChunks, checkNotPacked } from './body-chunks.ts'
import { addField, decodeField } from './form.ts'
import { hasBody } from './read-body.ts'

/** A file as a form sends it. */
export type SentFile = {
  /** Its name on the computer of the sender, without folders; perhaps ''. */
  name: string
  /** Its media type, as the sender has it. */
  type: string
  /** Its largest possible size in bytes: its own is known only at its end. */
  most: number
  chunks: AsyncIterableIterator<Buffer>
}

/** What became of the file of a form; undefined for a form without one. */
export type Taken<Kept> =
  | { kept: Kept; fault?: never }
  | { kept?: never; fault: unknown }
  | undefined

type MultipartOptions<Kept> = {
  /** The most bytes of the fields, and the budget that they count against. */
  limit: number
  budget: BodyBudget
  /** The only field that takes a file, and the largest size that it can have. */
  field: string
  mostBytes: number
  /**
   * Takes the file, with the fields that came before it. After a throw, the rest of the form is
   * still read: what was typed is kept, and the browser gets the answer.
   */
  take: (file: SentFile, before: ReadonlyMap<string, string>) => Promise<Kept>
  /** Removes what was taken of a form that is found to be wrong afterwards. */
  drop: (kept: Kept) => Promise<void>
}

/** The most parts of a form, and the most bytes of the head of one. */
const mostParts = 50
const mostHeadBytes = 8_192

/** Returns whether a request sends a form that can have files. */
export const isMultipart = ({ headers }: Pick<Request, 'headers'>): boolean =>
  /^multipart\/form-data *(?:;|$)/i.test(headers['content-type'] ?? '')

/**
 * Reads a form with at most one file, which is not held in memory. Throws 'too_large', 'too_slow',
 * 'unsupported_type', what the budget throws, and 'invalid' for a form that is cut or malformed.
 */
export async function readMultipart<Kept>(
  { config: { trustProxy } }: Pick<Context, 'config'>,
  req: Request,
  res: Response,
  options: MultipartOptions<Kept>,
): Promise<{ values: ReadonlyMap<string, string>; taken: Taken<Kept> }> {
  checkNotPacked(req)
  if (!hasBody(req)) throw malformed()
  const length = Number(req.headers['content-length'] ?? Number.POSITIVE_INFINITY)
  if (length !== Number.POSITIVE_INFINITY) checkLength(options, length)
  const parser = parserOf(req)
  const sender = addressGroup(clientAddress(req, trustProxy))
  const hold = options.budget.open(sender, { inflated: false })
  res.once('close', hold.release)
  const most = Math.min(options.mostBytes, length)
  const parts = new Parts({ ...options, most, hold })

  try {
    await feed(parser, bodyChunks(req, res), parts, options)
    if (parts.values.size === 0) throw malformed()
    return { values: parts.values, taken: parts.taken }
  } catch (error) {
    await parts.abandon(error)
    throw error
  } finally {
    hold.arrived()
  }
}

type Limits = Pick<MultipartOptions<unknown>, 'limit' | 'mostBytes'>

/** A file that is somewhat too large is read to its end, so that the browser gets the answer. */
function checkLength({ limit, mostBytes }: Limits, length: number): void {
  if (length > limit + 2 * mostBytes)
    throw new Fault('too_large', 'The form is too large for this server.', undefined, {
      label: 'body_size',
    })
}

function parserOf({ headers }: Request): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': headers['content-type'] ?? '' },
      // All parts are read here: fields count as they arrive, and their bytes must be UTF-8.
      isPartAFile: () => true,
      limits: { parts: mostParts, headerPairs: 20, headerSize: mostHeadBytes },
    })
  } catch {
    throw malformed()
  }
}

/** Feeds a parser with a body until all parts of it are read. */
async function feed(
  parser: BusboyInstance,
  chunks: AsyncIterableIterator<Buffer>,
  parts: Pick<Parts<unknown>, 'add' | 'read'>,
  limits: Limits,
): Promise<void> {
  let fail: (error: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  failed.catch(() => {})
  const finished = new Promise<void>(resolve => parser.once('finish', resolve))
  parser.on('error', () => fail(malformed()))
  parser.on('partsLimit', () =>
    fail(new Fault('malformed_request', `The form has more than ${mostParts} fields.`)),
  )
  parser.on('file', (name, stream, filename, encoding, type) => {
    const head = { name: name as string | undefined, filename, encoding, type }
    parts.add(head as PartHead, stream).catch(fail)
  })
  let received = 0

  try {
    for (;;) {
      const next = await Promise.race([chunks.next(), failed])
      if (next.done) break
      received += next.value.length
      checkLength(limits, received)
      const written = new Promise(resolve => parser.write(next.value, resolve))
      await Promise.race([written, failed])
    }
    parser.end()
    await Promise.race([finished, failed])
    await Promise.race([parts.read, failed])
  } finally {
    // Not awaited: it waits for the chunk that was asked for, which may never come.
    chunks.return?.().catch(() => {})
  }
}

/** What stands above a part. Only files have a `filename`, which may be ''. */
type PartHead = {
  name: string | undefined
  filename: string | undefined
  encoding: string
  type: string
}

type Reading<Kept> = MultipartOptions<Kept> & { most: number; hold: Hold }

/** The parts of a form, which are read one after the other. */
class Parts<Kept> {
  readonly values = new Map<string, string>()
  taken: Taken<Kept>
  /** Is settled when all parts are read that were added. */
  read = Promise.resolve()
  readonly #options: Reading<Kept>
  readonly #open = new Set<Readable>()
  #hasFile = false
  #fieldBytes = 0

  constructor(options: Reading<Kept>) {
    this.#options = options
  }

  add(head: PartHead, stream: Readable): Promise<void> {
    // Without a listener, the error of a part that is cut would end the process.
    stream.on('error', () => {})
    this.#open.add(stream)
    const read = this.read.then(() => this.#part(head, stream))
    this.read = read.finally(() => this.#open.delete(stream))
    this.read.catch(() => {})
    return this.read
  }

  /** Ends what is still read, and removes what was taken. */
  async abandon(reason: unknown): Promise<void> {
    for (const stream of this.#open) stream.destroy(reason as Error)
    await this.read.catch(() => {})
    if (this.taken?.kept !== undefined) await this.#options.drop(this.taken.kept)
  }

  async #part({ name, filename, encoding, type }: PartHead, stream: Readable): Promise<void> {
    if (name === undefined) throw new Fault('malformed_request', 'A field of the form has no name.')
    if (!/^(?:7bit|8bit|binary)$/.test(encoding))
      throw new Fault(
        'unsupported_media_type',
        'Send the form without "Content-Transfer-Encoding".',
      )
    const chunks = stream.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
    if (filename === undefined) return this.#field(name, chunks)
    const first = await chunks.next()
    // This is what browsers send where no file was chosen.
    if (first.done && filename === '') return
    await this.#file(name, { name: unescaped(filename), type }, startingWith(first, chunks))
  }

  async #field(name: string, chunks: AsyncIterator<Buffer>): Promise<void> {
    const { limit, hold } = this.#options
    const all: Buffer[] = []
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      this.#fieldBytes += next.value.length
      if (this.#fieldBytes > limit) throw tooLarge(limit)
      hold.add(next.value.length)
      all.push(next.value)
    }
    addField(this.values, name, decodeField(Buffer.concat(all)))
  }

  async #file(
    field: string,
    sent: Pick<SentFile, 'name' | 'type'>,
    chunks: AsyncIterableIterator<Buffer>,
  ): Promise<void> {
    const { most, take } = this.#options
    if (field !== this.#options.field)
      throw new Fault('malformed_request', `The form takes no file as "${field.slice(0, 40)}".`)
    if (this.#hasFile)
      throw new Fault('malformed_request', 'The form takes one file. Send one after the other.')
    this.#hasFile = true
    try {
      this.taken = { kept: await take({ ...sent, most, chunks }, this.values) }
    } catch (fault) {
      this.taken = { fault }
    }
    for await (const _ of chunks);
  }
}

/** Returns a name of a file without the escapes of browsers. */
const unescaped = (name: string): string =>
  name.replace(/%(?:22|0D|0A)/g, found => decodeURIComponent(found))

/** Returns chunks from the first on. What stops reading them early does not close them. */
function startingWith(
  first: IteratorResult<Buffer>,
  rest: AsyncIterator<Buffer>,
): AsyncIterableIterator<Buffer> {
  let isFirst = true
  return {
    next: async () => {
      if (!isFirst) return rest.next()
      isFirst = false
      return first
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

const tooLarge = (limit: number): Fault =>
  new Fault('too_large', `The fields of the form have more than ${limit} bytes.`, undefined, {
    label: 'body_size',
  })

const malformed = (): Fault =>
  new Fault(
    'malformed_request',
    'The form is cut or malformed: it must be complete "multipart/form-data".',
  )
