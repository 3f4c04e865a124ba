import type { Context } from '../../context.ts'
import { randomId } from '../../lib/digest.ts'
import { enqueue } from '../../queue/enqueue.ts'
import {
  insertOrganization,
  listAllOrganizations,
  putMember,
} from '../../store/people/organizations.ts'
import { insertUser } from '../../store/people/users.ts'
import { recordEvent } from '../events/record-event.ts'
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
    insertOrganization(ctx.store, { id: 'default', title: 'Default', created_at: time })
    insertUser(ctx.store, { id: 'admin', display_name: 'Admin', email: null, created_at: time })
    putMember(ctx.store, 'default', 'admin', 'admin', time)
    const { adminToken: secret } = ctx.config
    const token = createToken(ctx.store, { userId: 'admin', name: 'first start', secret }, at)
    const known = { organizationId: 'default', userId: null, origin: null, at: time }
    const user = { kind: 'user', id: 'admin' }

    recordEvent(ctx.store, {
      ...known,
      action: 'organization.created',
      target: { kind: 'organization', id: 'default' },
    })

    recordEvent(ctx.store, {
      ...known,
      action: 'member.joined',
      target: user,
      details: { role: 'admin' },
    })

    recordEvent(ctx.store, {
      ...known,
      action: 'token.created',
      target: { kind: 'token', id: token.row.id },
      details: { user: 'admin' },
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
