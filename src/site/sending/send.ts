import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib'
import type { Request, Response } from 'express'
import { notModified } from '../../http/conditional.ts'
import { sha256 } from '../../lib/digest.ts'
import type { Made } from './made.ts'

const brotli = promisify(brotliCompress)
const unbrotli = promisify(brotliDecompress)
const zip = promisify(gzip)

/** Shorter bodies are sent as they are. */
const shortest = 600

/** A compressed answer, which can be kept. */
export type Packed = {
  status: number
  etag: string
  /** Compressed with brotli; shorter ones as they are. */
  bytes: Buffer
  isPlain: boolean
  headers: Readonly<Record<string, string>>
  /** Compressed with gzip, once a client has asked for that. */
  gzip?: Buffer
}

/** Compresses an answer. */
export async function pack({ status, type, body, headers }: Made): Promise<Packed> {
  const plain = Buffer.from(body)
  const isPlain = plain.length < shortest
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 5,
    [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
  }
  const bytes = isPlain ? plain : await brotli(plain, { params })

  return {
    status,
    etag: sha256(body).slice(0, 22),
    bytes,
    isPlain,
    headers: { ...headers, 'Content-Type': type },
  }
}

export type Encoding = 'br' | 'gzip' | 'identity'

const takes = (name: string): RegExp =>
  new RegExp(`(?:^|,)\\s*${name}\\s*(?:$|,|;(?!\\s*q=0(?:\\.0*)?\\s*(?:,|$)))`)
const takesBrotli = takes('br')
const takesGzip = takes('gzip')

/** Returns the encoding that a client prefers among those that are offered. */
export function encodingOf(header: string | undefined): Encoding {
  const accepted = (header ?? '').toLowerCase()
  return takesBrotli.test(accepted) ? 'br' : takesGzip.test(accepted) ? 'gzip' : 'identity'
}

type Encoded = { bytes: Buffer; encoding: Encoding }

/**
 * Returns the bytes of an answer in an encoding, and that encoding, if they are there: short
 * answers have none.
 */
export function encodedAtOnce(
  { bytes, isPlain, gzip }: Pick<Packed, 'bytes' | 'isPlain' | 'gzip'>,
  encoding: Encoding,
): Encoded | undefined {
  if (isPlain) return { bytes, encoding: 'identity' }
  if (encoding === 'br') return { bytes, encoding }
  return encoding === 'gzip' && gzip ? { bytes: gzip, encoding } : undefined
}

/** The answers that are being compressed with gzip. */
const zipping = new WeakMap<Packed, Promise<Buffer>>()

/** Returns the bytes of an answer in an encoding, and that encoding: short answers have none. */
export async function encoded(packed: Packed, encoding: Encoding): Promise<Encoded> {
  const known = encodedAtOnce(packed, encoding)
  if (known) return known
  if (encoding !== 'gzip') return { bytes: await unbrotli(packed.bytes), encoding }
  const making = zipping.get(packed) ?? unbrotli(packed.bytes).then(plain => zip(plain))
  zipping.set(packed, making)
  packed.gzip = await making
  return { bytes: packed.gzip, encoding }
}

/** Sends an answer, or 304 when the client has it. */
export async function sendPacked(req: Request, res: Response, packed: Packed): Promise<void> {
  res.set({ ...packed.headers, ETag: `"${packed.etag}"` })

  if (packed.status === 200 && notModified(req.headers['if-none-match'], packed.etag)) {
    res.removeHeader('Content-Type')
    res.status(304).end()
    return
  }

  const { bytes, encoding } = await encoded(
    packed,
    encodingOf(String(req.headers['accept-encoding'] ?? '')),
  )
  if (encoding !== 'identity') res.set('Content-Encoding', encoding)
  res.status(packed.status).set('Content-Length', String(bytes.length))
  res.end(req.method === 'HEAD' ? undefined : bytes)
}
