import { type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import { done, inSeconds, jwt } from '../sites/tools.ts'
import { open, type Page, publishText } from './tools.ts'

const header = { alg: 'HS256', typ: 'JWT' }

const keyOf = async (stage: Stage, { site }: Page): Promise<string> =>
  (await done(stage, `GET ${site.path}/publishing/auth`)).privateKey

const closed = (stage: Stage) =>
  publishText(stage, '# Evil\n\nOnly for visitors.\n', { visibility: 'visitor-auth' })

/** Throws unless a visitor is not let in, and keeps no cookie. */
function mustRefuse({ status, text, headers = {} }: Seen, what: string): void {
  must([302, 303, 307, 400, 401, 404, 431].includes(Number(status)), `${what}: ${status}`)
  must(!text.includes('Only for visitors'), `${what} shows the page`)
  must(headers['set-cookie'] === undefined, `${what} sets a cookie`)
}

/** Opens a page with visitor tokens that the key of the site did not sign. */
async function tokens(stage: Stage): Promise<Seen> {
  const [page, other] = [await closed(stage), await closed(stage)]
  const [key, otherKey] = [await keyOf(stage, page), await keyOf(stage, other)]
  const payload = { exp: inSeconds(600) }
  const unsigned = jwt({ alg: 'none' }, payload, key).replace(/[^.]+$/, '')

  for (const token of [
    unsigned,
    `${unsigned}x`,
    jwt({ alg: 'none' }, payload, key),
    jwt(header, payload, otherKey),
    jwt(header, payload, ''),
    jwt({ alg: 'HS512' }, payload, key, 'sha512'),
    jwt(header, { exp: inSeconds(-60) }, key),
    jwt(header, {}, key),
    jwt(header, { ...payload, x: 'y'.repeat(7_000) }, key),
    '..',
    '%00',
    'x'.repeat(9_000),
    '',
  ])
    mustRefuse(
      await open(stage, `${page.path}?jwt_token=${encodeURIComponent(token)}`),
      `the token ${token.slice(0, 40)}`,
    )

  const good = encodeURIComponent(jwt(header, payload, key))

  for (const query of [`jwt_token=${good}&jwt_token=x`, `jwt_token[]=${good}`, `JWT_TOKEN=${good}`])
    mustRefuse(await open(stage, `${page.path}?${query}`), query.slice(0, 40))

  return open(stage, `${page.path}?jwt_token=${good}`)
}

/** Returns the cookie that a visitor of a site gets. */
async function cookieOf(stage: Stage, page: Page): Promise<string> {
  const token = jwt(header, { exp: inSeconds(600) }, await keyOf(stage, page))
  const { headers = {}, status } = await open(stage, `${page.path}?jwt_token=${token}`)
  must(
    status === 303 && headers.location === page.path,
    `signing in: ${status} ${headers.location}`,
  )
  const cookie = String(headers['set-cookie'])

  must(
    /HttpOnly/.test(cookie) && /SameSite=Lax/.test(cookie),
    `the cookie is ${cookie.replace(/=.*?;/, '=…;')}`,
  )

  return /^[^;]+/.exec(cookie)![0]
}

/** Opens a page with cookies that were changed, or made for another site. */
async function cookies(stage: Stage): Promise<Seen> {
  const [page, other] = [await closed(stage), await closed(stage)]
  const [cookie, foreign] = [await cookieOf(stage, page), await cookieOf(stage, other)]
  const [name, value = ''] = [
    cookie.slice(0, cookie.indexOf('=')),
    cookie.slice(cookie.indexOf('=') + 1),
  ]
  const middle = value.length >> 1
  const changed =
    value.slice(0, middle) + (value[middle] === 'A' ? 'B' : 'A') + value.slice(middle + 1)

  for (const sent of [
    `${name}=${foreign.slice(foreign.indexOf('=') + 1)}`,
    `${name}=${changed}`,
    `${name}=${value.slice(0, -6)}`,
    `${name}=`,
    `${name}=${Buffer.from('{"site":"x","claims":{},"until":9999999999999}').toString('base64url')}`,
    `${name}=${'x'.repeat(13_000)}`,
    `${name}=%00; ${name}=${changed}`,
    `${name}x=${value}`,
    foreign,
  ])
    mustRefuse(await open(stage, page.path, { cookie: sent }), `the cookie ${sent.slice(0, 60)}`)

  must(
    (await open(stage, page.path, { cookie })).status === 200,
    'the cookie of the site is refused',
  )
  const kept = await open(stage, page.path)

  mustRefuse(kept, 'no cookie, after a visitor has read the page')
  await done(stage, `POST ${page.site.path}/publishing/auth/regenerate`)

  return open(stage, page.path, { cookie })
}

/** Visitors of sites for visitors who signed in. */
export const pageVisitorLines: Line[] = [
  line(
    'W9',
    'visitor tokens without a signature, of another site and expired',
    303,
    'only one lets the visitor in',
    tokens,
  ),
  line(
    'W10',
    'cookies that were changed, cut, oversized and of another site',
    401,
    'none lets the visitor in',
    cookies,
  ),
]
