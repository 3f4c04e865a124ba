import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Failure } from '../output/failure.ts'

/** The page that the browser shows in the end. */
const page = (sentence: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Stemma</title></head><body><p>${sentence}</p></body></html>`

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  connection: 'close',
}

/** How long the page at the end of a sign-in has to arrive, in milliseconds. */
const lastPageMs = 300

/** A listener on this machine, to which the browser returns from a sign-in. */
type Listener = {
  /** The address that the sign-in returns to. */
  redirectUri: string
  /** Resolves with the one-time code that came with the right `state`. */
  code: Promise<string>
  close: () => void
}

/**
 * Listens on a free port of 127.0.0.1 for the end of a sign-in. Requests with another `state` are
 * refused and change nothing. `code` rejects with Failure after `limitMs`.
 */
export async function listenForCode(state: string, limitMs: number): Promise<Listener> {
  const server = createServer()
  const code = codeFrom(server, state, limitMs)

  // It may reject before the caller waits for it.
  code.catch(() => undefined)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo

  return {
    redirectUri: `http://127.0.0.1:${port}/callback`,
    code,
    close: () => {
      server.close()
      // Browsers open connections in advance, on which they send nothing. The last page has its
      // time to arrive.
      setTimeout(() => server.closeAllConnections(), lastPageMs).unref()
    },
  }
}

function codeFrom(server: Server, state: string, limitMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () =>
        reject(
          new Failure('The sign-in was not completed within ten minutes. Run the command again.'),
        ),
      limitMs,
    )

    server.once('close', () => clearTimeout(timer))
    server.on('request', (req: IncomingMessage, res: ServerResponse) => {
      const url = URL.parse(req.url ?? '', 'http://127.0.0.1')
      const found =
        req.method === 'GET' && url?.pathname === '/callback' ? url.searchParams : undefined
      const code = found && isSame(found.get('state') ?? '', state) ? found.get('code') : null

      if (!code) {
        res
          .writeHead(found ? 400 : 404, headers)
          .end(page('This address does not belong to the sign-in.'))
        return
      }

      res
        .writeHead(200, headers)
        .end(page('You are signed in. Close this page and return to the terminal.'))
      resolve(code)
    })
  })
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}
