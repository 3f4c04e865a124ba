import type { ClientRequest, IncomingMessage } from 'node:http'

/**
 * Resolves with the response once its headers arrive. A response that switches protocols (101)
 * resolves too, without a body. Rejects when the request fails or ends without a response.
 */
export const answerOf = (request: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.on('response', resolve)
    // Without a listener, Node drops such a connection without any event.
    request.on('upgrade', (response, socket) => {
      socket.destroy()
      response.destroy()
      resolve(response)
    })
    request.on('error', reject)
    request.on('close', () => reject(new Error('closed without an answer')))
  })
