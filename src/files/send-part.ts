import type { FileHandle } from 'node:fs/promises'
import type { Response } from 'express'
import { writeChunk } from '../http/sending/write-chunk.ts'
import type { Part } from './range.ts'

/** All connections of a server may hold a piece at the same time. */
const pieceLength = 16 * 1024

/**
 * Sends a part of an open file and ends the response. The next piece is read when the system has
 * taken the one before, so that a client that does not read holds one piece. A client that
 * disconnects is not an error.
 */
export async function sendPart(
  res: Response,
  file: FileHandle,
  { start, end }: Part,
): Promise<void> {
  const piece = Buffer.allocUnsafeSlow(Math.min(pieceLength, end - start + 1))
  for (let at = start; at <= end; ) {
    const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, end - at + 1), at)
    if (bytesRead === 0) throw new Error('A file is shorter than its size.')
    at += bytesRead
    if (res.closed || res.destroyed) return
    await writeChunk(res, piece.subarray(0, bytesRead))
  }

  if (!res.closed && !res.destroyed) res.end()
}
