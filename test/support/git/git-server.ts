import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startChild } from '../../../src/git/process/child.ts'

/**
 * What the server does instead of serving: 'silent' sends headers and nothing more; a function
 * answers the request itself, or returns true to let the repository answer.
 */
export type ServerMode =
  | 'serve'
  | 'silent'
  | ((request: IncomingMessage, response: ServerResponse) => boolean | undefined)
  | { redirect: string }
  | { status: number; body: string; type?: string }

export type GitServerOptions = {
  /** The folder of the served repositories: /<name>.git. */
  folder: string
  /** "user:password", required by basic authentication. */
  login?: string
}

export type GitServer = {
  /** http://127.0.0.1:<port> */
  origin: string
  port: number
  /** Can be changed while the server runs. */
  mode: ServerMode
  /** Method, path and Authorization header of each request. */
  requests: { method: string; url: string; authorization: string | undefined }[]
  close: () => Promise<void>
}

/**
 * Serves repositories over HTTP like a Git host: `git http-backend` behind a small server on a free
 * port.
 */
export async function serveGit({ folder, login }: GitServerOptions): Promise<GitServer> {
  const server = createServer((request, response) => {
    const { authorization } = request.headers
    state.requests.push({ method: request.method ?? '', url: request.url ?? '', authorization })
    const { mode } = state

    if (typeof mode === 'function') {
      if (mode(request, response)) runBackend(folder, request, response)
    } else if (mode === 'silent') {
      response
        .writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
        .flushHeaders()
    } else if (mode !== 'serve' && 'redirect' in mode) {
      response.writeHead(302, { location: mode.redirect + request.url }).end()
    } else if (mode !== 'serve') {
      response.writeHead(mode.status, { 'content-type': mode.type ?? 'text/plain' }).end(mode.body)
    } else if (login && authorization !== `Basic ${Buffer.from(login).toString('base64')}`) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    } else runBackend(folder, request, response)
  })

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const state: GitServer = {
    origin: `http://127.0.0.1:${port}`,
    port,
    mode: 'serve',
    requests: [],
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }

  return state
}

function runBackend(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://host')
  const child = startChild(['git', 'http-backend'], {
    PATH: process.env.PATH ?? '',
    HOME: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.receivepack',
    GIT_CONFIG_VALUE_0: 'true',
    GIT_PROJECT_ROOT: folder,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: decodeURIComponent(pathname),
    QUERY_STRING: search.slice(1),
    REQUEST_METHOD: request.method ?? 'GET',
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    ...(request.headers['content-length'] && { CONTENT_LENGTH: request.headers['content-length'] }),
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
    GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    REMOTE_USER: 'test',
  })

  child.stderr.resume()
  child.stdin.on('error', () => {})
  request.pipe(child.stdin)
  let head = Buffer.alloc(0)
  let started = false

  child.stdout.on('data', (chunk: Buffer) => {
    if (started) return void response.write(chunk)
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end === -1) return
    started = true
    let status = 200

    for (const line of head.toString('latin1', 0, end).split('\r\n')) {
      const [, name = '', value = ''] = /^([^:]+): *(.*)$/.exec(line) ?? []
      if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10)
      else response.setHeader(name, value)
    }

    response.writeHead(status)
    response.write(head.subarray(end + 4))
  })
  child.on('close', () => response.end())
}
