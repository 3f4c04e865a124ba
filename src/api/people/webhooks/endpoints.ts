import { isDeepStrictEqual } from 'node:util'
import { organization } from '../../../access/guards/organization.ts'
import { webhook } from '../../../access/guards/webhook.ts'
import {
  abandonAll,
  abandonSoon,
  removeDeliveries,
} from '../../../actions/events/abandon-deliveries.ts'
import { recordOn } from '../../../actions/events/record-event.ts'
import type { Context } from '../../../context.ts'
import { Fault } from '../../../errors.ts'
import { created, endpoint, inTransaction, nothing } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { randomId } from '../../../lib/digest.ts'
import {
  countWebhooks,
  findWebhook,
  insertWebhook,
  listWebhooks as list,
  deleteWebhook as remove,
  updateWebhook as update,
} from '../../../store/events/webhooks.ts'
import type { WebhookRow } from '../../../store/tables/rows.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { presentWebhook } from './present.ts'
import { readUrl } from './read-url.ts'
import { Webhook, WebhookBody, WebhookPatch, WebhookPath } from './schema.ts'

const record = recordOn('webhook')

const mostWebhooks = 20

export const listWebhooks = listing({
  operationId: 'listWebhooks',
  summary: 'List the webhooks of an organization',
  description:
    'Returns the webhooks oldest first, without their secrets. Requires an admin of the organization.',
  params: OrganizationPath,
  item: Webhook,
  access: organization('admin'),
  list: ({ ctx, organization: { id } }) => ({
    name: `webhooks ${id}`,
    rows: (limit, after) => list(ctx.store, id, limit, after),
    show: rows => rows.map(row => presentWebhook(row, ctx.publicUrl())),
  }),
})

export const createWebhook = endpoint({
  operationId: 'createWebhook',
  summary: 'Create a webhook',
  description: `Creates a webhook; an organization can have ${mostWebhooks}. The server posts each event to \`url\` as JSON, at least once, and in order except for retries: detect duplicates by \`eventId\`. To verify a delivery, read the header \`Stemma-Signature: t=<seconds since 1970>,v1=<hex>\` and compute the HMAC-SHA256 of "<t>.<body>" with the secret, in hex. For some time after a change of the secret there are two \`v1\` signatures: accept the delivery if one of them matches. A response other than 2xx within five seconds is a failure, and is retried eight times over two days; redirects are not followed. Requires an admin of the organization.`,
  params: OrganizationPath,
  body: WebhookBody,
  reply: Webhook,
  status: 201,
  access: organization('admin'),
  handle: async ({ ctx, organization: { id: organizationId }, user, body, by }) => {
    const url = await readUrl(ctx, body.url, user.id)
    return inTransaction(() => {
      if (countWebhooks(ctx.store, organizationId) >= mostWebhooks)
        throw new Fault(
          'limit_reached',
          `The organization has ${mostWebhooks} webhooks, which is the limit. Delete one first.`,
        )

      const at = ctx.now().toISOString()
      const row = insertWebhook(ctx.store, {
        id: randomId(),
        organization_id: organizationId,
        url,
        events: eventsOf(body.events),
        sealed: ctx.keys.seal('webhook', body.secret),
        created_by: user.id,
        created_at: at,
        updated_at: at,
      })

      record(ctx, row, 'webhook.created', by, { host: new URL(url).host, events: body.events })

      return created(presentWebhook(row, ctx.publicUrl()))
    })
  },
})

export const getWebhook = endpoint({
  operationId: 'getWebhookById',
  summary: 'Get a webhook',
  description: 'Returns the webhook without its secret. Requires an admin of the organization.',
  params: WebhookPath,
  reply: Webhook,
  access: webhook,
  handle: ({ ctx, webhook: row }) => presentWebhook(row, ctx.publicUrl()),
})

export const updateWebhook = endpoint({
  operationId: 'updateWebhookById',
  summary: 'Update, pause or resume a webhook',
  description:
    'Properties that are left out stay unchanged. `active: false` pauses the webhook and abandons its pending deliveries. A new secret is used immediately; for `previousSecretHours`, deliveries also have a signature made with the previous secret: `t=…,v1=<new>,v1=<previous>`. Requires an admin of the organization.',
  params: WebhookPath,
  body: WebhookPatch,
  reply: Webhook,
  access: webhook,
  handle: async ({ ctx, webhook: { id }, user, body, by }) => {
    const url = body.url === undefined ? undefined : await readUrl(ctx, body.url, user.id)
    // Deliveries that were pending at the pause are not sent after the resume.
    if (body.active && findWebhook(ctx.store, id)?.active === 0) await abandonAll(ctx, id)
    return inTransaction(({ webhook: before }) => {
      const at = ctx.now().toISOString()
      const row = update(ctx.store, id, {
        ...(url !== undefined && { url }),
        ...(body.events !== undefined && { events: eventsOf(body.events) }),
        ...(body.secret !== undefined &&
          secretChange(ctx, before, body.secret, body.previousSecretHours)),
        ...(body.active !== undefined && { active: Number(body.active) }),
        ...(body.active && { failing_since: null }),
        updated_at: at,
      }) as WebhookRow
      if (body.active === false) abandonSoon(ctx, id)
      record(ctx, row, 'webhook.updated', by, changesOf(before, row))

      return presentWebhook(row, ctx.publicUrl())
    })
  },
})

export const deleteWebhook = endpoint({
  operationId: 'deleteWebhookById',
  summary: 'Delete a webhook and its deliveries',
  description:
    'Deletes the webhook with its deliveries; pending deliveries are not sent. Requires an admin of the organization. The operation also succeeds when the webhook does not exist.',
  params: WebhookPath,
  reply: nothing,
  access: organization('admin'),
  handle: async ({ ctx, organization: { id }, params, by }) => {
    const before = findWebhook(ctx.store, params.webhookId)
    if (before?.organization_id === id) await removeDeliveries(ctx, before.id)
    return inTransaction(() => {
      const row = findWebhook(ctx.store, params.webhookId)
      if (row?.organization_id !== id) return undefined
      remove(ctx.store, row.id)
      record(ctx, row, 'webhook.deleted', by)
      return undefined
    })
  },
})

const hourMs = 3_600_000

/** Returns the columns of a new secret: the previous one signs as well for some hours. */
function secretChange(ctx: Context, before: WebhookRow, secret: string, hours: number) {
  const until = new Date(ctx.now().getTime() + hours * hourMs).toISOString()
  const former =
    hours > 0
      ? { former_sealed: before.sealed, former_until: until }
      : { former_sealed: null, former_until: null }
  return { sealed: ctx.keys.seal('webhook', secret), ...former }
}

const eventsOf = (events: readonly string[]): string[] => [...new Set(events)]

/**
 * Returns the changes for the audit log: only the host of the URL, because the rest may be secret.
 */
function changesOf(before: WebhookRow, after: WebhookRow): Record<string, unknown> {
  const fields = { url: 'url', events: 'events', secret: 'sealed', active: 'active' } as const
  const changed = Object.entries(fields).filter(
    ([, column]) => !isDeepStrictEqual(before[column], after[column]),
  )
  const values = {
    url: (row: WebhookRow) => new URL(row.url).host,
    events: (row: WebhookRow) => row.events,
    active: (row: WebhookRow) => row.active === 1,
  }

  const shown = changed.flatMap(([name]) => {
    const value = values[name as keyof typeof values]
    return value
      ? [[name === 'url' ? 'host' : name, { from: value(before), to: value(after) }]]
      : []
  })

  return { changed: changed.map(([name]) => name), ...Object.fromEntries(shown) }
}
