import type { Context } from '../../context.ts'
import { randomId } from '../../lib/digest.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { listAllOrganizations } from '../../store/people/organizations.ts'
import { insertUser } from '../../store/people/users.ts'
import { recordEvent } from '../events/record-event.ts'
import { createOrganization } from '../people/create-organization.ts'
import { createToken } from '../people/create-token.ts'

/**
 * Creates the organization `default`, its admin `admin` and a token in an empty data folder, and
 * enqueues the job that publishes the manual, unless STEMMA_MANUAL is false. Returns the secret of
 * the token, which cannot be read again; undefined if there is an organization already.
 */
export function firstStart(ctx: Context): string | undefined {
  return ctx.store.transact(() => {
    if (listAllOrganizations(ctx.store).length > 0) return undefined
    const at = ctx.now()
    const time = at.toISOString()
    insertUser(ctx.store, { id: 'admin', display_name: 'Admin', email: null, created_at: time })
    createOrganization(ctx, { id: 'default', title: 'Default', admin: 'admin' }, time)
    const { adminToken: secret } = ctx.config
    const token = createToken(ctx.store, { userId: 'admin', name: 'first start', secret }, at)

    recordEvent(ctx.store, {
      action: 'token.created',
      organizationId: 'default',
      userId: null,
      origin: null,
      target: { kind: 'token', id: token.row.id },
      details: { user: 'admin' },
      at: time,
    })
    if (ctx.config.manual) enqueueManual(ctx, at)

    return token.secret
  })
}

/**
 * Enqueues the manual in the transaction of the first start, so that a crash can neither lose it
 * nor bring it twice.
 */
function enqueueManual(ctx: Context, at: Date): void {
  enqueue(
    ctx.store,
    { kind: 'bring-manual', payload: { key: randomId() }, lane: 'bring-manual' },
    at,
  )
}
