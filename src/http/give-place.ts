import type { Server } from 'node:http'

/**
 * Lets a server whose connections are nearly as many as it takes hang up on those that wait for nothing: they are kept
 * long for the proxies before it, and must keep nobody out.
 */
export function givePlace(server: Server): void {
  let open = 0
  server.on('connection', socket => {
    open++
    socket.once('close', () => open--)
    if (open > server.maxConnections * 0.9) server.closeIdleConnections()
  })
}
