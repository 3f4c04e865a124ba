import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { hasBody } from './read-body.ts'

/** How long, and for how many bytes, a client may go on sending after its answer before it is cut off. */
const lingerMs = 1_000
const lingerBytes = 1_000_000

const ending = new WeakSet<Socket>()

/** True for a connection that gets no more answers: what was sent behind an unread body is not served. */
export const isEnding = (socket: Socket): boolean => ending.has(socket)

/**
 * Closes the connection with an answer that is given before the whole body of the request has come. What still comes is
 * thrown away for a moment: a socket that is closed with unread bytes in it sends a reset, which may overtake the answer.
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
  // Node calls this when an answer with "Connection: close" is out.
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
