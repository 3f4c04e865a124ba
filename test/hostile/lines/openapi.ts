import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type Line, line, must, type Seen, skipped } from '../line.ts'
import { plantedPassword, type Stage } from '../stage.ts'
import { innerHosts, strict, withCanary } from './http/addresses.ts'

const list = '/v1/orgs/acme/openapi'

const info = { title: 'Hostile', version: '1' }
const ok = { responses: { 200: { description: 'ok' } } }
const description = (rest: object) =>
  JSON.stringify({ openapi: '3.1.0', info, paths: { '/a': { get: ok } }, ...rest })

/** Requests a description on a server with default settings; an accepted one is awaited. */
const to = (url: string) => () =>
  withCanary(async port => read(await strict(), { url: url.replaceAll('PORT', String(port)) }))

let counter = 0

/** Creates a description and waits for the attempt; returns its error ('complete' without one). */
async function read(stage: Stage, source: object): Promise<Seen> {
  const path = `${list}/hostile-${++counter}`
  const made = await stage.call('PUT', path, { body: { source } })
  if (made.status !== 201) return made

  for (;;) {
    const { text } = await stage.call('GET', path)
    const { lastProcessedAt, lastProcessErrorCode } = JSON.parse(text)
    if (lastProcessedAt) return { status: lastProcessErrorCode ?? 'complete', text }
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

const text = (sent: string) => (stage: Stage) => read(stage, { text: sent })

/** A host on this machine with arbitrary answers. */
async function answering(
  answer: RequestListener,
  work: (origin: string) => Promise<Seen>,
): Promise<Seen> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

const from = (answer: RequestListener) => (stage: Stage) =>
  answering(answer, origin => read(stage, { url: `${origin}/openapi.json` }))

const redirectsTo = (location: (port: number) => string) => (stage: Stage) =>
  withCanary(port =>
    from((_, response) => response.writeHead(302, { location: location(port) }).end())(stage),
  )

/** A description that refers to a file, counting the other requests to its host. */
const referringTo = (ref: (port: number) => string) => (stage: Stage) =>
  withCanary(async port => {
    const asked: string[] = []
    const seen = await answering(
      (request, response) => {
        asked.push(String(request.url))
        response.end(description({ paths: { '/a': { $ref: ref(port) } } }))
      },
      origin => read(stage, { url: `${origin}/deep/openapi.json` }),
    )

    must(asked.join() === '/deep/openapi.json', `it asked for ${asked.join()}`)
    must(!seen.text.includes('root:'), 'a file of the machine is shown')

    return seen
  })

const lol = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...[...'bcdefghij'].map(
    (name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[at]}`).join()}]`,
  ),
].join('\n')

/** A valid description whose host changes. */
const laterOn = (answer: RequestListener) => async (stage: Stage) => {
  let later = false
  return answering(
    (request, response) => (later ? answer(request, response) : response.end(description({}))),
    async origin => {
      const path = `${list}/later-${++counter}`
      const put = () =>
        stage.call('PUT', path, { body: { source: { url: `${origin}/openapi.json` } } })
      await put()
      const good = await until(stage, path, ({ lastVersion }) => lastVersion !== undefined)

      later = true
      await put()
      const bad = await until(stage, path, spec => spec.lastProcessedAt !== good.lastProcessedAt)

      must(bad.lastVersion === good.lastVersion, 'the last good version is gone')

      return { status: bad.lastProcessErrorCode ?? 'complete', text: JSON.stringify(bad) }
    },
  )
}

type Spec = { lastVersion?: string; lastProcessedAt?: string; lastProcessErrorCode?: string }

async function until(stage: Stage, path: string, holds: (spec: Spec) => boolean): Promise<Spec> {
  for (;;) {
    const spec = JSON.parse((await stage.call('GET', path)).text) as Spec
    if (holds(spec)) return spec
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

const manyOperations = () =>
  description({
    paths: Object.fromEntries(
      Array.from({ length: 100_000 }, (_, n) => [`/${n}`, { get: { operationId: 'same', ...ok } }]),
    ),
  })

const schemas = (all: object) => description({ components: { schemas: all } })
const ref = (name: string | number) => ({ $ref: `#/components/schemas/${name}` })
const chain = (length: number) =>
  schemas(Object.fromEntries(Array.from({ length }, (_, n) => [`S${n}`, ref(`S${n + 1}`)])))
const diamond = () =>
  schemas(
    Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [
        `S${n}`,
        { allOf: [ref(`S${n + 1}`), ref(`S${n + 1}`)] },
      ]),
    ),
  )

const inside = /private or reserved/
const knownHosts = innerHosts.filter(host => !host.startsWith('here.localhost'))
/** The body is JSON that contains the text, and takes a while to process. */
const large = { mostWait: 1_000 }

export const openapiLines: Line[] = [
  ...knownHosts.map(host =>
    line('I1', `a spec at https://${host}`, 400, inside, to(`https://${host}`)),
  ),
  ...['docs.invalid', 'half.example', 'localhost'].map(name =>
    line(
      'I1',
      `a description at ${name}, a name of a private address`,
      400,
      inside,
      to(`https://${name}:PORT/x`),
    ),
  ),
  line(
    'I1',
    'a name that resolves to a public address first, then to this machine',
    'FETCH_ERROR',
    inside,
    to('https://turning.openapi.example:PORT/x'),
  ),
  ...[
    'http://example.org/x',
    'ftp://example.org/x',
    'file:///etc/passwd',
    `https://me:${plantedPassword}@example.org/x`,
    'https://127.0.0.1\\@example.org/x',
    'https://',
    `https://example.org/${'x'.repeat(3_000)}`,
  ].map(url => line('I1', `a spec at ${url.slice(0, 40)}`, 400, /url|private/, to(url))),
  ...(
    [
      ['file:///etc/passwd', () => 'file:///etc/passwd'],
      ['gopher:', () => 'gopher://127.0.0.1/x'],
    ] as const
  ).map(([what, location]) =>
    line('I1', `a redirect to ${what}`, 'FETCH_ERROR', /not https/, redirectsTo(location)),
  ),
  line(
    'I1',
    'endless redirects',
    'FETCH_ERROR',
    /more than 3/,
    from((_, response) => response.writeHead(302, { location: '/again' }).end()),
  ),
  ...(
    [
      ['file:///etc/passwd', () => 'file:///etc/passwd'],
      ['/etc/passwd', () => '/etc/passwd'],
      ['http://10.0.0.1/x', () => 'http://10.0.0.1/x'],
      ['another port of its host', (port: number) => `http://127.0.0.1:${port}/x`],
      ['//127.0.0.1', (port: number) => `//127.0.0.1:${port}/x`],
      ['gopher:', () => 'gopher://127.0.0.1/x'],
      ['a folder of another system', () => 'C:\\Windows\\win.ini'],
    ] as const
  ).map(([what, address]) =>
    line('I2', `$ref: ${what}`, 'complete', /UNRESOLVED_REF/, referringTo(address)),
  ),
  line(
    'I2',
    '$ref: ../../../../etc/passwd, in a text',
    'complete',
    /UNRESOLVED_REF/,
    text(description({ paths: { '/a': { $ref: '../../../../etc/passwd' } } })),
  ),
  line('I3', 'a YAML alias bomb', 'PARSE_ERROR', /alias|values/i, text(`openapi: 3.1.0\n${lol}`)),
  line('I3', 'a body of 50 MB', 413, /too large/, stage =>
    stage.raw(
      [
        `POST ${list} HTTP/1.1`,
        'Host: a',
        `Authorization: Bearer ${stage.tokens.admin}`,
        'Content-Type: application/json',
        'Content-Length: 50000000',
        '',
        '{"slug": "fifty", "source": {"text": "',
      ].join('\r\n'),
      2_000,
    ),
  ),
  line('I3', 'a text of 11 MB', 413, /10 MB/, text('x'.repeat(11_000_000)), large),
  line(
    'I3',
    'a response of 50 MB',
    'FETCH_ERROR',
    /too large/,
    from((_, response) => {
      response.writeHead(200)
      response.end(Buffer.alloc(50_000_000, ' '))
    }),
  ),
  line(
    'I3',
    'a response that declares 1 GB',
    'FETCH_ERROR',
    /too large/,
    from((_, response) => {
      response.writeHead(200, { 'content-length': 1_000_000_000 })
      response.write('{')
    }),
  ),
  line(
    'I3',
    'a response longer than declared',
    'PARSE_ERROR|FETCH_ERROR',
    'it ends',
    from((_, response) => {
      response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n${description({})}`)
    }),
  ),
  ...(
    [
      ['gzip', gzipSync(Buffer.alloc(200_000_000))],
      ['br', brotliCompressSync(Buffer.alloc(50_000_000))],
    ] as const
  ).map(([encoding, bytes]) =>
    line(
      'I3',
      `a ${encoding} bomb from a host`,
      'FETCH_ERROR',
      /too large/,
      from((_, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).end(bytes)
      }),
    ),
  ),
  line('I3', 'nine million lines', 'PARSE_ERROR', /lines/, text('\n'.repeat(9_000_000)), large),
  line(
    'I3',
    'a text 10,000 levels deep',
    'PARSE_ERROR',
    /nested/,
    text(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
  ),
  line(
    'I3',
    'YAML 1,000,000 levels deep',
    'PARSE_ERROR',
    /nested|valid/,
    text('- '.repeat(1_000_000)),
  ),
  line(
    'I4',
    'a schema that refers to itself',
    'complete',
    /UNRESOLVED_REF/,
    text(schemas({ A: ref('A') })),
  ),
  line(
    'I4',
    'schemas that refer to each other in a circle',
    'complete',
    'it ends',
    text(schemas({ A: { properties: { b: ref('B') } }, B: { properties: { a: ref('A') } } })),
  ),
  line('I4', 'a chain of 10,000 references', 'complete', 'it ends', text(chain(10_000))),
  line('I4', 'an allOf diamond with 2^30 paths', 'complete', 'it ends', text(diamond())),
  line(
    'I5',
    'a pattern that takes forever, and URLs with scripts',
    'complete',
    'it ends',
    text(
      description({
        servers: [{ url: 'javascript:alert(1)' }],
        components: {
          schemas: {
            A: { type: 'string', pattern: '^(a+)+$', example: `${'a'.repeat(50)}!<script>` },
          },
        },
      }),
    ),
  ),
  line(
    'I6',
    'a spec that no longer exists',
    'FETCH_ERROR',
    /answered 404/,
    laterOn((_, response) => {
      response.writeHead(404).end()
    }),
  ),
  line(
    'I6',
    'a spec that becomes a page of HTML',
    'PARSE_ERROR',
    'the last good version stays',
    laterOn((_, response) => {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><title>Sign in</title>')
    }),
  ),
  line(
    'I6',
    'a host that hangs up',
    'FETCH_ERROR',
    /could not be reached|broke off/,
    laterOn(request => {
      request.socket.destroy()
    }),
  ),
  line(
    'I6',
    'a host that answers 304',
    'FETCH_ERROR',
    /answered 304/,
    laterOn((_, response) => {
      response.writeHead(304).end()
    }),
  ),
  line(
    'I6',
    'a host that sends nothing',
    'FETCH_TIMEOUT',
    /took too long/,
    laterOn(() => {}),
    { slow: true },
  ),
  line(
    'I7',
    'paths named like properties of every object',
    'complete',
    'they are names',
    text(
      `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"__proto__":{"get":{}},"constructor":{"get":{}},"/__proto__":{"get":{}}}}`,
    ),
  ),
  line(
    'I7',
    '100,000 operations with one operationId',
    'complete|PARSE_ERROR',
    'it ends',
    async stage => read(stage, { text: manyOperations() }),
    { slow: true, mostWait: 1_000 },
  ),
  skipped('I8', 'a request of a reader that is sent on', 'there is no operation that sends one'),
]
