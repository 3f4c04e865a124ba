import { createHash, randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { listenForCode } from '../api/await-code.ts'
import { readServer, sendRequest } from '../api/call-api.ts'
import { openBrowser } from '../api/open-browser.ts'
import { saveToken } from '../api/token-file.ts'
import { exitUsage, Failure } from '../output/failure.ts'
import { oneLine, print, printJson } from '../output/print.ts'
import { newQuery } from './new-command.ts'

/** How long a person has to sign in, in milliseconds: the server forgets the sign-in after that. */
const longestMs = 10 * 60_000

type Options = { org?: string; provider?: string; code?: string; open?: boolean; json?: true }

type Provider = { id: string; label: string; startURL: string }

type SignedIn = {
  token: string
  expiresAt: string
  user: { id: string; displayName: string }
  organization: { id: string; title: string }
}

/** Defines `stemma login`: single sign-on from a terminal, over HTTP. */
export const loginCommand = (): Command =>
  newQuery(
    'login',
    'Sign in with the identity provider of an organization; other commands then use the token',
    'stemma login --org acme',
  )
    .option('--org <id>', 'the organization, by id or host name')
    .option('--provider <id>', 'the identity provider, if the organization has several')
    .option('--code <code>', 'the code that the page of a sign-in without this command shows')
    .option('--open', 'open the address in a browser')
    .action(login)

async function login({ org, provider, code, open = false, json }: Options): Promise<void> {
  const server = readServer()
  if (code === undefined && org === undefined)
    throw new Failure('Name the organization with --org, or give a code with --code.', exitUsage)
  const signedIn =
    code === undefined
      ? await withBrowser(server, await chooseProvider(server, org ?? '', provider), open)
      : await exchange(server, { code: code.trim() })
  const { id, result } = signedIn

  saveToken({ server, id, token: result.token, expiresAt: result.expiresAt })
  if (process.env.STEMMA_TOKEN)
    console.error('STEMMA_TOKEN is set: commands use it instead of the token of this sign-in.')

  const { user, organization, expiresAt } = result
  if (json) return printJson({ server, user, organization, expiresAt })
  print(
    `Signed in to ${oneLine(organization.title)} as ${oneLine(user.displayName)} until ${expiresAt}.`,
  )
}

/**
 * Returns the provider with this id, or the only one. Throws Failure with the names of the
 * providers otherwise.
 */
async function chooseProvider(
  server: string,
  org: string,
  wanted: string | undefined,
): Promise<Provider> {
  const { body } = await sendRequest(
    { base: server },
    'GET',
    `/v1/orgs/${encodeURIComponent(org)}/sso`,
  )
  const { items } = body as { items: Provider[] }
  if (items.length === 0)
    throw new Failure(`There is no identity provider for the organization "${org}" on ${server}.`)

  const found =
    wanted === undefined && items.length === 1 ? items[0] : items.find(({ id }) => id === wanted)
  if (found) return found

  const list = items.map(({ id, label }) => `\n  ${id}  ${oneLine(label)}`).join('')

  throw new Failure(`Name one of the identity providers with --provider:${list}`, exitUsage)
}

/** A token with its id. */
type Exchanged = { id: string; result: SignedIn }

/** Signs in through a browser on this machine, which brings a one-time code to a listener. */
async function withBrowser(
  server: string,
  { startURL }: Provider,
  open: boolean,
): Promise<Exchanged> {
  const start = URL.parse(startURL)
  if (!start || !/^https?:$/.test(start.protocol))
    throw new Failure(`${server} names an address for the sign-in that cannot be opened.`)
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(32).toString('base64url')
  const listener = await listenForCode(state, longestMs)

  try {
    start.searchParams.set('redirect_uri', listener.redirectUri)
    start.searchParams.set(
      'code_challenge',
      createHash('sha256').update(verifier).digest('base64url'),
    )
    start.searchParams.set('state', state)
    console.error(`Open this address in a browser on this machine:\n\n  ${start.href}\n`)
    console.error(
      `With a browser elsewhere, open ${startURL} and run "stemma login --code" with the code that it shows.`,
    )
    if (open) openBrowser(start.href)

    return await exchange(server, { code: await listener.code, code_verifier: verifier })
  } finally {
    listener.close()
  }
}

async function exchange(
  server: string,
  body: { code: string; code_verifier?: string },
): Promise<Exchanged> {
  const flags = { code: '--code' }
  const { headers, body: result } = await sendRequest(
    { base: server },
    'POST',
    '/v1/sso/token',
    body,
    flags,
  )
  const id = /\/tokens\/(\w+)$/.exec(headers.get('location') ?? '')?.[1]
  if (id === undefined) throw new Failure(`${server} returned a token without its address.`)

  return { id, result: result as SignedIn }
}
