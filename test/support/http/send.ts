import { type IncomingMessage, request } from 'node:http'
import { foldersFollow, takeFromFolders } from '../git/from-folder.ts'

type Sent = { method: string; headers: Record<string, string>; body: string | Buffer | undefined }

/**
 * Sends a request and reads the response as text. Redirects are not followed. `fetch` takes twice
 * the processor time, which is a large part of the suite's.
 */
export async function send(url: string, { method, headers, body }: Sent): Promise<Received> {
  await takeFromFolders()
  const reply = await answerOf(url, { method, headers, body })
  await foldersFollow()
  return reply
}

type Received = { status: number; headers: Headers; text: string }

function answerOf(url: string, { method, headers, body }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const length = body !== undefined && { 'content-length': Buffer.byteLength(body) }
    let responded = false
    const outgoing = request(
      url,
      { method, agent: false, headers: { accept: '*/*', ...length, ...headers } },
      response => {
        responded = true
        read(response).then(
          text => resolve({ status: response.statusCode ?? 0, headers: headersOf(response), text }),
          reject,
        )
      },
    )

    // A server may respond and close the connection before it has read the body: the response
    // counts.
    outgoing.on('error', error => !responded && reject(error))
    outgoing.end(body)
  })
}

async function read(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string)
  return headers
}
