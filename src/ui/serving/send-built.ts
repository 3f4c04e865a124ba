import type { Request, Response } from 'express'
import { notModified } from '../../http/conditional.ts'
import { encodingOf } from '../../http/sending/ready-answer.ts'

/** Bytes that are sent under a name that changes with them, in the encodings that exist of them. */
export type Built = {
  type: string
  bytes: Buffer
  brotli?: Buffer | undefined
  gzip?: Buffer | undefined
}

/** Sends a file that never changes under its name, in the encoding that the client prefers. */
export function sendBuilt(
  req: Request,
  res: Response,
  { name, asset, headers = {} }: { name: string; asset: Built; headers?: Record<string, string> },
): void {
  res.set({
    ETag: `"${name}"`,
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
    'Content-Type': asset.type,
    ...headers,
  })

  if (notModified(req.headers['if-none-match'], name)) {
    res.status(304).end()
    return
  }

  const encoding = encodingOf(req)
  const bytes = { br: asset.brotli, gzip: asset.gzip, identity: asset.bytes }[encoding]
  if (encoding !== 'identity' && bytes) res.set('Content-Encoding', encoding)

  const sent = bytes ?? asset.bytes

  res.set('Content-Length', String(sent.length))
  res.end(req.method === 'HEAD' ? undefined : sent)
}
