import { type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import { mustStay, open, publishText } from './tools.ts'

/** Sends a request line with headers over a socket. */
const raw = (stage: Stage, path: string, headers: readonly string[]): Promise<Seen> =>
  stage.raw(
    [`GET ${path} HTTP/1.1`, ...headers, 'Accept: text/html', 'Connection: close', '', ''].join(
      '\r\n',
    ),
    500,
  )

/**
 * Asks for a page under foreign names, before and after it is kept; the kept page stays as it was.
 */
async function poisoning(stage: Stage): Promise<Seen> {
  const { path } = await publishText(stage, '# Evil\n\nWords.\n')
  const own = `Host: ${new URL(stage.url).host}`
  const attempts = [
    ['Host: evil.example'],
    [
      own,
      'X-Forwarded-Host: evil.example',
      'X-Forwarded-Proto: gopher',
      'X-Forwarded-For: 1.2.3.4',
    ],
    [own, 'Forwarded: host=evil.example;proto=https'],
    [own, 'X-Original-URL: /evil.example', 'X-Rewrite-URL: //evil.example/'],
    [own, 'X-HTTP-Method-Override: DELETE'],
    ['Host: evil.example:80', 'Accept-Language: ../../x'],
    ['Host: evil.example"><script>alert(1)</script>'],
    ['Host: [::1'],
    ['Host: '],
  ]

  const spoil = async () => {
    for (const headers of attempts) {
      const seen = await raw(stage, path, headers)
      must(!/evil\.example/.test(seen.text), `${headers.join(', ')}: ${seen.text.slice(0, 300)}`)
    }
  }

  await spoil()
  const first = await open(stage, path)

  await spoil()
  const again = await open(stage, path)

  must(first.status === 200 && first.text === again.text, 'the page is another one')
  must(first.headers?.etag === again.headers?.etag, 'the ETag is another one')

  return again
}

const encodings = [
  'br;q=0',
  'br;q=0, gzip;q=0',
  '*;q=0',
  'identity;q=0',
  'gzip;q=0,identity;q=0,br;q=0',
  'br;q=abc',
  ',,,,',
  'x'.repeat(8_000),
  'gzip, '.repeat(1_000),
  'BR',
]

const accepts = [
  'text/html;q=0',
  'text/markdown, text/html',
  'text/markdown;q=0.1, text/html;q=0.9',
  'text/markdown;q=NaN, text/html',
  'text/*',
  'application/json',
  '*/*',
  'text/html,'.repeat(700),
  '',
]

/**
 * Asks for a page in every encoding and type, twice; no answer is kept for those who asked for
 * another one.
 */
async function negotiation(stage: Stage): Promise<Seen> {
  const { path } = await publishText(stage, '# Evil\n\nWords.\n')
  const usual = await open(stage, path)
  for (let time = 0; time < 2; time++) {
    for (const encoding of encodings) {
      const seen = await open(stage, path, { 'accept-encoding': encoding })
      const coding = seen.headers?.['content-encoding']
      must([200, 431].includes(Number(seen.status)), `${encoding.slice(0, 50)}: ${seen.status}`)
      must(
        !/^(?:br|gzip);q=0|^\*;q=0/.test(encoding) || coding === undefined,
        `${encoding} is answered in ${coding}`,
      )
    }
    for (const accept of accepts) {
      const seen = await open(stage, path, { accept })
      mustStay(seen, [200], `Accept: ${accept.slice(0, 50)}`)
      must(/accept/i.test(seen.headers?.vary ?? ''), 'the answer does not name Accept in Vary')
    }
  }

  const again = await open(stage, path)

  must(
    again.text === usual.text && /^text\/html/.test(again.headers?.['content-type'] ?? ''),
    'a browser gets another page',
  )

  return again
}

/** Sends conditions and ranges, and asks for heads. */
async function conditions(stage: Stage): Promise<Seen> {
  const { path } = await publishText(stage, '# Evil\n\nWords.\n')
  const { headers = {} } = await open(stage, path)
  const etag = headers.etag as string

  for (const [value, status] of [
    [etag, 304],
    [`W/${etag}`, 304],
    [`"x", ${etag}`, 304],
    ['*', 304],
    ['"*"', 200],
    [etag.slice(0, -2), 200],
    [`${'"x",'.repeat(1_500)}${etag}`, 200],
    ['"\u00ff"', 200],
  ] as const) {
    const seen = await open(stage, path, { 'if-none-match': value })
    must(seen.status === status, `If-None-Match: ${value.slice(0, 60)}: ${seen.status}`)
    must(status === 200 || seen.text === '', 'a 304 has a body')
  }

  for (const range of [
    'bytes=0-0',
    'bytes=-1',
    'bytes=9-1',
    `bytes=${'0-1,'.repeat(500)}2-3`,
    'lines=1-2',
  ])
    mustStay(
      await open(stage, path, { range, 'if-range': etag }),
      [200, 206, 416],
      `Range: ${range.slice(0, 40)}`,
    )

  const head = await stage.call('HEAD', path, { as: 'none', headers: { accept: 'text/html' } })

  must(
    head.status === 200 && head.text === '' && head.headers?.etag === etag,
    `HEAD: ${head.status} ${head.headers?.etag}`,
  )

  return open(stage, path)
}

/** Sends other methods than those of readers to a page, also one that is kept. */
async function methods(stage: Stage): Promise<Seen> {
  const { path } = await publishText(stage, '# Evil\n\nWords.\n')
  await open(stage, path)

  for (const method of [
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'PROPFIND',
    'PURGE',
    'TRACE',
  ]) {
    const seen = await stage.call(method, path, { as: 'none', headers: { accept: 'text/html' } })
    mustStay(seen, [400, 401, 404, 405, 501], method)
    must(!seen.text.includes('Words.'), `${method} is answered with the page`)
  }

  return open(stage, path)
}

/** Headers of requests for pages. */
export const pageHeaderLines: Line[] = [
  line(
    'W5',
    'foreign hosts and forwarding headers before and after a page is kept',
    200,
    'the kept page stays as it was',
    poisoning,
  ),
  line(
    'W6',
    'every spelling of Accept and Accept-Encoding',
    200,
    'each reader gets the form that they accept',
    negotiation,
  ),
  line('W7', 'conditions, ranges and HEAD', 200, 'as HTTP has it', conditions),
  line(
    'W8',
    'other methods at the address of a page',
    200,
    'none is answered with the page',
    methods,
  ),
]
