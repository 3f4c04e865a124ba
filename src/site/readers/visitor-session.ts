import type { Request, Response } from 'express'
import type { ResolvedContent } from '../../actions/sites/resolve-address.ts'
import { readVisitorToken } from '../../actions/sites/visitor-token.ts'
import type { Context } from '../../context.ts'
import { cookiesNamed, isSecure } from '../../http/browser-session.ts'
import { rememberedVisitorAuth } from '../../store/sites/visitor-auth.ts'
import type { SiteRow } from '../../store/tables/rows.ts'

/**
 * What a cookie of a visitor holds, sealed: the claims of their token, for one site, one key and
 * one audience.
 */
type Sealed = {
  site: string
  /** The versions of the key and of the audience, with which the session ends. */
  key: number
  access: number
  claims: Record<string, unknown>
  /** In milliseconds since 1970. */
  until: number
}

/** The claims of a visitor who signed in before. */
export type VisitorSession = Pick<Sealed, 'claims' | 'until'>

/** Longer cookies are not read. */
const longestCookie = 12_000

const nameOf = (ctx: Context, { id }: SiteRow): string =>
  `${isSecure(ctx) ? '__Secure-' : ''}stemma-visitor-${id}`

/** The cookie in which an application of the company, on a parent domain, keeps a visitor token. */
const tokenCookie = 'gitbook-visitor-token'

/**
 * Returns a function that returns the claims of the visitor of a site: those of an earlier sign-in,
 * otherwise of the visitor token in the cookie of the company's own application; undefined for none
 * that are valid now.
 */
export const visitorSessions =
  (ctx: Context, req: Request) =>
  async (site: SiteRow): Promise<VisitorSession | undefined> => {
    const session = sessionFor(ctx, req, site)
    const [token] = session ? [] : cookiesNamed(req, tokenCookie)
    if (token === undefined) return session
    const read = await readVisitorToken(ctx, site, token)
    return 'refused' in read ? undefined : read
  }

function sessionFor(ctx: Context, req: Request, site: SiteRow): VisitorSession | undefined {
  const [value] = cookiesNamed(req, nameOf(ctx, site))
  if (value === undefined || value.length > longestCookie) return undefined
  const session = unsealed(ctx, value)
  const auth = rememberedVisitorAuth(ctx.store, site)
  const isCurrent =
    session?.site === site.id &&
    session.key === auth?.key_version &&
    session.access === site.access_version &&
    session.until > ctx.store.time

  return isCurrent ? session : undefined
}

function unsealed(ctx: Context, value: string): Sealed | undefined {
  try {
    return JSON.parse(ctx.keys.open('visitor session', value)) as Sealed
  } catch {
    return undefined
  }
}

/**
 * Keeps the claims of the visitor token of a request in a cookie of the browser, for the paths of
 * the site, until the token expires. Does nothing for a token that cannot be used.
 */
export function keepVisitor(
  ctx: Context,
  res: Response,
  { site, siteBasePath: path, visitor }: Pick<ResolvedContent, 'site' | 'siteBasePath' | 'visitor'>,
): void {
  const auth = rememberedVisitorAuth(ctx.store, site)
  if (!visitor || !auth) return
  const { claims, until } = visitor
  const session: Sealed = {
    site: site.id,
    key: auth.key_version,
    access: site.access_version,
    claims,
    until,
  }
  const seconds = Math.max(1, Math.floor((until - ctx.store.time) / 1000))

  res.append(
    'Set-Cookie',
    `${nameOf(ctx, site)}=${ctx.keys.seal('visitor session', JSON.stringify(session))}; Max-Age=${seconds}; ${attributes(ctx, path)}`,
  )
}

/** Makes the browser forget a visitor. */
export const forgetVisitor = (ctx: Context, res: Response, site: SiteRow, path: string): void =>
  void res.append('Set-Cookie', `${nameOf(ctx, site)}=; Max-Age=0; ${attributes(ctx, path)}`)

const attributes = (ctx: Context, path: string): string =>
  `Path=${path}; HttpOnly; SameSite=Lax${isSecure(ctx) ? '; Secure' : ''}`
