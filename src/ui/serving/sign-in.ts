import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'

/** The longest path to which a sign-in returns. */
export const longestLocation = 2_000

/** Returns the address of the sign-in. It takes paths below the path of the public URL. */
export const signInOf = (own: URL, returnTo: string): string =>
  `${own.href.replace(/\/$/, '')}/sso/sign-in?${new URLSearchParams({ return_to: returnTo })}`

/**
 * Returns the refusal of a path of the server that only members may open: `detail.signIn` is the
 * way to sign in.
 */
export function signInTo(ctx: Context, path: string): Fault {
  const signIn = signInOf(new URL(ctx.publicUrl()), path.slice(0, longestLocation))
  return new Fault('sign_in_required', 'Sign in to read this.', { signIn }, { label: 'members' })
}
