import { join } from 'node:path'
import Database from 'better-sqlite3'
import { sql } from 'kysely'
import { Store, sqlRows } from '../../../../src/store/store.ts'
import type { SharedRows } from '../../../crash/check/shared-rows.ts'
import { answerTo, entityID, type SamlProvider, ssoURL } from '../../../support/sso/browser.ts'
import { keyPair } from '../../../support/sso/certificates.ts'
import type { ResponseParts, Signed, Signing } from '../../../support/sso/response.ts'
import { beside } from '../../beside.ts'
import { must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import { done } from '../sites/tools.ts'

/**
 * Returns a server with an https address, whose cookies bind sign-ins, behind a proxy that names
 * the clients.
 */
export const signInStage = (): Promise<Stage> =>
  beside('sign-in', {
    env: { STEMMA_PUBLIC_URL: 'https://docs.example.org', STEMMA_TRUST_PROXY: 'loopback' },
  })

/** Returns a server that sends requests to public addresses alone. */
export const publicStage = (): Promise<Stage> =>
  beside('sign-in with public addresses', {
    env: { STEMMA_PUBLIC_URL: 'https://docs.example.org', STEMMA_ALLOW_PRIVATE_REMOTES: 'false' },
  })

let addresses = 0

/** A browser at an address of its own that keeps the cookie of a sign-in. */
export class Client {
  readonly #stage: Stage
  readonly #address = `192.0.${++addresses >> 8}.${addresses & 255}`
  cookie: string | undefined

  constructor(stage: Stage) {
    this.#stage = stage
  }

  async send(
    method: string,
    address: string,
    body?: unknown,
    type = 'application/json',
  ): Promise<Seen> {
    const { pathname, search } = new URL(address, 'https://docs.example.org')
    const seen = await this.#stage.call(method, pathname + search, {
      as: 'nobody',
      body,
      headers: {
        'x-forwarded-for': this.#address,
        ...(body !== undefined && { 'content-type': type }),
        ...(this.cookie && { cookie: this.cookie }),
      },
    })
    const [set] = seen.headers?.['set-cookie'] ?? []
    if (set !== undefined) this.cookie = set.split(';', 1)[0]

    return seen
  }

  get(address: string, query: Record<string, string> = {}): Promise<Seen> {
    return this.send('GET', `${address}?${new URLSearchParams(query)}`)
  }

  /** Posts a form. */
  post(address: string, form: Record<string, string>): Promise<Seen> {
    return this.send(
      'POST',
      address,
      new URLSearchParams(form).toString(),
      'application/x-www-form-urlencoded',
    )
  }
}

const providers = new WeakMap<Stage, Map<string, Promise<SamlProvider>>>()

/** Returns an active SAML provider of "acme", which all lines share under its label. */
export function samlProvider(stage: Stage, label = 'Okta'): Promise<SamlProvider> {
  const known = providers.get(stage) ?? new Map<string, Promise<SamlProvider>>()
  providers.set(stage, known)
  const made = known.get(label) ?? newProvider(stage, label)
  known.set(label, made)
  return made
}

/** Creates an active SAML provider of "acme". */
export const newProvider = (stage: Stage, label: string): Promise<SamlProvider> => {
  const { certificate } = keyPair('idp')
  return done(stage, 'POST /v1/orgs/acme/saml', {
    label,
    entityID,
    ssoURL,
    certificate,
    defaultRole: 'edit',
  })
}

/** A sign-in under way: the browser, the provider and the id of the request. */
export type Begun = { client: Client; provider: SamlProvider; requestId: string }

/** Begins a sign-in, by default in a new browser. */
export async function begin(
  stage: Stage,
  query: Record<string, string> = {},
  provider?: SamlProvider,
  client = new Client(stage),
): Promise<Begun> {
  const at = provider ?? (await samlProvider(stage))
  const seen = await client.get(at.service.startURL, query)
  must(seen.status === 302, `no sign-in began: ${seen.status} ${seen.text.slice(-300)}`)
  const requestId = new URL(seen.headers?.location ?? '').searchParams.get('RelayState') as string
  return { client, provider: at, requestId }
}

/** Posts a document in base64 as the response to a sign-in. */
export const deliver = ({ client, provider }: Begun, SAMLResponse: string): Promise<Seen> =>
  client.post(provider.service.acsURL, { SAMLResponse })

/** Begins a sign-in and answers it with a response that differs from a good one in these parts. */
export async function answered(
  stage: Stage,
  parts: Partial<ResponseParts>,
  what?: Signed,
  signing?: Signing,
): Promise<Seen> {
  const begun = await begin(stage)
  return deliver(begun, answerTo(begun, begun.provider, parts, what, signing))
}

/** Returns the code that a page shows. */
export function codeOf({ text }: Seen): string {
  const code = /<code>([\w-]{43})<\/code>/.exec(text)?.[1]
  must(code, `the page has no code: ${text.slice(-300)}`)
  return code
}

/** Exchanges a code for a token. */
export const exchange = (client: Client, code: string, verifier?: string): Promise<Seen> =>
  client.send('POST', '/v1/sso/token', JSON.stringify({ code, code_verifier: verifier }))

type Account = { token: string; id: string; client: Client }

/** Signs a member in. */
export async function signedIn(
  stage: Stage,
  email: string,
  provider?: SamlProvider,
): Promise<Account> {
  const begun = await begin(stage, {}, provider)
  const page = await deliver(begun, answerTo(begun, begun.provider, { email }))
  const seen = await exchange(begun.client, codeOf(page))
  must(seen.status === 201, `no token: ${seen.status}`)
  const { token, user } = JSON.parse(seen.text)
  return { token, id: user.id, client: begun.client }
}

/** Returns the status of a request with a token. */
export const withSecret = (
  stage: Stage,
  token: string,
  request: string,
  body?: unknown,
): Promise<Seen> => {
  const [method = 'GET', path = '/'] = request.split(' ')
  return stage.call(method, path, {
    as: 'nobody',
    body,
    headers: { authorization: `Bearer ${token}` },
  })
}

const stores = new WeakMap<Stage, Store>()

function storeOf(stage: Stage, { url }: SharedRows): Store {
  const store = stores.get(stage) ?? new Store(':memory:', { postgres: { url } })
  stores.set(stage, store)
  return store
}

/** Runs a statement in the database of a stage; returns its rows. */
export function inDatabase<Row>(stage: Stage, statement: string): Row[] {
  if (stage.shared) return storeOf(stage, stage.shared).all(sqlRows<Row>(sql.raw(statement)))
  const database = new Database(join(stage.dataDir, 'stemma.db'))
  try {
    const prepared = database.prepare<[], Row>(statement)
    if (prepared.reader) return prepared.all()
    prepared.run()
    return []
  } finally {
    database.close()
  }
}

/** What a sign-in writes. */
const written = ['user', 'member', 'token', 'session', 'sso_code', 'sso_identity', 'sso_assertion']

const countsOf = (stage: Stage): string =>
  written
    .map(table => inDatabase<{ n: number }>(stage, `select count(*) as n from "${table}"`)[0]?.n)
    .join(' ')

/**
 * Sends something after which nobody may be signed in: there is no new user, member, token,
 * session, code or identity.
 */
export const signsNobodyIn = (send: (stage: Stage) => Promise<Seen>) => async (): Promise<Seen> => {
  const stage = await signInStage()
  await samlProvider(stage)
  const before = countsOf(stage)
  const seen = await send(stage)
  must(countsOf(stage) === before, `rows of a sign-in: ${before} became ${countsOf(stage)}`)
  return seen
}

/** Sends something to the server for sign-ins. */
export const atSignIn = (send: (stage: Stage) => Promise<Seen>) => async (): Promise<Seen> =>
  send(await signInStage())
