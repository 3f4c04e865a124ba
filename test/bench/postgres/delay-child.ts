import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/*
 * A relay to a Unix socket that passes each piece of data on after some milliseconds, which the parent
 * process sets, in both directions. A timer of Node.js waits for a millisecond at least, so it looks at the clock again and again
 * while there is something to pass on.
 */

const [target = ''] = process.argv.slice(2)
let delayMs = 0
const waiting: { due: number; send: () => void }[] = []

function look(): void {
  const now = performance.now()
  while (waiting.length > 0 && waiting[0]!.due <= now) waiting.shift()!.send()
  if (waiting.length > 0) setImmediate(look)
}

function later(send: () => void): void {
  if (waiting.push({ due: performance.now() + delayMs, send }) === 1) setImmediate(look)
}

function forward(from: Socket, to: Socket): void {
  from.on('data', piece => later(() => void to.write(piece)))
  from.on('end', () => later(() => to.end()))
  from.on('error', () => to.destroy())
}

const server = createServer({ noDelay: true }, near => {
  const far = connect({ path: target })
  forward(near, far)
  forward(far, near)
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('message', (milliseconds: number) => {
  delayMs = milliseconds
})
process.on('disconnect', () => process.exit())
