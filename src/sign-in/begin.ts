import { randomBytes } from 'node:crypto'
import type { Request, Response } from 'express'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { Fault, invalid } from '../errors.ts'
import { clientAddress } from '../http/limits/client-address.ts'
import { countStep } from '../http/limits/sign-ins.ts'
import { deleteExpired } from '../store/sso/expired.ts'
import { findProvider } from '../store/sso/providers.ts'
import { deleteOldestRequests, insertRequest } from '../store/sso/requests.ts'
import type { SsoProviderRow, SsoRequestRow } from '../store/tables/rows.ts'
import type { SsoKind } from '../store/tables/sso.ts'
import { setBrowserSecret } from './browser-secret.ts'
import { returnAddressOrHome } from './return-address.ts'

/** How long a person has to sign in at the provider. */
const openMs = 10 * 60_000
/** The maximum number of sign-ins under way on the server: a new one ends the oldest. */
const mostOpen = 10_000

const StartQuery = z.strictObject({
  redirect_uri: z.string().max(2048).optional(),
  code_challenge: z
    .string()
    .regex(/^[\w-]{43}$/)
    .optional(),
  code_challenge_method: z.literal('S256').optional(),
  state: z.string().max(512).optional(),
  return_to: z.string().max(2048).optional(),
})

/** Returns the active provider of a start address. Throws 'missing'. */
export function activeProvider(ctx: Context, kind: SsoKind, id: string): SsoProviderRow {
  const row = findProvider(ctx.store, id)
  if (row?.kind !== kind || row.active !== 1)
    throw new Fault(
      'not_found',
      'There is no identity provider here, or it is not set up completely.',
    )
  return row
}

/**
 * Begins a sign-in: writes its row and binds it to the browser. `extra` are columns of the kind of
 * provider. Throws 'invalid' for a query that is not allowed, 'too_many' above the limit of the
 * address.
 */
export function begin(
  ctx: Context,
  provider: SsoProviderRow,
  req: Request,
  res: Response,
  extra: Partial<Pick<SsoRequestRow, 'nonce' | 'verifier_sealed'>> = {},
): SsoRequestRow {
  countStep(ctx, clientAddress(req, ctx.config.trustProxy))
  const query = StartQuery.safeParse(req.query)
  if (!query.success)
    throw invalid(
      'The address takes "redirect_uri", "code_challenge" (S256) and "state", or "return_to", each once.',
    )

  const { redirect_uri, code_challenge, state, return_to } = query.data
  if (return_to !== undefined && redirect_uri !== undefined)
    throw invalid('A sign-in takes either "redirect_uri" or "return_to".')

  const target = redirect_uri === undefined ? null : redirectOf(ctx, redirect_uri)
  if (target !== null && code_challenge === undefined)
    throw invalid('A sign-in with "redirect_uri" needs a "code_challenge".')

  const now = ctx.now().getTime()
  const at = new Date(now).toISOString()
  // Outside the transaction, which may run again.
  const browser = setBrowserSecret(ctx, req, res)

  return ctx.store.transact(() => {
    deleteExpired(ctx.store, 'sso_request', at, 100)
    // Refusing new ones instead would let ten addresses, at 100 a minute each, lock everyone out.
    deleteOldestRequests(ctx.store, mostOpen - 1)
    return insertRequest(ctx.store, {
      id: `_${randomBytes(20).toString('hex')}`,
      provider_id: provider.id,
      ...(return_to === undefined
        ? { redirect_uri: target }
        : { delivery: 'session', redirect_uri: returnAddressOrHome(ctx, return_to) }),
      code_challenge: code_challenge ?? null,
      state: state ?? null,
      browser_hash: browser,
      created_at: at,
      expires_at: new Date(now + openMs).toISOString(),
      ...extra,
    })
  })
}

/**
 * Returns the address that a sign-in returns to: on this machine, or one that the operator named.
 */
function redirectOf({ config }: Context, text: string): string {
  if (config.ssoRedirects.includes(text)) return text
  const url = URL.parse(text)
  const isLocal =
    url?.protocol === 'http:' &&
    (url.hostname === '127.0.0.1' || url.hostname === '[::1]') &&
    /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:[/?]|$)/.test(text) &&
    url.hash === ''

  if (!url || !isLocal)
    throw invalid(
      '"redirect_uri" must be http://127.0.0.1:<port>/…, http://[::1]:<port>/…, or an address that the operator of the server allows.',
    )

  return url.href
}
