import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/**
 * GET requests without a pause over several connections; each response has this status and a body
 * of `length` bytes.
 */
export type Flood = {
  url: string
  headers: Record<string, string>
  connections: number
  seconds: number
  status: number
  length: number
}

/** The result from the client's process. */
export type Flooded = { rate: number } | { error: string }

/**
 * A client in its own process; `flood` returns requests per second. Throws if a response was not as
 * expected.
 */
export type Flooder = { flood: (order: Flood) => Promise<number>; close: () => void }

/** Starts the client's process. */
export function openFlooder(): Flooder {
  const child = fork(fileURLToPath(new URL('./flood-child.ts', import.meta.url)))
  return {
    flood: async order => {
      child.send(order)
      const [answer] = (await once(child, 'message')) as [Flooded]
      if ('error' in answer) throw new Error(answer.error)
      return answer.rate
    },
    close: () => child.disconnect(),
  }
}
