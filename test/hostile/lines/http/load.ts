import { connect } from 'node:net'
import { call, type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'

/** Many connections that send a byte now and then; other requests have to be served. */
const slowHeaders =
  (count: number, seconds: number) =>
  async (stage: Stage): Promise<Seen> => {
    const { hostname, port } = new URL(stage.url)
    let closed = 0
    const sockets = Array.from({ length: count }, () => {
      const socket = connect(Number(port), hostname, () =>
        socket.write('GET /v1/user HTTP/1.1\r\nX-'),
      )
      socket.on('error', () => {})
      socket.on('data', () => {})
      socket.on('close', () => closed++)
      return socket
    })
    const timer = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write('a')
    }, 1000)
    let seen: Seen = { status: 0, text: '' }
    const until = performance.now() + seconds * 1000

    while (performance.now() < until) {
      seen = await stage.call('GET', '/v1/spaces/{space}/content/pages')
      must(seen.status === 200, `others get ${seen.status}`)
      await new Promise(resolve => setTimeout(resolve, 100))
    }

    clearInterval(timer)
    for (const socket of sockets) socket.destroy()
    must(seconds < 20 || closed === count, `${closed} of ${count} were closed`)

    return seen
  }

const pipelined = async (stage: Stage): Promise<Seen> => {
  const one = `GET /v1/user HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${stage.tokens.admin}\r\n\r\n`
  return stage.raw(
    one.repeat(2000) + one.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
    10_000,
  )
}

/** The same page with 1,000 unknown queries, and lists with 1,000 limits. */
const queries = async (stage: Stage): Promise<Seen> => {
  let seen: Seen = { status: 0, text: '' }
  for (let i = 0; i < 1000; i++)
    seen = await stage.call('GET', `/v1/spaces/{space}/content/pages?x${i}=1`)
  for (let i = 1; i <= 300; i++)
    await stage.call('GET', `/v1/spaces/{space}/content/files?limit=${i}`)
  return seen
}

const escapes = async (stage: Stage): Promise<Seen> => {
  const seen = await stage.call('GET', '/v1/%1b[31mred%0a{"level":60}', {
    headers: { 'user-agent': 'x\u00ff'.repeat(100) },
  })
  must(!stage.log().includes('\u001b'), 'an escape sequence is in the log')
  must(!stage.log().includes('\n{"level":60}'), 'a line of the log is made up')
  return seen
}

const changes = (markdown: string) => ({
  changes: [{ operation: 'insert_page', title: 'Long', document: { markdown } }],
})

/** Replaces this page by another text in a change request; returns the diff. */
const differing =
  (first: string, second: string) =>
  async (stage: Stage): Promise<Seen> => {
    const space = await stage.space()
    await stage.call('POST', `/v1/spaces/${space}/content`, { body: changes(first) })
    const pages = JSON.parse(
      (await stage.call('GET', `/v1/spaces/${space}/content/pages`)).text,
    ).pages
    const page = pages.at(-1).id
    const request = JSON.parse(
      (await stage.call('POST', `/v1/spaces/${space}/change-requests`, { body: { subject: 'x' } }))
        .text,
    )
    const at = `/v1/spaces/${space}/change-requests/${request.id}`
    const edit = { changes: [{ operation: 'update_page', page, document: { markdown: second } }] }
    const edited = await stage.call('POST', `${at}/content`, { body: edit })

    must(edited.status === 200, `the edit answers ${edited.status} ${edited.text.slice(0, 200)}`)
    const semantic = await stage.call('GET', `${at}/changes`)

    must(
      semantic.status === 200,
      `the changes answer ${semantic.status} ${semantic.text.slice(0, 200)}`,
    )

    return stage.call('GET', `${at}/changes?format=diff`)
  }

/** Both sides rewrite a page, which is merged three ways through `baseRevision`. */
const mergingTexts =
  (lines: number) =>
  async (stage: Stage): Promise<Seen> => {
    const space = await stage.space()
    const text = (salt: string) =>
      Array.from({ length: lines }, (_, i) => `${salt} ${(i * 7919) % 1000}\n`).join('')
    const made = await stage.call('POST', `/v1/spaces/${space}/content`, {
      body: changes(text('a')),
    })
    const { revision } = JSON.parse(made.text)
    const page = JSON.parse(
      (await stage.call('GET', `/v1/spaces/${space}/content/pages`)).text,
    ).pages.at(-1).id
    const update = (markdown: string, more: object) => ({
      changes: [{ operation: 'update_page', page, document: { markdown }, ...more }],
    })

    await stage.call('POST', `/v1/spaces/${space}/content`, { body: update(text('b'), {}) })

    return stage.call('POST', `/v1/spaces/${space}/content`, {
      body: update(text('c'), { baseRevision: revision }),
    })
  }

const numbered = (count: number, salt: string) =>
  Array.from({ length: count }, (_, i) => `${salt} ${i}\n`).join('')

const blocks = (depth: number): unknown => {
  let node: unknown = { object: 'text', leaves: [{ text: 'x' }] }
  for (let i = 0; i < depth; i++) node = { object: 'block', type: 'blockquote', nodes: [node] }
  return { object: 'document', nodes: [node] }
}

export const load: Line[] = [
  line(
    'L1',
    '1,000 connections that send a byte a second',
    200,
    'others are served',
    slowHeaders(1000, 3),
    {
      slow: true,
    },
  ),
  line(
    'L1',
    '500 connections that send a byte a second, for 25 seconds',
    200,
    'are closed',
    slowHeaders(500, 25),
    { slow: true },
  ),
  line('L5', '2,000 requests at once', 200, /./, pipelined),
  line('L4', '1,000 unknown query parameters, which are ignored', 200, /"pages"/, queries),
  line('L6', 'escape sequences and line ends for the log', 404, 'a line is a line', escapes),
  line('L6', 'a user agent of 1 MB', '431|closed', 'is hung up on', stage =>
    stage.raw(`GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: ${'x'.repeat(1_000_000)}\r\n\r\n`),
  ),
  line(
    'L7',
    'a diff of one line of 5 MB',
    200,
    'is made, or cut',
    differing(`x${'a'.repeat(5_000_000)}`, `y${'a'.repeat(5_000_000)}`),
  ),
  line(
    'L7',
    'a diff of 100,000 changed lines',
    200,
    'is made, or cut',
    differing(numbered(100_000, 'a'), numbered(100_000, 'b')),
  ),
  line('L7', 'two edits of the same 3,000 lines', 409, /changed|conflict/i, mergingTexts(3000)),
  line('L7', 'two edits of the same 60,000 lines', 409, /changed|conflict/i, mergingTexts(60_000), {
    slow: true,
  }),
  line(
    'L7',
    '50 pages of 500 KB in one batch',
    '200|413',
    'is made',
    call('POST /v1/spaces/{space}/content', {
      changes: Array.from({ length: 50 }, (_, i) => ({
        operation: 'insert_page',
        title: `P${i}`,
        document: { markdown: 'word [link](x.md)\n'.repeat(27_000) },
      })),
    }),
    // A batch is computed in one step: these are 25 MB.
    { slow: true, mostWait: 1_000 },
  ),
  line(
    'C9',
    'a document of blocks nested 25 deep',
    '200|400',
    /./,
    call('POST /v1/spaces/{space}/content', {
      changes: [{ operation: 'insert_page', title: 'Deep', document: { document: blocks(25) } }],
    }),
  ),
  line(
    'C9',
    'a document of blocks nested 1,000 deep',
    400,
    /deep/,
    call('POST /v1/spaces/{space}/content', {
      changes: [{ operation: 'insert_page', title: 'Deep', document: { document: blocks(1000) } }],
    }),
  ),
]
