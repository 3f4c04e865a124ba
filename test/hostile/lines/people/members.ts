import { call, type Line, line, must, type Seen, unchanged } from '../../line.ts'
import type { Stage } from '../../stage.ts'

const members = '/v1/orgs/acme/members'
const links = '/v1/orgs/acme/link-invites'

const role = (who: string, value: unknown, as: string) =>
  call(`PATCH ${members}/${who}`, { role: value }, { as })
const invite = (body: unknown, as = 'admin') => call('POST /v1/orgs/acme/invites', body, { as })
const link = (body: unknown, as = 'admin') => call(`POST ${links}`, body, { as })

const noMember = (send: Line['send']) => unchanged(members, send)

/** A user joins with a link, is removed, and tries the link again. */
const comeBack = async (stage: Stage): Promise<Seen> => {
  const { id } = JSON.parse((await link({ role: 'read' })(stage)).text) as { id: string }
  const join = () => stage.call('POST', `/v1/orgs/acme/invites/${id}`, { as: 'stranger' })
  const joined = await join()
  must(joined.status === 200, `joining was answered ${joined.status} ${joined.text}`)
  const removed = await stage.call('DELETE', `${members}/stranger`)

  must(removed.status === 204, `removing was answered ${removed.status}`)
  const seen = await join()
  const { status } = await stage.call('GET', members, { as: 'stranger' })

  must(status === 404, 'they are in again')

  return seen
}

const deleted = async (stage: Stage): Promise<Seen> => {
  const { id } = JSON.parse((await link({ role: 'admin' })(stage)).text) as { id: string }
  await stage.call('DELETE', `${links}/${id}`)
  const seen = await stage.call('POST', `/v1/orgs/acme/invites/${id}`, { as: 'stranger' })
  const unknown = await stage.call('POST', `/v1/orgs/acme/invites/${'x'.repeat(id.length)}`, {
    as: 'stranger',
  })
  const told = ({ text }: Seen, named: string) => text.replaceAll(named, 'ID')

  must(
    told(seen, id) === told(unknown, 'x'.repeat(id.length)),
    `a deleted one is told from one that never was: ${seen.text} ${unknown.text}`,
  )

  return seen
}

const addresses: [what: string, email: string][] = [
  ['with a line end', 'a@b.example\\r\\nBcc: x@y.example'],
  ['with a NUL', 'a\\u0000@b.example'],
  ['with markup', '<script>@b.example'],
  ['without a name', '@b.example'],
  ['without a host', 'a@'],
  ['that is none', 'admin'],
  ['of 10,000 characters', `${'a'.repeat(10_000)}@b.example`],
  ['with a lone surrogate', 'a\\ud800@b.example'],
]

export const memberLines: Line[] = [
  line(
    'J1',
    'a search for members of 10,000 characters',
    400,
    /search/,
    call(`GET ${members}?search=${'a'.repeat(10_000)}`),
  ),
  ...['%25', '_', '%25%25admin', '%5C', '%5C%25', 'ad_in', '%27', '%22*', '%F0%9F%98%80'].map(
    search =>
      line(
        'J1',
        `a search for members with ${decodeURIComponent(search)}`,
        200,
        /"count":0/,
        call(`GET ${members}?search=${search}`),
      ),
  ),
  line(
    'J1',
    'a search for members with a NUL',
    '200|400',
    /./,
    call(`GET ${members}?search=a%00b`),
  ),
  ...['sort=passwordHash', 'sort=seq', 'order=up', 'role=owner', 'role=', 'limit=1001'].map(query =>
    line('E11', `members?${query}`, 400, /./, call(`GET ${members}?${query}`)),
  ),
  line(
    'E9',
    'a cursor of members by joining, for those by visit',
    400,
    /page of this list/,
    async stage => {
      const { next } = JSON.parse((await stage.call('GET', `${members}?limit=1`)).text) as {
        next: { page: string }
      }
      return stage.call('GET', `${members}?sort=lastSeenAt&page=${encodeURIComponent(next.page)}`)
    },
  ),
  line(
    'F6',
    'an editor who makes themselves an admin',
    403,
    /admin/,
    noMember(role('editor', 'admin', 'editor')),
  ),
  line(
    'F6',
    'a reader who makes themselves an editor',
    403,
    /admin/,
    noMember(role('reader', 'edit', 'reader')),
  ),
  line(
    'F6',
    'the last admin makes themselves a reader',
    409,
    /last admin/i,
    noMember(role('admin', 'read', 'admin')),
  ),
  line(
    'F6',
    'the last admin made a guest',
    409,
    /last admin/i,
    noMember(role('admin', null, 'admin')),
  ),
  line(
    'F6',
    'the last admin leaves',
    409,
    /last admin/i,
    noMember(call(`DELETE ${members}/admin`)),
  ),
  line(
    'F4',
    'an editor removes a member',
    403,
    /./,
    noMember(call(`DELETE ${members}/reader`, undefined, { as: 'editor' })),
  ),
  ...['"owner"', '""', '5', '["admin"]', '{}'].map(value =>
    line(
      'E',
      `the role ${value} for a member`,
      400,
      /role/,
      noMember(call(`PATCH ${members}/reader`, `{"role":${value}}`)),
    ),
  ),
  ...['disabled', 'sso', 'id', 'joinedAt', 'user', 'teams'].map(name =>
    line(
      'E12',
      `PATCH of "${name}" of a member`,
      400,
      new RegExp(name),
      noMember(call(`PATCH ${members}/reader`, { [name]: true })),
    ),
  ),
  line(
    'E',
    '101 people invited at once',
    400,
    /emails/,
    noMember(invite({ emails: Array.from({ length: 101 }, (_, n) => `p${n}@example.org`) })),
  ),
  ...addresses.map(([what, email]) =>
    line(
      'E',
      `an address ${what}, invited`,
      400,
      /emails|NUL|well-formed/,
      noMember(invite(`{"emails":["${email}"]}`)),
    ),
  ),
  line(
    'E',
    'an e-mail address invited twice with two roles',
    400,
    /twice/,
    noMember(invite({ emails: ['p@example.org', { email: 'P@example.org', role: 'admin' }] })),
  ),
  line(
    'F6',
    'an editor who invites themselves as an admin',
    403,
    /admin/,
    noMember(invite({ emails: ['editor@example.org'], role: 'admin' }, 'editor')),
  ),
  line(
    'F6',
    'an invitation with another role for a member',
    200,
    /"invited":0/,
    noMember(invite({ emails: ['READER@example.org'], role: 'admin' })),
  ),
  line('F6', 'a link for admins, made by an editor', 403, /./, link({ role: 'admin' }, 'editor')),
  line('F6', 'a link to a foreign space', '400|404', /space/, stage =>
    link({ level: 'read', space: stage.ids.foreign_space })(stage),
  ),
  ...[
    '{}',
    '{"role":"owner"}',
    '{"role":"read","level":"read"}',
    '{"level":"read"}',
    '{"role":"read","uses":5}',
  ].map(body => line('E', `the link ${body}`, 400, /./, link(body))),
  line('F6', 'a link used again by a removed member', '403|404', 'they stay outside', comeBack),
  line('F6', 'a link that was deleted', 404, 'as if it had never been', deleted),
  line(
    'F6',
    'joining by domain without configured domains',
    404,
    /./,
    call('POST /v1/orgs/globex/join', undefined, { as: 'editor' }),
  ),
  line('F3', 'joining a missing organization', 404, /./, call('POST /v1/orgs/nowhere/join')),
]
