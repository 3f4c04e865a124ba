import type { ServerResponse } from 'node:http'

/**
 * Writes a chunk, and waits until the system has taken it or the response is closed: until then its
 * memory must not change.
 */
export const writeChunk = (res: ServerResponse, chunk: Buffer): Promise<void> =>
  new Promise(resolve => {
    const end = () => {
      res.off('close', end)
      resolve()
    }
    res.once('close', end)
    res.write(chunk, end)
  })
