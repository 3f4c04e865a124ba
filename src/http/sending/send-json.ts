import type { Request, Response } from 'express'
import { etagOf, notModified } from '../conditional.ts'
import { sendEncoded } from './send-bytes.ts'

/** An answer of JSON that is made for one request. Without a body, it is the status alone. */
export type Sendable = {
  status: number
  body: string | undefined
  headers: Record<string, string>
}

/**
 * Sends an answer of JSON: to a read with an ETag, or 304 when the client has it, and a large one
 * in the encoding that the client prefers.
 */
export async function sendJson(req: Request, res: Response, made: Sendable): Promise<void> {
  // Some of these answers contain secrets, and all contain rows that others may change.
  res.setHeader('Cache-Control', 'no-store')
  for (const name in made.headers) res.setHeader(name, made.headers[name] as string)
  res.statusCode = made.status

  if (made.body === undefined) {
    res.end()
    return
  }

  const bytes = Buffer.from(made.body)
  const isRead = made.status === 200 && (req.method === 'GET' || req.method === 'HEAD')

  if (isRead) {
    const etag = etagOf(bytes)
    res.setHeader('ETag', `"${etag}"`)
    if (notModified(req.headers['if-none-match'], etag)) {
      res.statusCode = 304
      res.end()
      return
    }
  }

  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  await sendEncoded(req, res, { bytes, type: undefined })
}
