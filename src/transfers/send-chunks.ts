import type { Response } from 'express'
import { PackHeader } from '../git/protocol/pack-header.ts'
import { startAnswer } from './answer.ts'
import { paced } from './pace.ts'

/** How long a client may read nothing, in milliseconds. */
const stallMs = 600_000

/**
 * Sends an answer chunk by chunk, as fast as the client reads; the status goes out with the first one. The next chunk is
 * requested when the system has taken the one before, whose memory may then change. A client that reads nothing for ten
 * minutes loses its connection. Counts the bytes, and the objects of a pack.
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
    await paced()
    await taken(res, chunk)
  }
  if (res.closed || res.destroyed) return
  if (!res.headersSent) startAnswer(res, type)
  res.end()
}

/** Writes a chunk. Waits until the system has taken it, or the response is closed. */
const taken = (res: Response, chunk: Buffer): Promise<void> =>
  new Promise(resolve => {
    const timer = setTimeout(() => {
      res.destroy()
      end()
    }, stallMs)
    const end = () => {
      clearTimeout(timer)
      res.off('close', end)
      resolve()
    }
    res.once('close', end)
    res.write(chunk, end)
  })
