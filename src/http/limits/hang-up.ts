import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { hasBody } from '../receiving/read-body.ts'

/**
 * How long, and for how many bytes, a client may keep sending after the response before the
 * connection is destroyed.
 */
const lingerMs = 1_000
const lingerBytes = 16_000_000

const ending = new WeakSet<Socket>()

/**
 * Returns whether a connection gets no more responses: requests behind an unread body are not
 * served.
 */
export const isEnding = (socket: Socket): boolean => ending.has(socket)

/**
 * Closes the connection after a response that is sent before the whole body has arrived. The rest
 * of the body is discarded for a moment: closing a socket with unread bytes sends a reset, which
 * may overtake the response.
 */
export function hangUpOnUnread(req: IncomingMessage, res: ServerResponse): void {
  if (!hasBody(req)) return
  const writeHead = res.writeHead.bind(res) as (...given: unknown[]) => ServerResponse
  res.writeHead = ((...given: unknown[]) => {
    if (!req.complete && !ending.has(req.socket)) {
      res.setHeader('Connection', 'close')
      linger(req)
    }
    return writeHead(...given)
  }) as ServerResponse['writeHead']
}

function linger(req: IncomingMessage): void {
  const { socket } = req
  ending.add(socket)

  // Node calls this when a response with "Connection: close" has been written.
  socket.destroySoon = () => {
    socket.end()
    const end = () => socket.destroy()
    const timer = setTimeout(end, lingerMs)
    let left = lingerBytes

    req.on('data', chunk => {
      left -= chunk.length
      if (left < 0) end()
    })
    req.once('end', end).resume()
    socket.once('end', end).once('close', () => clearTimeout(timer))
  }
}
