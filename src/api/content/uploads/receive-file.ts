import type { Hash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault, invalid } from '../../../errors.ts'
import { askForBody, hasBody, slowness } from '../../../http/read-body.ts'

type Receiving = {
  /** The path of a new file. */
  path: string
  /** The bytes that the body must have. */
  size: number
  /** Gets the bytes as they arrive. */
  digest: Hash
}

/**
 * Writes the body of a request to a new file that is on the disk when it returns; memory holds a
 * chunk at a time. Throws 'invalid' for a body of another length, 'unsupported_type' for an
 * encoded one, 'too_slow', 'no_space' and, where the file exists, 'conflict': another request is
 * sending it. When it throws, no file remains.
 */
export async function receiveFile(
  req: IncomingMessage,
  res: ServerResponse,
  { path, size, digest }: Receiving,
): Promise<void> {
  checkHead(req, size)
  const file = await open(path, 'wx', 0o600).catch(error => {
    throw isCode(error, 'EEXIST') ? isBeingSent() : error
  })
  const slow = slowness(() => received)
  let received = 0

  try {
    askForBody(req, res)
    // An iterator that ends early must leave the connection open for the answer.
    const chunks = req.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
    for (;;) {
      const next = await Promise.race([chunks.next(), slow.failed])
      if (next.done) break
      received += next.value.length
      if (received > size) throw wrongLength(size)
      digest.update(next.value)
      await file.writeFile(next.value)
    }
    if (received !== size) throw wrongLength(size)
    await file.sync()
    await file.close()
  } catch (error) {
    await file.close()
    await rm(path, { force: true })
    throw named(error, size)
  } finally {
    slow.end()
  }
}

function checkHead(req: IncomingMessage, size: number): void {
  const { 'content-length': length, 'content-encoding': encoding = 'identity' } = req.headers
  if (encoding.trim().toLowerCase() !== 'identity')
    throw new Fault('unsupported_type', 'Send the bytes of the file without "Content-Encoding".')
  if (!hasBody(req) || (length !== undefined && Number(length) !== size)) throw wrongLength(size)
}

/** Returns the fault for an error while a file is received. */
function named(error: unknown, size: number): unknown {
  if (error instanceof Fault) return error
  if (isCode(error, 'ENOSPC') || isCode(error, 'EDQUOT'))
    return new Fault('no_space', 'The disk of the server is full. The file cannot be taken.')
  return isCode(error, 'ECONNRESET') || isCode(error, 'ERR_STREAM_PREMATURE_CLOSE')
    ? wrongLength(size)
    : error
}

const isCode = (error: unknown, code: string): boolean =>
  (error as NodeJS.ErrnoException | undefined)?.code === code

const wrongLength = (size: number): Fault =>
  invalid(`The file must have the ${size} bytes that were announced for it.`)

const isBeingSent = (): Fault =>
  new Fault('conflict', 'The file is being sent to this address by another request.')
