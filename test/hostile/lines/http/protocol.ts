import { call, type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'

const noCors =
  (origin: string) =>
  async (stage: Stage): Promise<Seen> => {
    const seen = await stage.call('GET', '/v1/user', { headers: { origin } })
    must(
      !Object.keys(seen.headers ?? {}).some(name => name.startsWith('access-control')),
      'the origin is let in',
    )
    return seen
  }

const http = (text: string) => (stage: Stage) =>
  stage.raw(text.replaceAll('TOKEN', stage.tokens.admin ?? '').replaceAll('\n', '\r\n'), 1500)

/** HTTP itself: methods, headers, origins. */
export const protocol: Line[] = [
  line(
    'E15',
    'X-HTTP-Method-Override: DELETE',
    200,
    /"space"/,
    call('GET /v1/spaces/{space}', undefined, { headers: { 'x-http-method-override': 'DELETE' } }),
  ),
  line(
    'E15',
    'TRACE',
    '404|405',
    /./,
    http('TRACE /v1/user HTTP/1.1\nHost: a\nAuthorization: Bearer TOKEN\nConnection: close\n\n'),
  ),
  line('E15', 'HEAD with a body', 200, 'no body comes back', async stage => {
    const seen = await http(
      'HEAD /healthz HTTP/1.1\nHost: a\nContent-Length: 2\nConnection: close\n\n{}',
    )(stage)
    must(!seen.text.split('\r\n\r\n')[1], 'there is a body')
    return seen
  }),
  line(
    'E15',
    'Transfer-Encoding and Content-Length',
    400,
    /./,
    http(
      'POST /v1/user/tokens HTTP/1.1\nHost: a\nAuthorization: Bearer TOKEN\nContent-Length: 4\nTransfer-Encoding: chunked\n\n0\n\nGET /v1/user HTTP/1.1\nHost: a\n\n',
    ),
  ),
  line(
    'E15',
    'two Content-Lengths',
    400,
    /./,
    http('POST /v1/user/tokens HTTP/1.1\nHost: a\nContent-Length: 4\nContent-Length: 40\n\nabcd'),
  ),
  line('E15', 'bytes that are not HTTP', '400|closed', 'is hung up on', stage =>
    stage.raw(Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 0xff]), 500),
  ),
  line('E15', 'Host: evil.example', 200, 'links lead here', async stage => {
    const seen = await stage.call('GET', '/v1/spaces/{space}', {
      headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
    })
    must(!seen.text.includes('evil'), 'the header is in a link')
    return seen
  }),
  ...['null', 'https://evil.example'].map(origin =>
    line('E16', `Origin: ${origin}`, 200, 'no origin is allowed', noCors(origin)),
  ),
  line('E17', 'markup in the path, for a browser', 404, 'is JSON', async stage => {
    const seen = await stage.call('GET', '/v1/%3Cscript%3E<script>alert(1)</script>', {
      headers: { accept: 'text/html' },
    })
    must(seen.headers?.['content-type']?.startsWith('application/json'), 'is no JSON')
    must(seen.headers?.['x-content-type-options'] === 'nosniff', 'may be sniffed')
    return seen
  }),
  line(
    'L5',
    'headers of 20 KB',
    431,
    'is hung up on',
    http(`GET /v1/user HTTP/1.1\nHost: a\nX-Long: ${'x'.repeat(20_000)}\n\n`),
  ),
  line(
    'L5',
    'an address of 20 KB',
    '414|431',
    'is hung up on',
    http(`GET /v1/${'x'.repeat(20_000)} HTTP/1.1\nHost: a\n\n`),
  ),
  line(
    'D6',
    'If-None-Match of 1 MB',
    431,
    'is hung up on',
    http(`GET /v1/user HTTP/1.1\nHost: a\nIf-None-Match: ${'"a",'.repeat(250_000)}\n\n`),
  ),
]
