import { call, type Line, line, unchanged } from '../../line.ts'

const teams = '/v1/orgs/acme/teams'
const team = `${teams}/{team}`

const make = (body: unknown, as = 'admin') => call(`PUT ${teams}`, body, { as })

const noTeam = (send: Line['send']) => unchanged(teams, send)
const noMember = (body: unknown, as = 'admin') =>
  unchanged(`${team}/members`, call(`PUT ${team}/members`, body, { as }))

const titles: [what: string, json: string][] = [
  ['a bell', '"a\\u0007b"'],
  ['a line end', '"a\\nb"'],
  ['an escape sequence', '"a\\u001b[31mb"'],
  ['a line separator', '"a\\u2028b"'],
  ['a NUL', '"a\\u0000b"'],
  ['a lone surrogate', '"a\\ud800b"'],
  ['65 characters', JSON.stringify('x'.repeat(65))],
  ['blanks alone', '"   "'],
  ['a number', '5'],
  ['a list', '["Team"]'],
]

export const teamLines: Line[] = [
  ...titles.map(([what, json]) =>
    line(
      'E5',
      `${what} for the title of a team`,
      400,
      /title|NUL|well-formed/,
      noTeam(make(`{"title":${json}}`)),
    ),
  ),
  ...['%25', '_', '%5C', 'Te_m', '%27or1=1--'].map(title =>
    line(
      'J1',
      `teams with ${decodeURIComponent(title)} in their title`,
      200,
      /"count":0/,
      call(`GET ${teams}?title=${title}`),
    ),
  ),
  line(
    'J1',
    'teams with 10,000 characters in their title',
    400,
    /title/,
    call(`GET ${teams}?title=${'a'.repeat(10_000)}`),
  ),
  ...['id', 'members', 'spaces', 'createdAt', 'permissions'].map(name =>
    line(
      'E12',
      `PATCH of "${name}" of a team`,
      400,
      new RegExp(name),
      noTeam(call(`PATCH ${team}`, { title: 'T', [name]: 5 })),
    ),
  ),
  line(
    'E',
    '1,001 users for a team',
    400,
    /add/,
    noMember({ add: Array.from({ length: 1_001 }, (_, n) => `u${n}`) }),
  ),
  line(
    'E10',
    'an unknown user for a team, beside others',
    400,
    /nobody/,
    noMember({ add: ['editor', 'nobody'] }),
  ),
  line(
    'F3',
    'a user of another organization for a team',
    400,
    /stranger/,
    noMember({ add: ['stranger'] }),
  ),
  line(
    'E2',
    'a membership of "__proto__"',
    400,
    /__proto__/,
    noMember('{"memberships":{"__proto__":{"role":"owner"}}}'),
  ),
  line(
    'E',
    'the role "admin" in a team',
    400,
    /role/,
    noMember({ memberships: { editor: { role: 'admin' } } }),
  ),
  line('E', 'a list as memberships', 400, /memberships/, noMember({ memberships: ['editor'] })),
  line(
    'F6',
    'an editor who makes themselves the owner of a team',
    403,
    /./,
    noMember({ memberships: { editor: { role: 'owner' } } }, 'editor'),
  ),
  line(
    'F4',
    'an editor who creates a team',
    403,
    /admin/,
    noTeam(make({ title: 'Mine' }, 'editor')),
  ),
  line(
    'F4',
    'a reader who deletes a team',
    403,
    /./,
    noTeam(call(`DELETE ${team}`, undefined, { as: 'reader' })),
  ),
  line(
    'F3',
    'a stranger who lists teams',
    404,
    /./,
    call(`GET ${teams}`, undefined, { as: 'stranger' }),
  ),
  line(
    'E9',
    'a made-up cursor for teams',
    400,
    /page of this list/,
    call(`GET ${teams}?page=WzFd.AAAAAAAAAAAAAAAAAAAAAA`),
  ),
]
