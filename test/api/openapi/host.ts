import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { App } from '../../support/app.ts'
import { until } from '../../support/until.ts'

/** The response of a host at a path: a text, or a handler. */
export type Answer = string | ((response: ServerResponse, headers: IncomingHttpHeaders) => void)

/** An HTTP host with files on 127.0.0.1. */
export type Host = {
  origin: string
  files: Map<string, Answer>
  /** The paths that were asked for, in order. */
  asked: string[]
  stop: () => Promise<void>
}

/** Opens a host on a free port; unknown paths are 404. */
export async function openHost(): Promise<Host> {
  const files = new Map<string, Answer>()
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const answer = files.get(path)
    if (typeof answer === 'function') answer(response, request.headers)
    else response.writeHead(answer === undefined ? 404 : 200).end(answer)
  })

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))

  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files,
    asked,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Returns a small spec with one operation. */
export const petstore = (title: string): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title, version: '1' },
    paths: {
      '/pets': { get: { summary: 'List pets', responses: { 200: { description: 'Pets' } } } },
    },
  })

/** Waits until all sources of a spec are read, and returns the spec. */
export const processed = (app: App, path: string) =>
  until(`${path} is read`, async () => {
    const { body } = await app.admin.get(path)
    return body.processingState === 'complete' ? body : undefined
  })
