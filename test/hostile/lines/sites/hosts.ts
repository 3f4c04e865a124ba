import { beside } from '../../beside.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import {
  done,
  inSeconds,
  jwt,
  makeSite,
  readingToken,
  refuse,
  resolve,
  withToken,
} from './tools.ts'

const env = {
  STEMMA_SITES_URL: 'https://pages.server.example',
  STEMMA_SITE_HOSTS: '*.acme.example=acme,docs.globex.example=globex',
}

/** Returns a server that assigns host names to two organizations. */
export const hosts = (): Promise<Stage> => beside('site hosts', { env })

const settings = (name: string, values: string[], right: number) => async () => {
  const stage = await hosts()
  const site = await makeSite(stage)
  const attempts = values.map(value => ({ request: 'PATCH ', body: { [name]: value } }))
  return refuse(stage, site, [right], attempts)
}

/**
 * Claims the host name or proxy origin of another site of the organization, or one whose addresses
 * it has.
 */
const taken =
  (set: Record<string, string>, claims: Record<string, string>[] = [set]) =>
  async () => {
    const stage = await hosts()
    const [first, second] = [await makeSite(stage, set), await makeSite(stage)]
    const attempts = claims.map(body => ({ request: 'PATCH ', body }))
    const seen = await refuse(stage, second, [409], attempts)
    must(!seen.text.includes(first.id), 'the other site is named')
    await done(stage, `DELETE ${first.path}`)
    return seen
  }

/**
 * Claims the host name of a deleted site; what the visitors of the former one hold opens nothing.
 */
async function reused(): Promise<Seen> {
  const stage = await hosts()
  const hostname = 'reused.acme.example'
  const set = { hostname, visibility: 'visitor-auth' }
  const first = await makeSite(stage, set)
  const { privateKey } = await done(stage, `GET ${first.path}/publishing/auth`)
  const visitor = { jwtToken: jwt({ alg: 'HS256' }, { exp: inSeconds(600) }, privateKey) }
  const url = `https://${hostname}/`
  const token = await readingToken(stage, url, visitor)

  await done(stage, `DELETE ${first.path}`)
  must((await resolve(stage, url, { visitor })).status === 404, 'the deleted site answers')
  const second = await makeSite(stage, set)

  must(
    (await withToken(stage, token, `GET ${second.path}/structure`)).status === 401,
    'the reading token lives',
  )

  must(
    (await withToken(stage, token, `GET ${first.path}/structure`)).status === 401,
    'the reading token lives',
  )
  const seen = await resolve(stage, url, { visitor })

  await done(stage, `DELETE ${second.path}`)

  return seen
}

/**
 * Takes names for another organization as its admin; the hosts that are assigned by them stay where
 * they are.
 */
const renamed = (names: readonly string[]) => async () => {
  const stage = await hosts()
  const path = '/v1/orgs/globex'
  let seen: Seen | undefined

  for (const hostname of names) {
    seen = await stage.call('PATCH', path, { as: 'stranger', body: { hostname } })
    must(seen.status === 409, `globex took the name ${hostname}`)
  }

  const { id } = await done(stage, `POST ${path}/sites`, { title: 'Foreign' }, 'stranger')
  const body = { hostname: 'www.acme.example' }
  const claim = await stage.call('PATCH', `${path}/sites/${id}`, { as: 'stranger', body })

  must(claim.status === 409, 'globex took a host of acme')
  const own = await makeSite(stage, body)

  await done(stage, `DELETE ${own.path}`)

  return seen as Seen
}

/** Host names and proxy origins of sites, where two organizations share a server. */
export const siteHostLines: Line[] = [
  line(
    'P11',
    'host names of another organization, of nobody and of the server',
    409,
    /host name/,
    settings(
      'hostname',
      [
        'docs.globex.example',
        'docs.unassigned.example',
        'pages.server.example',
        'localhost.a.bc',
        '127.0.0.1.a.bc',
        'acme.example.evil.org',
        'evilacme.example.org',
      ],
      409,
    ),
  ),
  line(
    'P11',
    'host names that are none',
    400,
    /host name/,
    settings(
      'hostname',
      [
        'docs.acme.example.',
        'dосs.acme.example',
        'DOCS.acme.example',
        'acme.example',
        'localhost',
        '127.0.0.1',
        '-x.acme.example',
        'docs.acme.example:80',
        'docs.acme.example/x',
        'docs.acme.example\n',
        `${'x'.repeat(64)}.acme.example`,
        `${'x.'.repeat(130)}acme.example`,
        '',
      ],
      400,
    ),
  ),
  line(
    'P11',
    'the host name of another site',
    409,
    /host name/,
    taken({ hostname: 'taken.acme.example' }),
  ),
  line(
    'P12',
    'proxy origins that are none',
    400,
    /host name and a path|512/,
    settings(
      'proxy',
      [
        'company.com',
        'company.com/docs/',
        'company.com/../x',
        'user@company.com/x',
        'company.com:80/x',
        'https://company.com/x',
        'company.com/x?y',
        'company.com/x#y',
        'company.com/%2e%2e/x',
        'company.com/x\n',
        '127.0.0.1/x',
        `company.com/${'x'.repeat(513)}`,
      ],
      400,
    ),
  ),
  line(
    'P12',
    'proxy origins of another organization and of the server',
    409,
    /host name/,
    settings(
      'proxy',
      ['docs.globex.example/x', 'unassigned.example/x', 'pages.server.example/x'],
      409,
    ),
  ),
  line(
    'P12',
    'the proxy origin of another site',
    409,
    /./,
    taken({ proxy: 'taken.acme.example/docs' }),
  ),
  line(
    'P12',
    'proxy origins and host names with addresses of another site',
    409,
    /another site/,
    taken({ hostname: 'docs.acme.example', proxy: 'taken.acme.example/docs/en' }, [
      { proxy: 'docs.acme.example/login' },
      { proxy: 'taken.acme.example/docs/en/login' },
      { proxy: 'taken.acme.example/docs' },
      { hostname: 'taken.acme.example' },
    ]),
  ),
  line(
    'X174',
    'the id of another organization as hostname, for its hosts',
    409,
    /already in use/,
    renamed(['acme']),
  ),
  line(
    'X175',
    'hostnames that belong to the server',
    409,
    /reserved for the server/,
    renamed(['sso', 'docs', 'www', 'api', 'admin']),
  ),
  line('P13', 'visitors of a former site at its host name', 401, 'have to sign in', reused),
]
