import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '../../errors.ts'
import { askForBody, cutShort, slowness } from './read-body.ts'

/**
 * Returns the body of a request in chunks as they arrive, for what is too large for memory. Asking
 * for one throws 'too_slow', and 'invalid' where the connection was closed before the body ended.
 */
export async function* bodyChunks(
  req: IncomingMessage,
  res: ServerResponse,
): AsyncGenerator<Buffer, void> {
  let received = 0
  const slow = slowness(() => received)

  try {
    askForBody(req, res)
    // An iterator that ends early must leave the connection open for the answer.
    const chunks = req.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
    for (;;) {
      const next = await Promise.race([chunks.next(), slow.failed])
      if (next.done) return
      received += next.value.length
      yield next.value
    }
  } catch (error) {
    throw isCut(error) ? cutShort() : error
  } finally {
    slow.end()
  }
}

const isCut = (error: unknown): boolean =>
  ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes(
    String((error as NodeJS.ErrnoException | undefined)?.code),
  )

/** Throws 'unsupported_type' for a body that is packed: its bytes are taken as they are. */
export function checkNotPacked({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.trim().toLowerCase() !== 'identity')
    throw new Fault(
      'unsupported_media_type',
      'Send the bytes of the file without "Content-Encoding".',
    )
}
