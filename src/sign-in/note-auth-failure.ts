import type { Request } from 'express'
import type { Context } from '../context.ts'
import { clientAddress } from '../http/limits/client-address.ts'
import { countAuthFailure } from '../metrics.ts'

/**
 * Counts a failed authentication, and logs it if a token was sent: fail2ban and similar tools look
 * for this line.
 */
export function noteAuthFailure(
  ctx: Context,
  req: Request,
  id: string,
  reason: string | undefined,
): void {
  countAuthFailure(reason ?? 'missing')
  if (reason === undefined) return
  const address = clientAddress(req, ctx.config.trustProxy)
  ctx.log.warn({ id, address, reason }, 'authentication failed')
}
