import type { Request, Response } from 'express'
import type { ProtocolVersion } from '../git/serving/fetch-settings.ts'

/** Headers that keep an answer out of every cache. */
const uncached = {
  'Cache-Control': 'no-cache, max-age=0, must-revalidate',
  Pragma: 'no-cache',
  Expires: '0',
}

/**
 * Sets the status and headers of an answer in Git's protocol, e.g. of type "upload-pack-result".
 */
export const startAnswer = (res: Response, type: string): unknown =>
  res.status(200).set({ ...uncached, 'Content-Type': `application/x-git-${type}` })

/** Sends a whole answer in Git's protocol. */
export function sendAnswer(res: Response, type: string, bytes: Buffer): void {
  startAnswer(res, type)
  res.setHeader('Content-Length', bytes.length)
  res.end(bytes)
}

/** Sends a sentence that Git shows as `remote: …`: it shows plain text alone. */
export function sendSentence(res: Response, status: number, sentence: string): void {
  const bytes = Buffer.from(`${sentence}\n`)
  res.status(status).set({ ...uncached, 'Content-Type': 'text/plain; charset=utf-8' })
  res.setHeader('Content-Length', bytes.length)
  res.end(bytes)
}

/**
 * Returns the highest version that a request asks for, the only fact of its header "Git-Protocol"
 * that is used.
 */
export function askedVersion(req: Request): ProtocolVersion {
  const words = String(req.headers['git-protocol'] ?? '').split(':')
  return words.includes('version=2') ? 2 : words.includes('version=1') ? 1 : 0
}
