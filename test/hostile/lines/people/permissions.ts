import { call, type Line, line, must, unchanged } from '../../line.ts'

const permissions = '/v1/spaces/{space}/permissions'

const give = (body: unknown, as = 'admin') => call(`POST ${permissions}`, body, { as })
const noRole = (send: Line['send']) => unchanged(`${permissions}/aggregate`, send)

export const permissionLines: Line[] = [
  ...['"owner"', '""', '5', '["read"]'].map(value =>
    line(
      'E',
      `the role ${value} on a space`,
      400,
      /role/,
      noRole(give(`{"role":${value},"users":["editor"]}`)),
    ),
  ),
  line('E', 'a role without subjects', 400, /users/, noRole(give({ role: 'read' }))),
  line(
    'E',
    'a role for an empty list of users',
    400,
    /users/,
    noRole(give({ role: 'read', users: [] })),
  ),
  line(
    'E',
    'a role for 101 users',
    400,
    /users/,
    noRole(give({ role: 'read', users: Array.from({ length: 101 }, (_, n) => `u${n}`) })),
  ),
  line(
    'E10',
    'a role for an existing and a missing user',
    '400|404',
    /nobody/,
    noRole(give({ role: 'admin', users: ['reader', 'nobody'] })),
  ),
  line(
    'F3',
    "a role for another organization's team",
    '400|404',
    /team/,
    noRole(stage => give({ role: 'read', teams: [stage.ids.foreign_team] })(stage)),
  ),
  line(
    'F6',
    'an editor who makes themselves an admin on a space',
    403,
    /admin/,
    noRole(give({ role: 'admin', users: ['editor'] }, 'editor')),
  ),
  line(
    'F6',
    'a reader who changes their own role',
    403,
    /admin/,
    noRole(call(`PATCH ${permissions}/users/reader`, { role: 'admin' }, { as: 'reader' })),
  ),
  line(
    'F4',
    'a reader who lists permissions',
    403,
    /admin/,
    call(`GET ${permissions}/users`, undefined, { as: 'reader' }),
  ),
  line(
    'F3',
    'a stranger who grants themselves a role',
    404,
    /./,
    noRole(give({ role: 'admin', users: ['stranger'] }, 'stranger')),
  ),
  ...['role=owner', 'role=%27or1=1', 'limit=0'].map(query =>
    line('E11', `permissions?${query}`, 400, /./, call(`GET ${permissions}/aggregate?${query}`)),
  ),
  line(
    'E9',
    "a cursor of one role's people, for another's",
    400,
    /page of this list/,
    async stage => {
      const { text } = await stage.call('GET', `${permissions}/aggregate?limit=1`)
      const { next } = JSON.parse(text) as { next?: { page: string } }
      must(next, 'there is no second page')
      return stage.call(
        'GET',
        `${permissions}/aggregate?role=read&page=${encodeURIComponent(next.page)}`,
      )
    },
  ),
]
