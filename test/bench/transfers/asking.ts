import { get, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { clocked } from '../figure.ts'
import type { GitHost } from '../git-host.ts'

/**
 * Requests an address again and again. Returns a function that stops, and returns the longest time
 * in milliseconds.
 */
export function probeOf(address: string | undefined): () => Promise<number> {
  let longest = 0
  let going = address !== undefined
  const probing = (async () => {
    while (going) {
      const ms = await clocked(
        () =>
          new Promise((resolve, reject) =>
            get(address!, response => response.resume().on('end', resolve)).on('error', reject),
          ),
      )
      longest = Math.max(longest, ms)
      await sleep(5)
    }
  })()

  return async () => {
    going = false
    await probing
    return longest
  }
}

/**
 * Sends one request of version 2 and reads the whole answer. Returns the milliseconds to its first
 * byte.
 */
export const ask = (
  host: Pick<GitHost, 'url' | 'headers'>,
  path: string,
  body?: Buffer,
): Promise<{ firstMs: number; bytes: number }> =>
  new Promise((resolve, reject) => {
    const started = performance.now()
    const sent = request(
      `${host.url}${path}`,
      {
        method: body ? 'POST' : 'GET',
        headers: {
          ...host.headers,
          'git-protocol': 'version=2',
          ...(body && {
            'content-type': 'application/x-git-upload-pack-request',
            'content-length': body.length,
          }),
        },
      },
      response => {
        let firstMs = 0
        let bytes = 0
        response.on('data', (chunk: Buffer) => {
          if (bytes === 0) firstMs = performance.now() - started
          bytes += chunk.length
        })
        response.on('error', reject)
        response.on('end', () => {
          if (response.statusCode !== 200)
            reject(new Error(`${path} answered ${response.statusCode}`))
          else resolve({ firstMs, bytes })
        })
      },
    )

    sent.on('error', reject)
    sent.end(body)
  })
