import { Browser, type PageReply } from '../../../support/http/browser.ts'
import { beside } from '../../beside.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'

const seenOf = ({ status, text, headers }: PageReply): Seen => ({
  status,
  text: headers.get('location') ?? text,
})

const tokenOf = (stage: Stage): string => stage.tokens.admin ?? ''

async function signedIn(stage: Stage, token = tokenOf(stage)): Promise<Browser> {
  const browser = new Browser(stage.url)
  const { status, text } = await browser.signIn(token)
  must(status === 303, `no session was opened: ${status} ${text.slice(-300)}`)
  return browser
}

const isIn = async (browser: Browser) => (await browser.get('/app/account')).status === 200

/**
 * Signs a browser in that an attacker gave the cookie of a session, and uses that cookie
 * afterwards.
 */
async function fixation(stage: Stage): Promise<Seen> {
  const planted = (await signedIn(stage, stage.tokens.reader)).cookie
  const victim = new Browser(stage.url)
  await victim.post('/sso/sign-in', { token: tokenOf(stage) }, { cookie: planted })
  must(victim.cookie !== planted, 'the session has the planted secret')
  return seenOf(await new Browser(stage.url).get('/app/account', { cookie: planted }))
}

type Forged = [form: Record<string, string>, headers: Record<string, string>]

/** Sends writes that pages of other origins could send; returns the last answer. */
async function forgery(stage: Stage): Promise<Seen> {
  const browser = await signedIn(stage)
  const other = await signedIn(stage)
  const csrf = await browser.csrf()
  const attempts: Forged[] = [
    [{}, {}],
    [{ csrf: await other.csrf() }, {}],
    [{ csrf }, { origin: 'https://evil.example' }],
    [{ csrf }, { origin: `${stage.url}.evil.example` }],
    [{ csrf }, { origin: 'null' }],
    [{ csrf }, { origin: '' }],
    [{ csrf }, { 'sec-fetch-site': 'same-site' }],
  ]
  let last: Seen = { status: 'none', text: '' }

  for (const [form, headers] of attempts)
    for (const path of ['/app/account/sessions', '/sso/sign-out']) {
      last = seenOf(await browser.post(path, { ...form, end: 'others' }, headers))
      must(last.status === 403, `${path} ${JSON.stringify([form, headers])}: ${last.status}`)
    }

  must((await isIn(browser)) && (await isIn(other)), 'a session was ended')

  return last
}

/** Signs a browser in from a page of another origin. */
async function foreignSignIn(stage: Stage): Promise<Seen> {
  const browser = new Browser(stage.url)
  const reply = await browser.post(
    '/sso/sign-in',
    { token: tokenOf(stage) },
    { origin: 'https://evil.example' },
  )
  must(!browser.isSignedIn, 'the browser got a cookie')
  return seenOf(reply)
}

/** Signs in with addresses to return to that lead elsewhere, or break the header. */
async function elsewhere(stage: Stage): Promise<Seen> {
  const hostile = [
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example',
    'https:evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    '/x\r\nSet-Cookie: stemma-session=planted',
    '/x\nLocation: https://evil.example',
    '@evil.example/',
    `/${'a'.repeat(9_000)}`,
    '/\u0000',
  ]
  let last: Seen = { status: 'none', text: '' }
  for (const path of hostile) {
    const reply = await new Browser(stage.url).signIn(tokenOf(stage), { return_to: path })
    last = seenOf(reply)
    must(last.text === `${stage.url}/app`, `${JSON.stringify(path)} leads to ${last.text}`)
    must(reply.headers.getSetCookie().length === 1, `${JSON.stringify(path)} sets a cookie`)
    const page = await new Browser(stage.url).get(
      `/sso/sign-in?return_to=${encodeURIComponent(path)}`,
    )

    must(
      page.status === 200 && !page.text.includes('name="return_to"'),
      `${path} is kept on the page`,
    )
  }

  return last
}

/** Enters wrong tokens 10,000 times, and a right one in the end. */
async function guesses(): Promise<Seen> {
  const { url } = await beside('wrong tokens', {
    env: { STEMMA_MAX_AUTH_FAILURES_PER_MINUTE: '60' },
  })
  const browser = new Browser(url)
  const statuses = new Map<number, number>()

  for (let sent = 0; sent < 10_000; sent += 50) {
    const batch = Array.from({ length: 50 }, (_, i) => browser.signIn(`stm_${sent + i}`))
    for (const { status } of await Promise.all(batch))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }

  const refused = statuses.get(429) ?? 0

  must(statuses.size === 2 && refused > 9_000, `answered ${JSON.stringify([...statuses])}`)

  return seenOf(await browser.signIn(`stm_${'a'.repeat(43)}`))
}

/** Calls the API with the cookie of a session, and with its secret as Bearer token. */
async function cookieOnApi(stage: Stage): Promise<Seen> {
  const { cookie } = await signedIn(stage)
  const secret = cookie.split('=')[1] ?? ''
  const bearer = { authorization: `Bearer ${secret}` }
  must(
    (await stage.call('GET', '/v1/user', { as: 'nobody', headers: bearer })).status === 401,
    'it is a token',
  )
  const headers = { cookie, origin: stage.url }

  must(
    (await stage.call('GET', '/v1/user', { as: 'nobody', headers })).status === 401,
    'the cookie reads',
  )

  return stage.call('POST', '/v1/orgs/acme/spaces', {
    as: 'nobody',
    body: { title: 'Forged' },
    headers,
  })
}

/** Uses a session whose token was revoked. */
async function afterRevocation(stage: Stage): Promise<Seen> {
  const made = await stage.call('POST', '/v1/user/tokens', { body: { name: 'browser' } })
  const { id, token } = JSON.parse(made.text)
  const browser = await signedIn(stage, token)
  must(await isIn(browser), 'the session does not work')
  await stage.call('DELETE', `/v1/user/tokens/${id}`)
  const csrf = 'x'.repeat(43)
  const { status } = await browser.post('/app/account/sessions', { csrf, end: 'others' })
  must(status === 401, 'it writes')
  return seenOf(await browser.get('/app/account'))
}

/** Sends cookies that are no session. */
async function strangeCookies(stage: Stage): Promise<Seen> {
  const values = [
    '',
    'x',
    'A'.repeat(43),
    '../../etc/passwd',
    "' or 1=1 --",
    'A'.repeat(8_000),
    '%00',
    '__proto__',
  ]
  let last: Seen = { status: 'none', text: '' }
  for (const value of values) {
    const cookie = `stemma-session=${value}; stemma-session=${value}`
    last = seenOf(await new Browser(stage.url).get('/app/account', { cookie }))
    must(last.status === 303, `${value.slice(0, 20)}: ${last.status}`)
  }

  return last
}

/**
 * Returns the tags of a page without the values in double quotes, which end at the next double quote
 * and nowhere else.
 */
const bareTags = (html: string): string =>
  (html.match(/<[a-z!/](?:"[^"]*"|[^">])*>/gi) ?? []).join('').replace(/"[^"]*"/g, '""')

/** Names organizations with markup, and asks for many. */
async function markup(stage: Stage): Promise<Seen> {
  const names = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '\u202e',
    "' onfocus='x",
  ]
  let last: Seen = { status: 'none', text: '' }
  for (const name of names) {
    const { status, text } = await new Browser(stage.url).get(
      `/sso/sign-in?organization=${encodeURIComponent(name)}`,
    )
    const isMarkup = /<script|<img/.test(text) || /onfocus/i.test(bareTags(text))
    must(!isMarkup, `${name} is markup on the page`)
    last = { status, text: text.slice(text.indexOf('<main')) }
  }

  return last
}

/** Hostile inputs to browser sessions and the sign-in page. */
export const sessionLines: Line[] = [
  line('SE1', 'a sign-in with the cookie of another session', 303, /\/sso\/sign-in/, fixation),
  line(
    'SE2',
    'writes without the token of the session, or from another origin',
    403,
    'no session is ended',
    forgery,
  ),
  line(
    'SE3',
    'a sign-in from a page of another origin',
    403,
    /not sent from a page of this server/,
    foreignSignIn,
  ),
  line(
    'SE4',
    'return_to another server, with line breaks, of 9,000 characters',
    303,
    /\/app$/,
    elsewhere,
  ),
  line('SE5', '10,000 sign-ins with wrong tokens', 429, /Try again in/, guesses, { slow: true }),
  line('SE6', 'the cookie of a session on the API', 401, /token/i, cookieOnApi),
  line('SE7', 'a session after its token was revoked', 303, /\/sso\/sign-in/, afterRevocation),
  line('SE8', 'cookies that are no session', 303, /\/sso\/sign-in/, strangeCookies),
  line('SE9', 'markup as the name of an organization', 200, /no identity provider/, markup),
]
