import { SignJWT } from 'jose'
import { updateSite } from '../../src/store/sites/sites.ts'
import type { SiteRow } from '../../src/store/tables/rows.ts'
import type { App } from '../support/app.ts'
import { openPage } from './open-page.ts'

const schema = {
  type: 'object',
  properties: {
    beta: { type: 'boolean', description: 'Takes part in the beta.' },
    unsigned: {
      type: 'object',
      description: 'Unsigned claims of the site visitor.',
      properties: { plan: { type: 'string', description: 'The plan that was chosen.' } },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
}

export const sitePath = (site: string): string => `/v1/orgs/acme/sites/${site}`

/**
 * Gives a site adaptive content with the claims `beta` and `unsigned.plan`. Returns a function that
 * signs visitor tokens.
 */
export async function makeAdaptive(
  { admin, ctx }: Pick<App, 'admin' | 'ctx'>,
  site: string,
): Promise<(claims: Record<string, unknown>) => Promise<string>> {
  const put = await admin.put(`${sitePath(site)}/adaptive-schema`, { jsonSchema: schema })
  if (put.status !== 200) throw new Error(put.text)
  updateSite(ctx.store, site, { adaptive: 1 })
  const auth = (await admin.get(`${sitePath(site)}/publishing/auth`)).body

  return claims =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(Buffer.from(auth.privateKey))
}

/** Signs a visitor in. Returns the cookie of the session. */
export async function cookieOf(
  app: Pick<App, 'url'>,
  base: string,
  token: string,
): Promise<string> {
  const arrived = await openPage(app, `${base}?jwt_token=${token}`)
  return (arrived.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? ''
}

/**
 * Changes the audience of a site. Returns the base of its addresses for readers: with a key, if
 * they need one.
 */
export async function changeAudience(
  { admin, ctx }: Pick<App, 'admin' | 'ctx'>,
  { site, base }: { site: string; base: string },
  visibility: SiteRow['visibility'],
): Promise<string> {
  updateSite(ctx.store, site, { visibility })
  if (visibility !== 'share-link') return base
  const link = await admin.post(`${sitePath(site)}/share-links`, { name: 'For you' })
  return new URL(link.body.urls.published).pathname
}

/** Sets the settings of a site that differ from the defaults. */
export function customizeSite(
  { ctx }: Pick<App, 'ctx'>,
  site: string,
  settings: Record<string, unknown>,
): void {
  updateSite(ctx.store, site, { customization: settings })
}
