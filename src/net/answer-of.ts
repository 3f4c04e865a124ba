import type { ClientRequest, IncomingMessage } from 'node:http'

/**
 * What a host answers to a request, once it begins to. Also of one that wants to speak something else than HTTP from there
 * on (101), which is left at that: nothing more comes. Throws what went wrong, and when there was no answer.
 */
export const answerOf = (request: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.on('response', resolve)
    // Without somebody who listens, Node drops such a connection, and says neither that it was answered nor that it failed.
    request.on('upgrade', (response, socket) => {
      socket.destroy()
      response.destroy()
      resolve(response)
    })
    request.on('error', reject)
    request.on('close', () => reject(new Error('closed without an answer')))
  })
