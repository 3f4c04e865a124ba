import { call, type Line, line, must } from '../../line.ts'
import type { Stage } from '../../stage.ts'

const request = '/v1/spaces/{space}/change-requests/{changeRequest}'
const old = '0123456789abcdef0123456789abcdef01234567'

const ask = (body: unknown, as = 'admin') =>
  call(`POST ${request}/requested-reviewers`, body, { as })
const review = (body: unknown, as = 'admin') => call(`POST ${request}/reviews`, body, { as })

/** Requests reviews from some users, one of them invalid: then none is requested. */
const askTogether = (other: string) => async (stage: Stage) => {
  const seen = await ask({ users: ['editor', other] })(stage)
  const { text } = await stage.call('GET', `${request}/requested-reviewers`)
  must(JSON.parse(text).count === 0, 'somebody is asked')
  return seen
}

export const reviewLines: Line[] = [
  line(
    'E',
    'reviews requested from 101 users',
    400,
    /users/,
    ask({ users: Array.from({ length: 101 }, (_, n) => `u${n}`) }),
  ),
  ...['[]', '"editor"', '[1]', '[""]', 'null', '{}', `["${'x'.repeat(10_000)}"]`].map(users =>
    line('E', `${users.slice(0, 30)} asked to review`, 400, /users/, ask(`{"users":${users}}`)),
  ),
  line(
    'F6',
    'a review requested from the author',
    400,
    /is the author of the change request/,
    askTogether('admin'),
  ),
  line(
    'F3',
    'a review requested from a user of another organization',
    400,
    /"stranger"/,
    askTogether('stranger'),
  ),
  line('E10', 'a review requested from an unknown user', 400, /"nobody"/, askTogether('nobody')),
  line('E2', 'a review requested from __proto__', 400, /__proto__/, askTogether('__proto__')),
  line('E5', 'a NUL in the subject', 400, /NUL/, ask('{"users":["editor"],"subject":"a\\u0000b"}')),
  line('F4', 'a reader requests reviews', 403, /edit/, ask({ users: ['editor'] }, 'reader')),
  line(
    'F6',
    'an author approves their own change request',
    403,
    /your own change request/,
    review({ status: 'approved' }),
  ),
  line('F4', 'an editor reviews', 403, /review/, review({ status: 'approved' }, 'editor')),
  line('F3', 'a stranger reviews', 404, /./, review({ status: 'approved' }, 'stranger')),
  ...['"merged"', '""', 'null', '["approved"]', '1'].map(status =>
    line('E', `a review with the status ${status}`, 400, /status/, review(`{"status":${status}}`)),
  ),
  line(
    'E',
    'a review with a comment of 20,001 characters',
    400,
    /20000/,
    review({ status: 'changes-requested', comment: { markdown: 'x'.repeat(20_001) } }),
  ),
  line(
    'E13',
    'a review of an old revision',
    409,
    /has changed/,
    review({ status: 'changes-requested', revision: old }),
  ),
  line(
    'E13',
    'a review with an old If-Match',
    412,
    /has changed/,
    call(
      `POST ${request}/reviews`,
      { status: 'changes-requested' },
      { headers: { 'if-match': `"${old}"` } },
    ),
  ),
  ...['reviewer', 'outdated', 'requestedBy', 'createdAt'].map(name =>
    line(
      'E12',
      `a review that says its "${name}"`,
      400,
      new RegExp(name),
      review({ status: 'changes-requested', [name]: 'x' }),
    ),
  ),
  ...['outdated=1', 'outdated=', 'format=html', 'limit=0'].map(query =>
    line('E8', `reviews?${query}`, 400, /./, call(`GET ${request}/reviews?${query}`)),
  ),
  line(
    'E9',
    'a cursor of outdated reviews for all reviews',
    400,
    /page/,
    call(`GET ${request}/reviews?page=WzFd.AAAAAAAAAAAAAAAAAAAAAA`),
  ),
]
