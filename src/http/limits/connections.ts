import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressGroup } from './client-address.ts'

/** Above this share of `maxConnections`, idle connections are closed to make room for new ones. */
const fullFrom = 0.9

type ConnectionLimits = {
  /** The number of connections that one address may have; 0 for no limit. */
  perAddress: number
  /**
   * Returns whether an address is a proxy's, which speaks for many clients and has no limit of its
   * own.
   */
  isProxy: (address: string) => boolean
  onRefused?: () => void
}

/**
 * Limits the connections of a server, per address and in total. At a limit, the connection that has
 * been idle longest is closed in favour of the new one. A connection whose request is being
 * answered stays; when all are, the new one is closed.
 */
export function limitConnections(
  server: Server,
  { perAddress, isProxy, onRefused = () => {} }: ConnectionLimits,
): void {
  const all = new ConnectionList()
  const byAddress = new Map<string, ConnectionList>()
  const close = (socket: Socket) => {
    onRefused()
    leave(socket)
    socket.destroy()
  }

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const group = perAddress > 0 && !isProxy(address) ? addressGroup(address) : undefined
    enter(socket, [all])
    socket.once('close', () => leave(socket))

    if (group !== undefined) {
      const own = byAddress.get(group) ?? new ConnectionList()
      byAddress.set(group, own)
      enter(socket, [all, own])
      socket.once('close', () => {
        if (own.size === 0) byAddress.delete(group)
      })
      if (own.size > perAddress) close(own.oldestIdle() ?? socket)
    }

    const oldest = all.size > server.maxConnections * fullFrom ? all.oldestIdle() : undefined
    if (oldest && oldest !== socket) close(oldest)
  })
  server.on('drop', onRefused)
}

function enter(socket: Socket, lists: readonly ConnectionList[]): void {
  for (const list of lists) list.idle.add(socket)
  listsOf.set(socket, lists)
}

function leave(socket: Socket): void {
  for (const list of listsOf.get(socket) ?? []) list.remove(socket)
  listsOf.delete(socket)
}

/** Records that a request of a connection was answered without delay. */
export function touchConnection(socket: Socket): void {
  for (const list of listsOf.get(socket) ?? []) list.touch(socket)
}

/** Marks a connection as busy until the response is closed. */
export function markBusy(socket: Socket, res: ServerResponse): void {
  const lists = listsOf.get(socket)
  if (!lists) return
  for (const list of lists) list.begin(socket)
  res.once('close', () => {
    for (const list of lists) list.end(socket)
  })
}

/** The responses of each connection that wait for an earlier one to be sent. */
const waiting = new WeakMap<Socket, Set<ServerResponse>>()

/**
 * Closes a response with its connection, also while an earlier request of the connection is
 * answered: Node then emits no 'close' for it, and what waits for that would be held forever.
 */
export function closeWithConnection({ socket }: IncomingMessage, res: ServerResponse): void {
  if (res.socket) return
  const all = waiting.get(socket) ?? followed(socket)
  all.add(res)
  res.once('close', () => all.delete(res))
}

function followed(socket: Socket): Set<ServerResponse> {
  const all = new Set<ServerResponse>()
  waiting.set(socket, all)
  socket.once('close', () => {
    for (const res of all) {
      // Node closes a response that has its socket by now.
      if (res.socket || res.closed) continue
      Object.defineProperty(res, 'closed', { value: true })
      res.destroy()
      res.emit('close')
    }
  })

  return all
}

/** The lists that a connection is in: that of all connections and that of its address. */
const listsOf = new WeakMap<Socket, readonly ConnectionList[]>()

/**
 * A set of connections: the idle ones, idle longest first, and the number of open requests of each
 * busy one.
 */
class ConnectionList {
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
