import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { Fault, invalid } from '../../errors.ts'
import { randomId } from '../../lib/digest.ts'
import { asOid, type Oid } from '../../lib/oid.ts'
import type { UploadRow } from '../../store/tables/rows.ts'
import { checkUploadSize } from './announce-upload.ts'
import { keepUpload } from './keep-upload.ts'

/** The bytes of a file as they arrive. */
type Chunks = AsyncIterator<Uint8Array, unknown>

/** The requests that send files now, by the id of the upload: what ends them. */
const sending = stateSlot(() => new Map<string, (reason: Fault) => void>())

/**
 * Receives the file of an upload; memory holds a chunk at a time. A later request for the same
 * upload ends an earlier one, whose connection may be dead without anybody knowing. Throws what
 * `keepUpload` throws, 'invalid' for a file without the announced size, 'no_space', 'conflict' in the
 * request that a later one ended, and what the chunks throw. Nothing of a refused file remains.
 */
export async function receiveUpload(
  ctx: Context,
  row: UploadRow,
  chunks: Chunks,
  /** With 'at most', the announced size is only the largest one that the file can have. */
  fits: 'exactly' | 'at most' = 'exactly',
): Promise<void> {
  const folder = join(ctx.config.dataDir, 'tmp')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // A restart empties the folder.
  const from = join(folder, `upload-${row.id}-${randomId(8)}`)

  try {
    const size = await taking(ctx, row.id, ended =>
      writeFile(ctx, from, { row, chunks, ended, fits }),
    )
    await keepUpload(ctx, row, { from, size, blob: await blobOf(from, size) })
  } catch (error) {
    throw named(error)
  } finally {
    await rm(from, { force: true })
  }
}

/** Runs work as the only one that receives an upload. `ended` is rejected when another one begins. */
async function taking<Result>(
  { caches }: Context,
  id: string,
  work: (ended: Promise<never>) => Promise<Result>,
): Promise<Result> {
  const all = caches.get(sending)
  all.get(id)?.(isSentAgain())
  let end: (reason: Fault) => void = () => {}
  const ended = new Promise<never>((_, reject) => {
    end = reject
  })
  ended.catch(() => {})
  all.set(id, end)

  try {
    return await work(ended)
  } finally {
    if (all.get(id) === end) all.delete(id)
  }
}

type Writing = {
  row: UploadRow
  chunks: Chunks
  ended: Promise<never>
  fits: 'exactly' | 'at most'
}

/** Writes a file that is on the disk when this returns its size. */
async function writeFile(
  ctx: Context,
  path: string,
  { row, chunks, ended, fits }: Writing,
): Promise<number> {
  const file = await open(path, 'wx', 0o600)
  let size = 0

  try {
    for (;;) {
      const next = await Promise.race([chunks.next(), ended])
      if (next.done) break
      size += next.value.length
      if (fits === 'at most') checkUploadSize(ctx, size)
      if (size > row.size) throw wrongLength(row.size)
      await file.writeFile(next.value)
    }
    if (fits === 'exactly' && size !== row.size) throw wrongLength(row.size)
    if (size === 0) throw invalid('The file is empty.')
    await file.sync()
  } finally {
    // Not awaited: it waits for the chunk that was asked for, which may never come.
    chunks.return?.().catch(() => {})
    await file.close()
  }

  return size
}

/** Returns the id that Git gives to a file. It begins with the size, which comes last in some requests. */
async function blobOf(path: string, size: number): Promise<Oid> {
  const hash = createHash('sha1').update(`blob ${size}\0`)
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return asOid(hash.digest('hex'))
}

const isFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes(String((error as NodeJS.ErrnoException | undefined)?.code))

const named = (error: unknown): unknown =>
  isFull(error)
    ? new Fault('disk_full', 'The disk of the server is full. The file cannot be taken.')
    : error

/** Returns the fault of a file that has another size than was announced. */
export const wrongLength = (size: number): Fault =>
  new Fault('upload_incomplete', `The file must have the ${size} bytes that were announced for it.`)

const isSentAgain = (): Fault =>
  new Fault('upload_taken', 'Another request is already sending the file to this address.')
