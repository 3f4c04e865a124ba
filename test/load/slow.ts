import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Call } from '../crash/clients/call.ts'

/** The latencies of readers, and what was wrong. */
export type Reads = { took: number[]; problems: string[] }

/** Reads a page repeatedly with eight concurrent readers. */
export async function read(call: Call, path: string, ms: number): Promise<Reads> {
  const reads: Reads = { took: [], problems: [] }
  const end = performance.now() + ms
  const reader = async () => {
    while (performance.now() < end) {
      const begun = performance.now()
      const reply = await call({ method: 'GET', path })
      if (reply?.status === 200) reads.took.push(performance.now() - begun)
      else
        reads.problems.push(`a reader was answered ${reply?.status} ${reply?.text.slice(0, 200)}`)
    }
  }

  await Promise.all(Array.from({ length: 8 }, reader))

  return reads
}

const idle = 1000
const halves = 50

/**
 * Opens a thousand silent connections, and fifty with half of a body sent. Returns a function that
 * closes them.
 */
export async function openSlow(url: string, token: string, path: string): Promise<() => void> {
  const { hostname, port } = new URL(url)
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Content-Length: 1000',
    '',
    '{"changes":',
  ].join('\r\n')

  const sockets = await Promise.all(
    Array.from(
      { length: idle + halves },
      (_, index) =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(Number(port), hostname, () => {
            if (index >= idle) socket.write(head)
            resolve(socket)
          })
          socket.once('error', reject)
        }),
    ),
  )

  for (const socket of sockets) socket.on('error', () => {})

  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

const megabyte = 1024 * 1024

/**
 * Sends a body of 100 MB, with or without a declared length. Returns the status and the megabytes
 * sent until it came; the status is 0 if the connection closed without one.
 */
export function upload(
  url: string,
  token: string,
  path: string,
  { chunked }: { chunked: boolean },
): Promise<{ status: number; sent: number }> {
  const piece = Buffer.alloc(megabyte, ' ')
  return new Promise(resolve => {
    let sent = 0
    let answered = false
    const finish = (status: number) => {
      if (answered) return
      answered = true
      resolve({ status, sent })
      asked.destroy()
    }

    const asked = request(`${url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(!chunked && { 'content-length': 100 * megabyte }),
      },
    })

    asked.once('response', response => finish(response.statusCode ?? 0))
    asked.once('error', () => setImmediate(finish, 0))
    const send = () => {
      if (answered) return
      if (sent === 100) {
        asked.end()
        return
      }
      sent++
      asked.write(piece, () => setImmediate(send))
    }

    send()
  })
}
