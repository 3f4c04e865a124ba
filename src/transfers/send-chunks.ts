import type { Response } from 'express'
import { PackHeader } from '../git/protocol/pack-header.ts'
import { writeChunk } from '../http/sending/write-chunk.ts'
import { startAnswer } from './answer.ts'

/**
 * Limits of an answer. It is closed after `stallMs` without a read, and after `longestMs` unless
 * the client reads at least `leastRate` bytes per second on average. Its bytes take disk space
 * until it ends.
 */
const limits = { stallMs: 600_000, longestMs: 3_600_000, leastRate: 128 * 1024 }

/**
 * Sends an answer chunk by chunk, as fast as the client reads; the status goes out with the first
 * one. The next chunk is requested when the system has taken the one before, whose memory may then
 * change. A client that reads nothing for ten minutes, or too slowly after an hour, loses its
 * connection. Counts the bytes, and the objects of a pack.
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
  const left = () =>
    Math.max(longestMs, (counted.sent / leastRate) * 1000) - (performance.now() - started)
  const header = new PackHeader()

  for await (const chunk of chunks) {
    if (res.closed || res.destroyed) return
    if (!res.headersSent) startAnswer(res, type)
    counted.sent += chunk.length
    header.add(chunk)
    counted.objects = header.objects
    await paced()
    if (!(await taken(res, chunk, Math.min(stallMs, left()))))
      counted.refused = 'the client reads too slowly'
  }

  if (res.closed || res.destroyed) return
  if (!res.headersSent) startAnswer(res, type)
  res.end()
}

/**
 * Writes a chunk. Returns false, with the response closed, if the system has not taken it after
 * `ms` milliseconds.
 */
async function taken(res: Response, chunk: Buffer, ms: number): Promise<boolean> {
  let inTime = true
  const timer = setTimeout(
    () => {
      inTime = false
      res.destroy()
    },
    Math.max(0, ms),
  )

  await writeChunk(res, chunk)
  clearTimeout(timer)

  return inTime
}

/** The chunks of all answers that are sent in one turn of the event loop. */
export const chunksPerTurn = 4

let sent = 0
const waiting: (() => void)[] = []

/**
 * Waits until the chunk of an answer may be sent. Many clients that read fast would otherwise fill
 * a turn of the event loop with their writes, and other requests would wait for all of them.
 */
export function paced(): Promise<void> | undefined {
  if (sent < chunksPerTurn) {
    count()
    return undefined
  }
  return new Promise(resolve => waiting.push(resolve))
}

function count(): void {
  sent++
  if (sent === 1) setImmediate(nextTurn)
}

function nextTurn(): void {
  sent = 0
  for (const go of waiting.splice(0, chunksPerTurn)) {
    count()
    go()
  }
}
