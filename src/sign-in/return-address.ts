import type { Context } from '../context.ts'

const longest = 2048

/** The path to which a sign-in leads that names none. */
export const home = '/app'

/**
 * Returns the address of a path of this server to which a sign-in returns; undefined unless the
 * text is a path, such as `/sso/account?x=1`, that leads to this server.
 */
export function returnAddress(
  { publicUrl }: Pick<Context, 'publicUrl'>,
  path: string,
): string | undefined {
  if (path.length > longest || !/^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(path)) return undefined
  const base = URL.parse(`${publicUrl()}/`)
  const url = URL.parse(publicUrl() + path)
  if (!base || url?.origin !== base.origin || !url.pathname.startsWith(base.pathname))
    return undefined
  return url.href
}

/**
 * Returns the address to which a sign-in returns: that of a path of this server, or of `home`.
 */
export const returnAddressOrHome = (
  ctx: Pick<Context, 'publicUrl'>,
  path: string | undefined,
): string => (path === undefined ? undefined : returnAddress(ctx, path)) ?? ctx.publicUrl() + home
