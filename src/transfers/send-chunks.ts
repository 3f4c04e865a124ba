import type { Response } from 'express'
import { PackHeader } from '../git/protocol/pack-header.ts'
import { startAnswer } from './answer.ts'
import { paced } from './pace.ts'

/**
 * Limits of an answer. It is closed after `stallMs` without a read, and after `longestMs` unless the client reads at least
 * `leastRate` bytes per second on average. Its bytes take disk space until it ends.
 */
const limits = { stallMs: 600_000, longestMs: 3_600_000, leastRate: 128 * 1024 }

/**
 * Sends an answer chunk by chunk, as fast as the client reads; the status goes out with the first one. The next chunk is
 * requested when the system has taken the one before, whose memory may then change. A client that reads nothing for ten
 * minutes, or too slowly after an hour, loses its connection. Counts the bytes, and the objects of a pack.
 */
export async function sendChunks(
  res: Response,
  chunks: AsyncGenerator<Buffer, void, undefined>,
  type: string,
  counted: { sent: number; objects?: number | undefined; refused?: string },
  { stallMs, longestMs, leastRate }: typeof limits = limits,
): Promise<void> {
  const started = performance.now()
  /** Returns how many milliseconds are left, given the bytes sent so far. */
  const left = () => Math.max(longestMs, (counted.sent / leastRate) * 1000) - (performance.now() - started)
  const header = new PackHeader()
  for await (const chunk of chunks) {
    if (res.closed || res.destroyed) return
    if (!res.headersSent) startAnswer(res, type)
    counted.sent += chunk.length
    header.add(chunk)
    counted.objects = header.objects
    await paced()
    if (!(await taken(res, chunk, Math.min(stallMs, left())))) counted.refused = 'the client reads too slowly'
  }
  if (res.closed || res.destroyed) return
  if (!res.headersSent) startAnswer(res, type)
  res.end()
}

/**
 * Writes a chunk, and waits until the system has taken it or the response is closed. After `ms` milliseconds, closes the
 * response and returns false; otherwise returns true.
 */
const taken = (res: Response, chunk: Buffer, ms: number): Promise<boolean> =>
  new Promise(resolve => {
    const timer = setTimeout(
      () => {
        res.destroy()
        end(false)
      },
      Math.max(0, ms),
    )
    const end = (inTime: boolean) => {
      clearTimeout(timer)
      res.off('close', onEnd)
      resolve(inTime)
    }
    const onEnd = () => end(true)
    res.once('close', onEnd)
    res.write(chunk, onEnd)
  })
