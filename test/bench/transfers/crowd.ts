import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A request that all `users` (their headers) send at once. `body` is base64. */
export type CrowdOrder = {
  url: string
  path: string
  body: string
  users: readonly Record<string, string>[]
}

/** The result from the crowd's process: the milliseconds to the first byte of each answer. */
export type Asked = { firstMs: number[] } | { error: string }

/**
 * Many clients in a process of their own, which do not delay what else is measured. Throws unless
 * all answers are 200.
 */
export type Crowd = { ask: (order: CrowdOrder) => Promise<number[]>; close: () => void }

/** Starts the crowd's process. */
export function openCrowd(): Crowd {
  const child = fork(new URL('./crowd-child.ts', import.meta.url))
  return {
    ask: async order => {
      child.send(order)
      const [answer] = (await once(child, 'message')) as [Asked]
      if ('error' in answer) throw new Error(answer.error)
      return answer.firstMs
    },
    close: () => child.disconnect(),
  }
}
