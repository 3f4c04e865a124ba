import { connect, createServer, type Socket } from 'node:net'

/** A relay on loopback, for delays, cuts and freezes of a connection. */
export type Relay = {
  readonly port: number
  /** The path of the Unix socket that new connections are forwarded to. */
  target: string
  /** Milliseconds by which each piece of data comes later, in both directions. */
  delayMs: number
  /** Refuses new connections and ends the open ones. */
  cut: () => void
  /** Keeps connections open, and lets no data through. */
  freeze: () => void
  /** Ends a cut or a freeze. */
  restore: () => void
  close: () => Promise<void>
}

type State = 'open' | 'frozen' | 'cut'

/** Opens a relay to a Unix socket. */
export async function openRelay(target: string): Promise<Relay> {
  const sockets = new Set<Socket>()
  let state: State = 'open'
  const thawed: (() => void)[] = []
  const passable = () =>
    state === 'frozen' ? new Promise<void>(resolve => thawed.push(resolve)) : undefined

  /** Forwards data in order, each piece after the delay. */
  const forward = (from: Socket, to: Socket) => {
    let turn = Promise.resolve()
    const later = (send: () => void) => {
      const due = performance.now() + relay.delayMs
      turn = turn.then(async () => {
        await passable()
        const left = due - performance.now()
        if (left > 0) await new Promise(resolve => setTimeout(resolve, left))
        send()
      })
    }
    from.on('data', piece => later(() => void to.write(piece)))
    from.once('end', () => later(() => to.end()))
    from.once('error', () => to.destroy())
    from.once('close', () => {
      sockets.delete(from)
      later(() => to.destroy())
    })
  }

  const server = createServer(near => {
    if (state === 'cut') {
      near.destroy()
      return
    }
    const far = connect({ path: relay.target })
    for (const socket of [near, far]) {
      socket.setNoDelay(true)
      sockets.add(socket)
    }
    forward(near, far)
    forward(far, near)
  })
  const end = () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  const enter = (next: State) => {
    state = next
    if (next !== 'frozen') for (const each of thawed.splice(0)) each()
    if (next === 'cut') end()
  }

  const relay: Relay = {
    port: 0,
    target,
    delayMs: 0,
    cut: () => enter('cut'),
    freeze: () => enter('frozen'),
    restore: () => enter('open'),
    close: () =>
      new Promise(resolve => {
        enter('cut')
        server.close(() => resolve())
      }),
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return Object.assign(relay, { port: typeof address === 'object' && address ? address.port : 0 })
}
