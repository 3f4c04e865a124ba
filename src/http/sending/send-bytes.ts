import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import { notModified } from '../conditional.ts'
import { type Bytes, headersOf } from '../endpoint.ts'
import { encode, encodingOf, isEncodable, variesByEncoding } from './ready-answer.ts'

/** Sends a reply of bytes, or 304 when the client has it. */
export async function sendBytes(req: Request, res: Response, made: Bytes): Promise<void> {
  const { bytes, etag, type } = made
  for (const [name, value] of Object.entries(headersOf(made))) res.setHeader(name, value)

  if (etag !== undefined && notModified(req.headers['if-none-match'], etag)) {
    res.status(304).end()
    return
  }

  res.setHeader('Content-Type', type ?? 'application/json; charset=utf-8')

  if (Buffer.isBuffer(bytes)) return sendEncoded(req, res, { bytes, type })

  await pipeline(Readable.from(bytes), res)
}

/** Sends bytes, large texts in the encoding that the client prefers. */
export async function sendEncoded(
  req: Request,
  res: Response,
  made: { bytes: Buffer; type: string | undefined },
): Promise<void> {
  const isEncoded = isEncodable(made)
  const encoding = isEncoded ? encodingOf(req) : 'identity'
  const sent = encoding === 'identity' ? made.bytes : await encode(made.bytes, encoding)
  if (isEncoded) res.vary(variesByEncoding.Vary)
  if (encoding !== 'identity') res.setHeader('Content-Encoding', encoding)
  res.setHeader('Content-Length', sent.length)
  res.end(sent)
}
