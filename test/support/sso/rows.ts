import type { Context } from '../../../src/context.ts'
import { randomId, sha256 } from '../../../src/lib/digest.ts'
import { insertProvider } from '../../../src/store/sso/providers.ts'
import { insertRequest } from '../../../src/store/sso/requests.ts'
import type { SsoProviderRow, SsoRequestRow } from '../../../src/store/tables/rows.ts'

const at = '2026-01-01T00:00:00.000Z'

/** Inserts an active SAML provider, by default of "acme". */
export const putProvider = (ctx: Context, set: Partial<SsoProviderRow> = {}): SsoProviderRow =>
  insertProvider(ctx.store, {
    id: randomId(),
    organization_id: 'acme',
    kind: 'saml',
    label: 'Okta',
    active: 1,
    created_at: at,
    updated_at: at,
    ...set,
  })

/** Inserts a sign-in under way. Returns its id. */
export function putRequest(
  ctx: Context,
  providerId: string,
  set: Partial<SsoRequestRow> = {},
): string {
  const id = `_${randomId()}`
  insertRequest(ctx.store, {
    id,
    provider_id: providerId,
    browser_hash: sha256('secret'),
    created_at: at,
    expires_at: new Date(ctx.now().getTime() + 60_000).toISOString(),
    ...set,
  })

  return id
}
