import { call, type Line, line, must } from '../line.ts'

const log = '/v1/orgs/acme/audit-events'

const queries = [
  ...[
    'from=yesterday',
    'from=',
    'to=2026-13-01T00:00:00Z',
    'action=user.hacked',
    'action=%27or1=1',
    'limit=101',
  ],
  ...['limit=0', `actor=${'x'.repeat(10_000)}`, 'target=', 'space=a&space=b'],
]

export const auditLines: Line[] = [
  ...queries.map(query =>
    line('E11', `audit-events?${query.slice(0, 40)}`, 400, /./, call(`GET ${log}?${query}`)),
  ),
  line(
    'E11',
    'a time that ends before it begins',
    200,
    /"count":0/,
    call(`GET ${log}?from=2030-01-01T00:00:00Z&to=2020-01-01T00:00:00Z`),
  ),
  line(
    'E11',
    'SQL wildcards for an actor',
    200,
    /"count":0/,
    call(`GET ${log}?actor=%25&target=_`),
  ),
  line('E9', 'a cursor of all events for one action', 400, /page of this list/, async stage => {
    const { next } = JSON.parse((await stage.call('GET', `${log}?limit=1`)).text) as {
      next: { page: string }
    }
    return stage.call('GET', `${log}?action=space.created&page=${encodeURIComponent(next.page)}`)
  }),
  line('E9', "a cursor of another organization's events", 400, /page of this list/, async stage => {
    const { text } = await stage.call('GET', '/v1/orgs/globex/audit-events?limit=1', {
      as: 'stranger',
    })
    const { next } = JSON.parse(text) as { next: { page: string } }
    return stage.call('GET', `${log}?page=${encodeURIComponent(next.page)}`)
  }),
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map(method =>
    line(
      'F4',
      `${method} of an event`,
      '404|405',
      'what happened stays',
      call(`${method} ${log}/{event}`, method === 'DELETE' ? undefined : {}),
    ),
  ),
  line(
    'F4',
    'an editor who reads the log',
    403,
    /admin/,
    call(`GET ${log}`, undefined, { as: 'editor' }),
  ),
  line(
    'F3',
    'a stranger who reads the log',
    404,
    /./,
    call(`GET ${log}`, undefined, { as: 'stranger' }),
  ),
  line(
    'E12',
    'text of users in the log',
    200,
    'no text and no secret stands there',
    async stage => {
      const posted = await stage.call('POST', '/v1/spaces/{space}/comments', {
        body: { body: { markdown: 'Hush, hush.' } },
      })
      must(posted.status === 200, `the comment was answered ${posted.status}`)
      const seen = await stage.call('GET', `${log}?limit=100`)
      must(!seen.text.includes('Hush') && !seen.text.includes('stm_'), 'it is there')
      must(seen.text.includes('comment.created'), 'the comment is not there at all')
      return seen
    },
  ),
]
