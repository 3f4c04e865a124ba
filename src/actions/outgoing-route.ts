import type { Context } from '../context.ts'
import type { Lookup } from '../git/remotes/remotes.ts'
import type { Route } from '../net/public-connection.ts'

/** Returns the route of outgoing requests on behalf of a user or an organization. */
export const outgoingRoute = (
  ctx: Context,
  share: { user: string } | { organization: string },
): Route => ({
  names: ctx.names,
  allowPrivate: ctx.config.allowPrivateRemotes,
  share: 'user' in share ? `user ${share.user}` : `organization ${share.organization}`,
})

/** Returns the host lookup for Git remotes of a user. */
export function remoteLookup(ctx: Context, user: string): Lookup {
  const { names, share } = outgoingRoute(ctx, { user })
  return host => names.resolve(host, share)
}
