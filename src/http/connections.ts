import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressGroup } from './client-address.ts'

/** From this part of `maxConnections` on, those that wait for nothing are closed for new ones. */
const fullFrom = 0.9

export type ConnectionLimits = {
  /** Connections that one address may have; 0: no limit. */
  perAddress: number
  /** True for the address of a proxy, which speaks for many clients and has no limit of its own. */
  isProxy: (address: string) => boolean
  onRefused?: () => void
}

/**
 * Limits the connections of a server, from one address and in all. At a limit the one that has gone longest without a
 * whole request is closed for the new one; one whose request is being answered stays. Where all are being answered, the
 * new one is closed.
 */
export function limitConnections(
  server: Server,
  { perAddress, isProxy, onRefused = () => {} }: ConnectionLimits,
): void {
  const all = new Line()
  const lines = new Map<string, Line>()
  const close = (socket: Socket) => {
    onRefused()
    leave(socket)
    socket.destroy()
  }
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const group = perAddress > 0 && !isProxy(address) ? addressGroup(address) : undefined
    const own = group === undefined ? undefined : (lines.get(group) ?? new Line())
    if (group !== undefined && own) lines.set(group, own)
    const places = own ? [all, own] : [all]
    for (const place of places) place.idle.add(socket)
    homes.set(socket, places)
    socket.once('close', () => {
      leave(socket)
      if (group !== undefined && own?.size === 0) lines.delete(group)
    })
    if (own && own.size > perAddress) close(own.oldestIdle() ?? socket)
    const oldest = all.size > server.maxConnections * fullFrom ? all.oldestIdle() : undefined
    if (oldest && oldest !== socket) close(oldest)
  })
  server.on('drop', onRefused)
}

function leave(socket: Socket): void {
  for (const place of homes.get(socket) ?? []) place.remove(socket)
  homes.delete(socket)
}

/** Notes that a request of a connection was answered at once. */
export function answered(socket: Socket): void {
  for (const place of homes.get(socket) ?? []) place.touch(socket)
}

/** Notes that a connection has a request that is being answered, until the answer is out. */
export function answering(socket: Socket, res: ServerResponse): void {
  const places = homes.get(socket)
  if (!places) return
  for (const place of places) place.begin(socket)
  res.once('close', () => {
    for (const place of places) place.end(socket)
  })
}

/** Where each connection stands: in the line of all, and in that of its address. */
const homes = new WeakMap<Socket, readonly Line[]>()

/** Some connections: those that wait for nothing from us, the longest first, and how many requests of the others are answered. */
class Line {
  readonly idle = new Set<Socket>()
  readonly #busy = new Map<Socket, number>()

  get size(): number {
    return this.idle.size + this.#busy.size
  }

  oldestIdle(): Socket | undefined {
    return this.idle.values().next().value
  }

  touch(socket: Socket): void {
    if (this.idle.delete(socket)) this.idle.add(socket)
  }

  begin(socket: Socket): void {
    this.idle.delete(socket)
    this.#busy.set(socket, (this.#busy.get(socket) ?? 0) + 1)
  }

  end(socket: Socket): void {
    const left = (this.#busy.get(socket) ?? 0) - 1
    if (left > 0) {
      this.#busy.set(socket, left)
      return
    }
    if (this.#busy.delete(socket)) this.idle.add(socket)
  }

  remove(socket: Socket): void {
    this.idle.delete(socket)
    this.#busy.delete(socket)
  }
}
