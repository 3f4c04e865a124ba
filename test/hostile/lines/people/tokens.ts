import { api } from '../../../../src/api/routes.ts'
import { call, type Line, line, must, type Seen } from '../../line.ts'
import { bodyFor, fillRoute } from '../../routes.ts'
import type { Stage } from '../../stage.ts'

/** Calls with this Authorization header, or none. */
const withHeader = (authorization: string) =>
  call('GET /v1/user', undefined, { as: 'nobody', headers: { authorization } })

const unusable = /token cannot be used/

/** Deletes that answer a user who may not know of the resource as if it were deleted. */
const removals = [
  'DELETE /spaces/:spaceId',
  'DELETE /spaces/:spaceId/change-requests/:changeRequestId/preview-links/:previewLinkId',
]

/** Calls every operation as a user without the right; returns the last answer. */
const everyWrite = (as: string, expected: number) => async (stage: Stage) => {
  const before = await stage.call('GET', '/v1/spaces/{space}')
  const wrong: string[] = []
  let last: Seen = { status: expected, text: '' }

  for (const key of Object.keys(api)) {
    const [method = '', path = ''] = key.split(' ')
    if (method === 'GET' || !path.includes(':spaceId')) continue
    // Readers of a change request mark what they have viewed, for themselves alone.
    if (path.includes('/viewed/') && expected === 403) continue
    const filled = fillRoute(path, stage.ids)
    const seen = await stage.call(method, filled, { as, body: bodyFor(path) })
    // A missing resource counts as deleted: the space is checked afterwards.
    if (removals.includes(key) && expected === 404 && seen.status === 204) continue
    if (seen.status !== expected) wrong.push(`${key} ${seen.status}`)
    else last = seen
  }

  must(wrong.length === 0, `otherwise answered: ${wrong.join(', ')}`)
  const after = await stage.call('GET', '/v1/spaces/{space}')

  must(before.text === after.text, 'the space changed')

  return last
}

/** Calls each operation without a token. */
const everyOperation = async (stage: Stage) => {
  const wrong: string[] = []
  let last: Seen = { status: 401, text: '' }
  for (const key of Object.keys(api)) {
    const [method = '', path = ''] = key.split(' ')
    // Public keys and addresses of published content need no token.
    if (path === '/' || path === '/urls/published' || path.endsWith('/jwks.json')) continue

    // Signing in begins without one.
    if (path === '/sso/token' || path.endsWith('/sso')) continue

    const seen = await stage.call(method, fillRoute(path, stage.ids), {
      as: 'nobody',
      ...(method !== 'GET' && { body: {} }),
    })
    if (seen.status !== 401 || seen.headers?.['www-authenticate'] !== 'Bearer')
      wrong.push(`${key} ${seen.status}`)
    last = seen
  }

  must(wrong.length === 0, `otherwise answered: ${wrong.join(', ')}`)

  return last
}

/** Asserts the same answer, except for the request id, for all unusable tokens. */
const sameAnswer = async (stage: Stage) => {
  const answers: Seen[] = []
  for (const token of [stage.tokens.expired, stage.tokens.revoked, `stm_${'a'.repeat(43)}`])
    answers.push(await withHeader(`Bearer ${token}`)(stage))
  must(
    new Set(answers.map(({ status, text }) => `${status} ${text}`)).size === 1,
    'the answers differ',
  )
  return answers[0] as Seen
}

export const tokens: Line[] = [
  line(
    'F1',
    'no Authorization header, for every operation',
    401,
    'WWW-Authenticate: Bearer',
    everyOperation,
  ),
  line('F1', '"Basic YTpi"', 401, unusable, withHeader('Basic YTpi')),
  line('F1', '"Bearer" without a token', 401, unusable, withHeader('Bearer')),
  line('F1', '"bearer x"', 401, unusable, withHeader('bearer x')),
  line('F1', 'two spaces before the token', 401, unusable, stage =>
    withHeader(`Bearer  ${stage.tokens.admin}`)(stage),
  ),
  line('F1', 'a token of 10 KB', 401, unusable, withHeader(`Bearer ${'x'.repeat(10_000)}`)),
  line('F1', 'SQL text in place of a token', 401, unusable, withHeader("Bearer 'or(1=1)--")),
  line('F1', 'the token in the query', '400|401', 'is not let in', stage =>
    stage.call('GET', `/v1/user?access_token=${stage.tokens.admin}`, { as: 'nobody' }),
  ),
  line(
    'F1',
    'two Authorization headers, the second one valid',
    '400|401',
    'the second one does not count',
    stage =>
      stage.raw(
        `GET /v1/user HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\nAuthorization: Bearer ${stage.tokens.admin}\r\nConnection: close\r\n\r\n`,
      ),
  ),
  line(
    'F2',
    'an unknown, an expired and a revoked token',
    401,
    'one answer for all three',
    sameAnswer,
  ),
  line(
    'F4',
    'each operation that writes to a space, by a reader',
    403,
    'nothing is written',
    everyWrite('reader', 403),
  ),
  line(
    'F4',
    'each operation that writes to a space, by a stranger',
    404,
    'nothing is written',
    everyWrite('stranger', 404),
  ),
]
