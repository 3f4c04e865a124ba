import { readFileSync } from 'node:fs'
import { get } from 'node:http'

/**
 * Asks the server for a sign of life again and again, in a process of its own; told an address, it tells the longest wait.
 * What the server waited meanwhile for a processor, because others use the machine, is not counted.
 */
let longest = 0
let asked = 0
let delayed = 0
let url = ''
let pid = 0

/** Milliseconds that the server's main thread has waited for a processor; 0 where the system does not tell. */
function delay(): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

const waited = () => Math.max(0, performance.now() - asked - (delay() - delayed))

const ask = () => {
  asked = performance.now()
  delayed = delay()
  const next = () => {
    longest = Math.max(longest, waited())
    asked = 0
    setTimeout(ask, 25)
  }
  get(`${url}/healthz`, { agent: false }, response => response.resume().on('end', next)).on('error', next)
}

process.on('message', (message: { url: string; pid: number }) => {
  const first = url === ''
  ;({ url, pid } = message)
  const waiting = asked === 0 ? 0 : waited()
  process.send?.(Math.max(longest, waiting))
  longest = 0
  if (asked !== 0) {
    asked = performance.now()
    delayed = delay()
  }
  if (first) ask()
})
process.on('disconnect', () => process.exit())
