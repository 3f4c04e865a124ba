import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants, gunzip, gzip } from 'node:zlib'
import { answerHeaders } from '../answer-headers.ts'
import { notModified } from '../conditional.ts'

export type Encoding = 'br' | 'gzip' | 'identity'

type Coder = (bytes: Buffer) => Promise<Buffer>
const same: Coder = async bytes => bytes
const brotli = promisify(brotliCompress)

const coders: Readonly<Record<Encoding, { pack: Coder; unpack: Coder }>> = {
  br: {
    pack: bytes =>
      brotli(bytes, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: 5,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        },
      }),
    unpack: promisify<Buffer, Buffer>(brotliDecompress),
  },
  gzip: { pack: promisify<Buffer, Buffer>(gzip), unpack: promisify<Buffer, Buffer>(gunzip) },
  identity: { pack: same, unpack: same },
}

const takes = (name: string): RegExp =>
  new RegExp(`(?:^|,)\\s*${name}\\s*(?:$|,|;(?!\\s*q=0(?:\\.0*)?\\s*(?:,|$)))`)
const takesBrotli = takes('br')
const takesGzip = takes('gzip')

/** Returns the encoding that a client prefers among those that are offered. */
export function encodingOf({ headers }: Pick<IncomingMessage, 'headers'>): Encoding {
  const accepted = String(headers['accept-encoding'] ?? '').toLowerCase()
  return takesBrotli.test(accepted) ? 'br' : takesGzip.test(accepted) ? 'gzip' : 'identity'
}

/** From this size on, in bytes, an answer of text is sent in the encoding that its client prefers. */
const leastEncoded = 16_384

/** Returns whether an answer of bytes is large and of text; JSON by default. */
export const isEncodable = ({
  bytes,
  type,
}: {
  bytes: Buffer
  type?: string | undefined
}): boolean => bytes.length >= leastEncoded && (type === undefined || /^text\/|json/.test(type))

export const variesByEncoding = { Vary: 'Accept-Encoding' } as const

/** Returns bytes in an encoding. */
export const encode = (bytes: Buffer, encoding: Encoding): Promise<Buffer> =>
  coders[encoding].pack(bytes)

/** The estimated weight of an answer beside its bytes and headers, in bytes. */
const overhead = 1_000

/** Bytes in one encoding, with the headers of an answer: name and value in turn. */
type Form = { readonly bytes: Buffer; readonly head: readonly string[] }

type ReadyOptions = {
  status: number
  /** The ETag without quotes. */
  etag: string
  /** JSON by default. */
  type?: string | undefined
  bytes: Buffer
  headers: Readonly<Record<string, string>>
  /** Whether it is sent in the encoding that the client prefers. */
  isEncoded?: boolean
}

/**
 * An answer that can be sent any number of times. Its bytes are encoded with brotli or gzip once,
 * when a client first asks for it; plain bytes stay if a client asked for them.
 */
export class ReadyAnswer {
  readonly status: number
  readonly etag: string
  /** Called when its weight has changed. */
  onWeight: (() => void) | undefined
  readonly #isEncoded: boolean
  /** The headers of a 304, in the form that is the fastest for `writeHead`. */
  readonly #known: readonly string[]
  readonly #type: string
  readonly #forms = new Map<Encoding, Form>()
  readonly #making = new Map<Encoding, Promise<void>>()
  /** The bytes from which other forms are made. */
  #source: { bytes: Buffer; encoding: Encoding }

  constructor({ status, etag, type, bytes, headers, isEncoded = false }: ReadyOptions) {
    this.status = status
    this.etag = etag
    this.#isEncoded = isEncoded
    this.#known = Object.entries({ ...answerHeaders, ...headers, ETag: `"${etag}"` }).flat()
    this.#type = type ?? 'application/json; charset=utf-8'
    this.#source = { bytes, encoding: 'identity' }
    if (!isEncoded) this.#forms.set('identity', this.#formOf(bytes, 'identity'))
  }

  /** The estimated memory that it takes, in bytes. */
  get weight(): number {
    const forms = this.#forms.size === 0 ? [this.#source] : [...this.#forms.values()]
    const headers = this.#known.join('').length
    return forms.reduce((sum, { bytes }) => sum + bytes.length, headers + overhead)
  }

  /**
   * Returns what a request is sent: this answer or a 304; undefined if the encoding for its client
   * has to be made first.
   */
  choose(
    req: IncomingMessage,
  ): { status: number; head: readonly string[]; bytes?: Buffer } | undefined {
    if (this.status === 200 && notModified(req.headers['if-none-match'], this.etag))
      return { status: 304, head: this.#known }
    const form = this.#forms.get(this.#isEncoded ? encodingOf(req) : 'identity')
    if (!form) return undefined
    const { head, bytes } = form
    return req.method === 'HEAD'
      ? { status: this.status, head }
      : { status: this.status, head, bytes }
  }

  /** Makes the encoding that a client prefers. */
  async encode(encoding: Encoding): Promise<void> {
    if (!this.#isEncoded || this.#forms.has(encoding)) return
    const making = this.#making.get(encoding) ?? this.#make(encoding)
    this.#making.set(encoding, making)
    await making.finally(() => this.#making.delete(encoding))
  }

  async #make(encoding: Encoding): Promise<void> {
    const { bytes, encoding: from } = this.#source
    const plain = await coders[from].unpack(bytes)
    const form = this.#formOf(await coders[encoding].pack(plain), encoding)
    this.#forms.set(encoding, form)
    this.#source = { bytes: form.bytes, encoding }
    this.onWeight?.()
  }

  #formOf(bytes: Buffer, encoding: Encoding): Form {
    const coding = encoding === 'identity' ? [] : ['Content-Encoding', encoding]
    const length = ['Content-Length', String(bytes.length)]
    return { bytes, head: [...this.#known, 'Content-Type', this.#type, ...coding, ...length] }
  }
}

/**
 * Sends an answer, or 304 when the client has it, before Express sees the request, with headers of
 * this request (`own`, name and value in turn). Returns what was sent; undefined if its encoding has to be made first.
 */
export function sendAtOnce(
  req: IncomingMessage,
  res: ServerResponse,
  answer: ReadyAnswer,
  own: readonly string[],
): { status: number; bytes?: Buffer } | undefined {
  const sent = answer.choose(req)
  if (!sent) return undefined
  res.writeHead(sent.status, own.concat(sent.head))
  res.end(sent.bytes)
  return sent
}

/** Sends an answer in the encoding that the client prefers, or 304 when the client has it. */
export async function sendReady(
  req: IncomingMessage,
  res: ServerResponse,
  answer: ReadyAnswer,
): Promise<void> {
  if (!answer.choose(req)) await answer.encode(encodingOf(req))
  const { status, head, bytes } = answer.choose(req)!

  // Headers stay changeable: a refusal may take the place of the answer.
  res.statusCode = status
  const varies = res.getHeader('Vary')
  for (let at = 0; at < head.length; at += 2) res.setHeader(head[at]!, head[at + 1]!)
  if (varies) res.appendHeader('Vary', String(varies))
  res.end(bytes)
}
