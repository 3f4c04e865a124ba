import type { Response } from 'express'
import { PackHeader } from '../git/protocol/pack-header.ts'
import { startAnswer } from './answer.ts'

/** How long a client may read nothing, in milliseconds. */
const stallMs = 600_000

/**
 * Sends an answer chunk by chunk, as fast as the client reads; the status goes out with the first one. A client that
 * reads nothing for ten minutes loses its connection. Counts the bytes, and the objects of a pack.
 */
export async function sendChunks(
  res: Response,
  chunks: AsyncGenerator<Buffer, void, undefined>,
  type: string,
  counted: { sent: number; objects?: number | undefined },
): Promise<void> {
  const header = new PackHeader()
  for await (const chunk of chunks) {
    if (res.closed || res.destroyed) return
    if (!res.headersSent) startAnswer(res, type)
    counted.sent += chunk.length
    header.add(chunk)
    counted.objects = header.objects
    if (!res.write(chunk)) await drained(res)
  }
  if (res.closed || res.destroyed) return
  if (!res.headersSent) startAnswer(res, type)
  res.end()
}

/** Waits until a response takes more bytes or is closed. */
const drained = (res: Response): Promise<void> =>
  new Promise(resolve => {
    const timer = setTimeout(() => res.destroy(), stallMs)
    const end = () => {
      clearTimeout(timer)
      res.off('drain', end).off('close', end)
      resolve()
    }
    res.once('drain', end).once('close', end)
    if (res.closed || res.destroyed) end()
  })
