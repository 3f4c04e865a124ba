import { outgoingRoute } from '../../../actions/outgoing-route.ts'
import type { Context } from '../../../context.ts'
import { Fault } from '../../../errors.ts'
import { checkPublicHost } from '../../../net/public-connection.ts'

/**
 * Returns the normalized URL of a webhook. Throws 'invalid' for a URL that this server does not
 * post to.
 */
export async function readUrl(ctx: Context, text: string, user: string): Promise<string> {
  const allowPrivate = ctx.config.allowPrivateRemotes
  const url = URL.canParse(text) ? new URL(text) : undefined
  const secure = url?.protocol === 'https:' || (allowPrivate && url?.protocol === 'http:')

  if (!url || !secure)
    throw refused(
      allowPrivate
        ? 'takes an https or http URL'
        : 'takes an https URL; http needs STEMMA_ALLOW_PRIVATE_REMOTES=true on the server',
    )

  if (url.username !== '' || url.password !== '')
    throw refused(
      'contains credentials, which are not allowed: deliveries are signed with the secret instead',
    )

  url.hash = ''

  try {
    await checkPublicHost(url, outgoingRoute(ctx, { user }))
  } catch (error) {
    throw error instanceof Fault ? refused(error.message, error.reason) : error
  }

  return url.href
}

const refused = (why: string, reason: Fault['reason'] = 'invalid_input') =>
  new Fault(reason, `"url" in the body: ${why}.`)
