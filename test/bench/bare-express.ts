import { fork } from 'node:child_process'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A bare handler that serves fixed bytes, in its own process. */
export type BareExpress = { url: string; close: () => void }

/** Starts a handler of Express; with `etag` it answers 304 to requests that carry it. */
export const startExpress = (bytes: Buffer, etag?: string): Promise<BareExpress> =>
  startBare('./express-child.ts', bytes, etag)

/** Starts a handler of `node:http` that serves fixed bytes. */
export const startHttp = (bytes: Buffer): Promise<BareExpress> =>
  startBare('./http-child.ts', bytes)

async function startBare(program: string, bytes: Buffer, etag?: string): Promise<BareExpress> {
  const file = join(
    tmpdir(),
    `stemma-bench-${process.pid}-${Math.random().toString(36).slice(2)}.json`,
  )

  await writeFile(file, bytes)

  try {
    const script = fileURLToPath(new URL(program, import.meta.url))
    const child = fork(script, etag === undefined ? [file] : [file, etag], {
      env: { ...process.env, NODE_ENV: 'production' },
    })
    const [port] = (await once(child, 'message')) as [number]
    return { url: `http://127.0.0.1:${port}/`, close: () => child.disconnect() }
  } finally {
    await rm(file)
  }
}
