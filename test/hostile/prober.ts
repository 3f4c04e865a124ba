import { get } from 'node:http'

/** Asks the server for a sign of life again and again, in a process of its own; told an address, it tells the longest wait. */
let longest = 0
let asked = 0
let url = ''

const ask = () => {
  const started = performance.now()
  asked = started
  const next = () => {
    longest = Math.max(longest, performance.now() - asked)
    asked = 0
    setTimeout(ask, 25)
  }
  get(`${url}/healthz`, { agent: false }, response => response.resume().on('end', next)).on('error', next)
}

process.on('message', (message: string) => {
  const first = url === ''
  url = message
  const waiting = asked === 0 ? 0 : performance.now() - asked
  process.send?.(Math.max(longest, waiting))
  longest = 0
  if (asked !== 0) asked = performance.now()
  if (first) ask()
})
process.on('disconnect', () => process.exit())
