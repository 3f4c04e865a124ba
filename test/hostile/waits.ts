import { fork } from 'node:child_process'
import type { Wait } from './prober.ts'
import type { Stage } from './stage.ts'

/** A process that asks a server for /healthz all the time. */
export type Waits = {
  /** Returns the longest wait since the last call. */
  longest: () => Promise<Wait>
  end: () => void
}

/** Starts a process that measures how long other requests of a stage wait. */
export function measureWaits(stage: Stage): Waits {
  const prober = fork(new URL('./prober.ts', import.meta.url))
  return {
    longest: () =>
      new Promise(resolve => {
        prober.once('message', wait => resolve(wait as Wait))
        prober.send({ url: stage.url, pid: stage.pid })
      }),
    end: () => prober.disconnect(),
  }
}
