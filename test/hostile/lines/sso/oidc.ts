import {
  client,
  type ForgingIssuer,
  forgeries,
  type Host,
  json,
  openForgingIssuer,
  openHost,
} from '../../../support/sso/forging-issuer.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import { done } from '../sites/tools.ts'
import { Client, inDatabase, publicStage, signsNobodyIn } from './tools.ts'

const path = '/v1/orgs/acme/oidc'

/** Creates a provider that has to be refused; no provider is stored. */
async function refusedIssuer(stage: Stage, issuer: string): Promise<Seen> {
  const count = () =>
    inDatabase<{ n: number }>(stage, 'select count(*) as n from sso_provider')[0]?.n
  const before = count()
  const seen = await stage.call('POST', path, { body: { label: 'Bad', issuer, ...client } })
  must(count() === before, 'the provider was stored')
  return seen
}

/** Sends an issuer whose server answers like this. */
const issuerThat =
  (answer: (host: Host) => Host['answer']) =>
  async (stage: Stage): Promise<Seen> => {
    const host = await openHost()
    host.answer = answer(host)
    try {
      return await refusedIssuer(stage, host.url)
    } finally {
      host.stop()
    }
  }

const issuers: [input: string, answer: (host: Host) => Host['answer']][] = [
  [
    'redirects to a private address',
    () => (_, res) => res.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  ],
  [
    'answers 10 MB',
    ({ url }) =>
      (_, res) =>
        json(res, { issuer: url, more: 'x'.repeat(10_000_000) }),
  ],
  ['names another issuer', () => (_, res) => json(res, { issuer: 'https://other.example' })],
]

type Provider = { id: string; service: { startURL: string; redirectURL: string } }
let opened: Promise<{ issuer: ForgingIssuer; provider: Provider }> | undefined

/** Opens an issuer for all lines, and sets it up as a provider of a stage. */
async function open(stage: Stage): Promise<{ issuer: ForgingIssuer; provider: Provider }> {
  const issuer = await openForgingIssuer()
  const provider = await done(stage, `POST ${path}`, {
    label: 'OIDC',
    issuer: issuer.url,
    ...client,
  })
  return { issuer, provider }
}

type Callback = {
  browser: Client
  provider: Provider
  issuer: ForgingIssuer
  state: string
  nonce: string
}

/** Begins a sign-in; `send` sends the answer of the provider. */
const callback = (send: (callback: Callback) => Promise<Seen>) =>
  signsNobodyIn(async stage => {
    opened ??= open(stage)
    const { issuer, provider } = await opened
    const browser = new Client(stage)
    const { headers } = await browser.get(provider.service.startURL)
    const asked = new URL(headers?.location ?? '').searchParams
    const nonce = asked.get('nonce') as string

    issuer.nonce = nonce
    issuer.idToken = nonce => issuer.signed({ nonce })

    return send({ browser, provider, issuer, state: asked.get('state') as string, nonce })
  })

const answers: [input: string, status: number, send: (callback: Callback) => Promise<Seen>][] = [
  [
    'a wrong state',
    400,
    ({ browser, provider }) =>
      browser.get(provider.service.redirectURL, { code: 'c', state: 'other' }),
  ],
  [
    'the state twice',
    400,
    ({ browser, provider, state }) =>
      browser.send('GET', `${provider.service.redirectURL}?code=c&state=${state}&state=${state}`),
  ],
  [
    'the state of another issuer',
    403,
    ({ browser, provider, state }) =>
      browser.get(provider.service.redirectURL, { code: 'c', state, iss: 'https://other.example' }),
  ],
  [
    'an error of the provider',
    403,
    ({ browser, provider, state }) =>
      browser.get(provider.service.redirectURL, { error: 'access_denied', state }),
  ],
]

export const oidcLines: Line[] = [
  line('SO1', 'an issuer with a private address', 400, /issuer/, async () =>
    refusedIssuer(await publicStage(), 'https://127.0.0.1:1'),
  ),
  line('SO1', 'an issuer whose name leads to a private address', 400, /issuer/, async () =>
    refusedIssuer(await publicStage(), 'https://localhost:1'),
  ),
  ...issuers.map(([input, answer]) =>
    line('SO1', `an issuer that ${input}`, 400, /issuer/, signsNobodyIn(issuerThat(answer))),
  ),
  line(
    'SO1',
    'an issuer that never answers',
    400,
    /issuer/,
    signsNobodyIn(issuerThat(() => () => {})),
    {
      slow: true,
    },
  ),
  ...answers.map(([input, status, send]) =>
    line('SO2', `a callback with ${input}`, status, 'nobody is signed in', callback(send)),
  ),
  ...forgeries.map(([name, forge]) =>
    line(
      'SO2',
      `an ID token with: ${name}`,
      403,
      'nobody is signed in',
      callback(({ browser, provider, issuer, state }) => {
        issuer.idToken = nonce => forge(issuer, nonce)
        return browser.get(provider.service.redirectURL, { code: 'c', state })
      }),
    ),
  ),
]
