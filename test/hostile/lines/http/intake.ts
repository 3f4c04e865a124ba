import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { constants, deflateRawSync } from 'node:zlib'
import { beside } from '../../beside.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import { residentOf, type Stage } from '../../stage.ts'

/** A server with little memory and default limits. */
const small = () =>
  beside('limited', {
    nodeFlags: ['--max-old-space-size=256'],
    env: {
      STEMMA_MAX_REQUESTS_PER_MINUTE: '600',
      STEMMA_MAX_AUTH_FAILURES_PER_MINUTE: '60',
      STEMMA_MAX_SPACES_PER_DAY: '20',
      STEMMA_MAX_TOKENS: '20',
      STEMMA_MAX_REPOSITORY_MB: '40',
    },
  })

/** The start of a gzip body of 990,000 bytes whose end never arrives: 1 kB on the wire. */
const endless = (() => {
  const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])
  const options = { level: 9, finishFlush: constants.Z_SYNC_FLUSH }
  return Buffer.concat([head, deflateRawSync(Buffer.alloc(990_000, 'a'), options)])
})()

const headOf = (path: string, token: string | undefined, more: string[]) =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    ...(token ? [`Authorization: Bearer ${token}`] : []),
    'Content-Type: application/json',
    ...more,
    '',
    '',
  ].join('\r\n')

const gzipBody = (path: string, token?: string) => {
  const head = headOf(path, token, ['Content-Encoding: gzip', 'Transfer-Encoding: chunked'])
  return Buffer.concat([
    Buffer.from(`${head}${endless.length.toString(16)}\r\n`),
    endless,
    Buffer.from('\r\n'),
  ])
}
const plainBody = (path: string, token?: string) =>
  Buffer.concat([
    Buffer.from(headOf(path, token, ['Content-Length: 999999'])),
    Buffer.alloc(400_000, 'a'),
  ])

/** Opens connections from 20 addresses of this machine; each sends its part and then waits. */
function open(url: string, parts: readonly Buffer[]): Socket[] {
  const { hostname, port } = new URL(url)
  return parts.map((part, index) => {
    const socket = connect({
      port: Number(port),
      host: hostname,
      localAddress: `127.0.0.${2 + (index % 20)}`,
    })

    socket.on('error', () => {})
    socket.on('data', () => {})
    socket.on('connect', () => socket.write(part))

    return socket
  })
}

const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** Returns the median time of /healthz, in milliseconds. */
async function healthMs(stage: Stage): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 15; i++) {
    const begun = performance.now()
    const { status } = await stage.call('GET', '/healthz', { as: 'nobody' })
    must(status === 200, `/healthz answers ${status}`)
    times.push(performance.now() - begun)
    await wait(50)
  }

  return times.sort((a, b) => a - b)[7] as number
}

/** Half-open bodies, which must take little memory while other requests are answered. */
const halfOpen =
  (bodyOf: (index: number, tokens: Record<string, string>) => Buffer, count = 2_000) =>
  async (): Promise<Seen> => {
    const stage = await small()
    const parts = Array.from({ length: count }, (_, index) => bodyOf(index, stage.tokens))
    const sockets = open(stage.url, parts)

    try {
      await wait(3_000)
      const [ms, mb] = [await healthMs(stage), residentOf(stage.pid)]
      must(mb < 300, `${Math.round(mb)} MB are resident`)
      must(ms < 100, `/healthz takes ${Math.round(ms)} ms`)
      return { status: 200, text: `${Math.round(mb)} MB, ${Math.round(ms)} ms` }
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  }

const tokensPath = '/v1/user/tokens'

/** A guest announces five bodies of 100 MB together, while another user sends a large body. */
async function promises(): Promise<Seen> {
  const stage = await small()
  const sizes = [21_900_000, 21_900_000, 21_900_000, 21_900_000, 12_399_999]
  const parts = sizes.map(size => {
    const head = headOf('/v1/orgs/nowhere/openapi/x', stage.tokens.reader, [
      `Content-Length: ${size}`,
    ])
    return Buffer.from(`${head.replace('POST', 'PUT')}{`)
  })
  const sockets = open(stage.url, parts)

  try {
    await wait(500)
    const space = await stage.space()
    const page = {
      operation: 'insert_page',
      title: 'Large',
      document: { markdown: 'word '.repeat(400_000) },
    }
    return await stage.call('POST', `/v1/spaces/${space}/content`, { body: { changes: [page] } })
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

/** Silent connections of one address; then a request from that address. */
async function silent(): Promise<Seen> {
  const stage = await small()
  const { hostname, port } = new URL(stage.url)
  const sockets = Array.from({ length: 2_000 }, () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    return socket
  })

  try {
    await wait(1_000)
    return await stage.call('GET', '/v1/user')
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

async function wrongTokens(): Promise<Seen> {
  const stage = await small()
  let last: Seen = { status: 0, text: '' }
  const before = stage.log().length

  for (let i = 0; i < 300; i++) {
    const seen = await stage.call('GET', '/v1/user', {
      as: 'nobody',
      headers: { authorization: `Bearer stm_${String(i).padStart(43, '0')}` },
    })
    // Occasionally one more is let through and refused as wrong.
    if (seen.status === 429 || last.status === 0) last = seen
  }

  must(Number(last.headers?.['retry-after']) > 0, 'it does not say when to try again')
  const good = await stage.call('GET', '/v1/user', { as: 'reader' })

  must(good.status === 200, `a valid token of the same address gets ${good.status}`)
  const lines = stage.log().slice(before).split('\n')
  const failures = lines.filter(text => text.includes('"msg":"authentication failed"'))

  must(failures.length >= 60 && failures.length < 200, `${failures.length} failures are in the log`)
  must(failures[0]?.includes('"address":"127.0.0.1"'), `the log says ${failures[0]}`)
  const metrics = await stage.call('GET', '/metrics', { as: 'nobody' })

  must(
    /stemma_auth_failures_total\{reason="unknown"\} \d+/.test(metrics.text),
    'no metric counts them',
  )

  return last
}

const tooOften = async (): Promise<Seen> => {
  const stage = await small()
  let last: Seen = { status: 0, text: '' }
  for (let i = 0; i < 2_000 && last.status !== 429; i++)
    last = await stage.call('GET', '/v1/orgs', { as: 'editor' })
  must(Number(last.headers?.['retry-after']) > 0, 'it does not say when to try again')
  must(
    (await stage.call('GET', '/v1/user', { as: 'reader' })).status === 200,
    'others are refused as well',
  )

  return last
}

/** Repeats a call until it is refused. */
const untilRefused =
  (path: string, body: (index: number) => unknown, as: string, most: number) =>
  async (): Promise<Seen> => {
    const stage = await small()
    let last: Seen = { status: 0, text: '' }
    for (let i = 0; i < most && last.status !== 429; i++)
      last = await stage.call('POST', path, { as, body: body(i) })
    must(Number(last.headers?.['retry-after']) > 0, 'it does not say when to try again')
    return last
  }

/** Adds incompressible files of 1 MB until the space is full. */
async function fill(): Promise<Seen> {
  const stage = await small()
  const made = await stage.call('POST', '/v1/orgs/globex/spaces', {
    as: 'stranger',
    body: { title: 'Full' },
  })
  const space = JSON.parse(made.text).id
  let last: Seen = { status: 0, text: '' }

  for (let i = 0; i < 60 && last.status !== 413; i++) {
    const file = {
      name: `f${i}.bin`,
      contentType: 'application/octet-stream',
      base64: randomBytes(1_000_000).toString('base64'),
    }

    last = await stage.call('POST', `/v1/spaces/${space}/content`, {
      as: 'stranger',
      body: { changes: [{ operation: 'insert_files', files: [file] }] },
    })

    must(
      [200, 413].includes(Number(last.status)),
      `it answers ${last.status} ${last.text.slice(0, 200)}`,
    )
  }

  const read = await stage.call('GET', `/v1/spaces/${space}/content/pages`, { as: 'stranger' })

  must(read.status === 200, `reading answers ${read.status}`)

  return last
}

async function headers(): Promise<Seen> {
  const stage = await small()
  let seen: Seen = { status: 0, text: '' }
  for (const path of ['/v1/user', '/v1/nothing', '/docs', '/', '/healthz', '/metrics']) {
    seen = await stage.call('GET', path)
    const { headers = {} } = seen

    // The pages for readers may be framed by their own origin, and say to others where a reader
    // comes from.
    const [framedBy, says] =
      path === '/' ? ['self', 'strict-origin-when-cross-origin'] : ['none', 'no-referrer']
    const policy = headers['content-security-policy'] ?? ''

    must(policy.includes(`frame-ancestors '${framedBy}'`), `${path} may be framed`)
    must(headers['referrer-policy'] === says, `${path} has no Referrer-Policy`)
    must(headers['cross-origin-opener-policy'] === 'same-origin', `${path} has no opener policy`)
  }

  return seen
}

const metricsFor = async (): Promise<Seen> => {
  const stage = await small()
  return stage.call('GET', '/metrics', { as: 'nobody', headers: { host: 'evil.example:4310' } })
}

const named = (path: string, method: string, body: unknown) => async (stage: Stage) =>
  stage.call(method, path, { body })

const slow = { slow: true, mostMs: 180_000 }
export const intake: Line[] = [
  line(
    'S145',
    '2,000 endless gzip bodies, without a token, in a heap of 256 MB',
    200,
    'under 300 MB, and others are answered',
    halfOpen(() => gzipBody(tokensPath)),
    slow,
  ),
  line(
    'S145',
    '2,000 endless gzip bodies, with a token',
    200,
    'under 300 MB, and others are answered',
    halfOpen((_, tokens) => gzipBody('/v1/orgs/acme/spaces', tokens.admin)),
    slow,
  ),
  line(
    'S146',
    '2,000 endless plain bodies, half of them with a token',
    200,
    'under 300 MB, and others are answered',
    halfOpen((index, tokens) =>
      plainBody('/v1/orgs/acme/spaces', index % 2 ? tokens.admin : undefined),
    ),
    slow,
  ),
  line(
    'S147',
    '2,000 silent connections from one address',
    200,
    'others of that address are answered',
    silent,
    {
      slow: true,
    },
  ),
  line('S148', 'declared bodies of 100 MB from a guest', 200, 'keep nobody else out', promises),
  line('S87', '300 wrong tokens from one address', 429, /unusable token/, wrongTokens),
  line('S87', 'requests without pause', 429, /Too many requests/, tooOften),
  line(
    'S77',
    '40 tokens',
    429,
    /tokens/,
    untilRefused(tokensPath, index => ({ name: `t${index}` }), 'reader', 40),
  ),
  line(
    'S168',
    '40 spaces of one user within a day',
    429,
    /spaces/,
    untilRefused('/v1/orgs/acme/spaces', index => ({ title: `S${index}` }), 'admin', 40),
  ),
  line('S168', '60 files of 1 MB into a space that may have 40', 413, /limit/, fill, slow),
  line('S143', '/metrics with the name of another host', 403, /this machine/, metricsFor),
  line('S144', 'headers of every kind of answer', 200, 'no frame, no referrer', headers),
  ...['a\u202eb', 'a\u200bb', '\u2066a', 'a\u00adb', 'a\u{e0041}b'].map(title =>
    line(
      'S67',
      `a title with ${JSON.stringify(title).replace(/[^\x20-\x7e]/g, sign => `U+${sign.codePointAt(0)?.toString(16)}`)}`,
      400,
      /invisible/,
      named('/v1/orgs/acme/spaces', 'POST', { title }),
    ),
  ),
  line(
    'S68',
    'a display name with an address',
    400,
    /angle brackets/,
    named('/v1/users/admin', 'PATCH', { displayName: 'Admin <admin@example.org>' }),
  ),
]
