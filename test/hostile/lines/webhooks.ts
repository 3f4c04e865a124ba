import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { call, type Line, line, must, type Seen } from '../line.ts'
import { plantedPassword, type Stage } from '../stage.ts'
import { innerHosts, strict, withCanary } from './http/addresses.ts'

const webhooks = '/v1/orgs/acme/webhooks'
const events = ['space_gitsync_started']
const secret = plantedPassword

const make = (fields: object, as = 'admin') =>
  call(`POST ${webhooks}`, { url: 'https://example.org/', events, secret, ...fields }, { as })
/** Creates a webhook with a URL on a server with default settings. */
const to = (url: string) => () =>
  withCanary(async port =>
    (await strict()).call('POST', webhooks, {
      body: { url: url.replaceAll('PORT', String(port)), events, secret },
    }),
  )

/**
 * Sends a ping from a stage and waits for the first attempt; returns its outcome as the delivery
 * shows it.
 */
async function ping(stage: Stage, url: string): Promise<Seen> {
  const made = await stage.call('POST', webhooks, { body: { url, events, secret } })
  must(made.status === 201, `the webhook was answered ${made.status} ${made.text}`)
  must(!made.text.includes(secret), 'the secret is shown')
  const path = `${webhooks}/${JSON.parse(made.text).id}`

  try {
    const sent = await stage.call('POST', `${path}/ping`)
    must(sent.status === 202, `the ping was answered ${sent.status} ${sent.text}`)
    const delivery = `${path}/deliveries/${JSON.parse(sent.text).id}`

    for (;;) {
      const { text } = await stage.call('GET', delivery)
      const { attempts, state, statusCode } = JSON.parse(text)
      must(!text.includes(secret), 'the secret is shown')
      if (attempts > 0)
        return { status: state === 'success' ? 'success' : (statusCode ?? 'failure'), text }
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  } finally {
    await stage.call('DELETE', path)
  }
}

/** A receiver with invalid answers. */
const answering = (answer: RequestListener) => async (stage: Stage) => {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))

  try {
    const seen = await ping(stage, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    must(!seen.text.includes('internal-secret'), 'what the receiver said is shown')
    return seen
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** Redirects to a forbidden target, and counts its connections. */
const redirecting = (stage: Stage) =>
  withCanary(port =>
    answering((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end()
    })(stage),
  )

const tooMany = async (stage: Stage): Promise<Seen> => {
  const made: string[] = []
  const path = '/v1/orgs/globex/webhooks'
  const body = { url: 'http://127.0.0.1:2/', events, secret }

  try {
    for (let n = 0; n < 30; n++) {
      const seen = await stage.call('POST', path, { as: 'stranger', body })
      if (seen.status !== 201) return seen
      made.push(JSON.parse(seen.text).id)
    }
    return { status: 201, text: 'There is no end to them.' }
  } finally {
    for (const id of made) await stage.call('DELETE', `${path}/${id}`, { as: 'stranger' })
  }
}

const inside = /private or reserved/

export const webhookLines: Line[] = [
  ...innerHosts.map(host =>
    line('J6', `a webhook to https://${host}`, 400, inside, to(`https://${host}`)),
  ),
  ...['docs.invalid', 'half.example', 'localhost'].map(name =>
    line(
      'J6',
      `a webhook to ${name}, a name of a private address`,
      400,
      inside,
      to(`https://${name}:PORT/x`),
    ),
  ),
  line(
    'J6',
    'a webhook to a name that resolves to a public address first, then to this machine',
    'failure',
    inside,
    () =>
      withCanary(async port => ping(await strict(), `https://turning.webhook.example:${port}/x`)),
  ),
  ...[
    ...[
      'http://example.org/',
      'ftp://example.org/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'example.org',
      '',
    ],
    ...[
      'https://user:pass@example.org/',
      'https://127.0.0.1\\@example.org/',
      'https://',
      'https://exa mple.org/',
    ],
    ...['https://example.org/\u0000', `https://example.org/${'x'.repeat(2_048)}`],
  ].map(url =>
    line('J6', `a webhook to ${JSON.stringify(url).slice(0, 60)}`, 400, /url|NUL|https/, to(url)),
  ),
  line(
    'J6',
    'a receiver that redirects to a private address',
    307,
    /redirects are not followed/,
    redirecting,
  ),
  line(
    'J6',
    'a receiver that answers 500 with a secret',
    500,
    /answered 500/,
    answering((_, response) => response.writeHead(500).end('internal-secret')),
  ),
  line(
    'J6',
    'a receiver that hangs up',
    'failure',
    /could not be reached/,
    answering(request => request.socket.destroy()),
  ),
  line(
    'J6',
    'a receiver that sends nothing',
    'failure',
    /took too long/,
    answering(() => {}),
  ),
  line(
    'J6',
    'a receiver that answers endlessly',
    'success|failure',
    'it is not read to its end',
    answering((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write('internal-secret'.repeat(1000)));
      }
      response.on('drain', more)
      more()
    }),
  ),
  line(
    'J6',
    'a receiver of 10,000 headers',
    'failure|200|success',
    /./,
    answering((_, response) => {
      for (let n = 0; n < 10_000; n++) response.setHeader(`x-${n}`, 'internal-secret')
      response.end()
    }),
  ),
  ...['x'.repeat(15), '', 'x'.repeat(201), 5, null, ['x'.repeat(16)]].map(value =>
    line(
      'J6',
      `the secret ${JSON.stringify(value).slice(0, 30)}`,
      400,
      /secret/,
      make({ secret: value }),
    ),
  ),
  line('J6', 'no secret', 400, /secret/, make({ secret: undefined })),
  ...[
    [],
    ['nothing_known'],
    ['*', 'comment_created'],
    '*',
    [null],
    {},
    Array(100).fill('comment_created'),
  ].map(value =>
    line(
      'J6',
      `the events ${JSON.stringify(value).slice(0, 30)}`,
      400,
      /events/,
      make({ events: value }),
    ),
  ),
  line('J6', 'a 21st webhook', 409, /20 webhooks/, tooMany),
  ...['failingSince', 'createdBy', 'id', 'sealed'].map(name =>
    line(
      'E12',
      `PATCH of "${name}" of a webhook`,
      400,
      new RegExp(name),
      call(`PATCH ${webhooks}/{webhook}`, { [name]: 'x' }),
    ),
  ),
  line('J6', 'a webhook turned to an inner address later', 400, inside, () =>
    withCanary(async port => {
      const stage = await strict()
      const made = await stage.call('POST', webhooks, {
        body: { url: 'https://93.184.216.34/', events, secret },
      })
      must(made.status === 201, `it was answered ${made.status} ${made.text}`)
      const path = `${webhooks}/${JSON.parse(made.text).id}`
      return stage.call('PATCH', path, { body: { url: `https://127.0.0.1:${port}/` } })
    }),
  ),
  line('F4', 'an editor who makes a webhook', 403, /admin/, make({}, 'editor')),
  line(
    'F4',
    'an editor who lists webhooks',
    403,
    /admin/,
    call(`GET ${webhooks}`, undefined, { as: 'editor' }),
  ),
  line(
    'F3',
    'a stranger who lists deliveries',
    404,
    /./,
    call(`GET ${webhooks}/{webhook}/deliveries`, undefined, { as: 'stranger' }),
  ),
  line(
    'E11',
    'deliveries of an unknown state',
    400,
    /state/,
    call(`GET ${webhooks}/{webhook}/deliveries?state=lost`),
  ),
  line(
    'E9',
    'a cursor of all deliveries for those that failed',
    400,
    /page of this list/,
    async stage => {
      for (let n = 0; n < 2; n++) await stage.call('POST', `${webhooks}/{webhook}/ping`)
      const { text } = await stage.call('GET', `${webhooks}/{webhook}/deliveries?limit=1`)
      const { next } = JSON.parse(text) as { next?: { page: string } }
      must(next, 'there is no second page')
      return stage.call(
        'GET',
        `${webhooks}/{webhook}/deliveries?state=failure&page=${encodeURIComponent(next.page)}`,
      )
    },
  ),
]
