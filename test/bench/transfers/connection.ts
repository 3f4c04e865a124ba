import { connect } from 'node:net'
import type { GitHost } from '../git-host.ts'

/** Sends requests of version 2 over one connection. */
export type Connection = {
  /**
   * Sends a GET, or a POST with a body, and waits for the answer. Throws unless its status is 200.
   */
  ask: (path: string, body?: Buffer) => Promise<void>
  close: () => void
}

/**
 * Opens a connection. Node's HTTP client takes half a millisecond for a request, half as long as
 * the server.
 */
export function openConnection({ url, headers }: GitHost): Connection {
  const { hostname, port, host } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let waiting: ((bytes: Buffer | Error) => void) | undefined
  socket.on('data', bytes => waiting?.(bytes))
  socket.on('error', error => waiting?.(error))
  socket.on('close', () => waiting?.(new Error(`${url} closed the connection.`)))
  const ask = (path: string, body?: Buffer) =>
    new Promise<void>((resolve, reject) => {
      let answer = ''
      waiting = bytes => {
        if (bytes instanceof Error) return reject(bytes)
        answer += bytes.toString('latin1')
        if (!isWhole(answer)) return
        waiting = undefined
        if (answer.startsWith('HTTP/1.1 200 ')) resolve()
        else reject(new Error(`${path} answered ${answer.slice(0, 200)}`))
      }
      const type = 'content-type: application/x-git-upload-pack-request'
      const fields = [
        `${body ? 'POST' : 'GET'} ${path} HTTP/1.1`,
        `host: ${host}`,
        'git-protocol: version=2',
        ...Object.entries(headers).map(each => each.join(': ')),
        ...(body ? [type, `content-length: ${body.length}`] : []),
      ]
      const head = Buffer.from(`${fields.join('\r\n')}\r\n\r\n`)

      socket.write(body ? Buffer.concat([head, body]) : head)
    })

  return { ask, close: () => socket.destroy() }
}

function isWhole(answer: string): boolean {
  const [head = ''] = answer.split('\r\n\r\n', 1)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length !== undefined) return answer.length === head.length + 4 + Number(length)
  return answer.length > head.length && answer.endsWith('\r\n0\r\n\r\n')
}
