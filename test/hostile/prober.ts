import { readFileSync } from 'node:fs'
import { get } from 'node:http'

/** The wait of a request, and the main thread's CPU time during it, in milliseconds. */
export type Wait = { wait: number; busy: number }

/**
 * Probes the server repeatedly from a process of its own; on a request with an address it reports
 * the longest wait. Time in which the server waited for a processor does not count.
 */
let longest: Wait = { wait: 0, busy: 0 }
let asked = 0
let before = { worked: 0, delayed: 0 }
let url = ''
let pid = 0

/**
 * Returns the milliseconds that the server's main thread has run, and waited for a processor; 0
 * where the system does not report it.
 */
function schedule(): typeof before {
  try {
    const [worked, delayed] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
    return { worked: Number(worked) / 1e6, delayed: Number(delayed) / 1e6 }
  } catch {
    return { worked: 0, delayed: 0 }
  }
}

/** Returns the longer of the longest wait so far and the wait of the current request. */
function longer(): Wait {
  if (asked === 0) return longest
  const { worked, delayed } = schedule()
  const wait = Math.max(0, performance.now() - asked - (delayed - before.delayed))
  const busy = Math.max(0, worked - before.worked)
  return { wait: Math.max(longest.wait, wait), busy: Math.max(longest.busy, busy) }
}

const ask = () => {
  asked = performance.now()
  before = schedule()
  const next = () => {
    longest = longer()
    asked = 0
    setTimeout(ask, 25)
  }

  get(`${url}/healthz`, { agent: false }, response => response.resume().on('end', next)).on(
    'error',
    next,
  )
}

process.on('message', (message: { url: string; pid: number }) => {
  const first = url === ''
  ;({ url, pid } = message)
  process.send?.(longer())
  longest = { wait: 0, busy: 0 }

  if (asked !== 0) {
    asked = performance.now()
    before = schedule()
  }

  if (first) ask()
})
process.on('disconnect', () => process.exit())
