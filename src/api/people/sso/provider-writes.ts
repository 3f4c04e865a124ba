import type { EventActor } from '../../../actions/events/audit-event.ts'
import { recordOn } from '../../../actions/events/record-event.ts'
import type { Context } from '../../../context.ts'
import { Fault, missing } from '../../../errors.ts'
import { randomId } from '../../../lib/digest.ts'
import { findOrganization } from '../../../store/people/organizations.ts'
import { findTeam } from '../../../store/people/teams.ts'
import {
  countProviders,
  deleteProvider,
  findProvider,
  insertProvider,
  listActiveProviders,
  updateProvider,
} from '../../../store/sso/providers.ts'
import { endSignIns } from '../../../store/sso/signed-in.ts'
import type { Role } from '../../../store/tables/roles.ts'
import type { SsoProviderRow } from '../../../store/tables/rows.ts'
import type { SsoKind } from '../../../store/tables/sso.ts'

/** The maximum number of identity providers of an organization. */
export const mostProviders = 20

const record = recordOn('sso-provider')

/** What the bodies of both kinds of provider share. */
type Body = {
  label?: string | undefined
  defaultTeam?: string | undefined
  defaultRole?: Role | null | undefined
}

type Columns = Parameters<typeof updateProvider>[2]

/**
 * Creates a provider. Throws 'conflict' at the limit, 'missing' for an unknown team. Call inside a
 * transaction.
 */
export function addProvider(
  ctx: Context,
  by: EventActor,
  organizationId: string,
  kind: SsoKind,
  body: Body & { label: string },
  columns: Columns,
): SsoProviderRow {
  if (countProviders(ctx.store, organizationId) >= mostProviders)
    throw new Fault(
      'limit_reached',
      `The organization has ${mostProviders} identity providers, which is the limit. Delete one first.`,
    )

  const at = ctx.now().toISOString()
  const row = insertProvider(ctx.store, {
    id: randomId(),
    organization_id: organizationId,
    kind,
    label: body.label,
    ...defaultsOf(ctx, organizationId, body),
    ...columns,
    created_at: at,
    updated_at: at,
  })

  record(ctx, row, 'sso_provider.created', by, { kind, active: row.active === 1 })

  return row
}

/** Returns the provider of an organization with this id. Throws 'missing'. */
export function requireProvider(
  ctx: Context,
  organizationId: string,
  kind: SsoKind,
  id: string,
): SsoProviderRow {
  const row = findProvider(ctx.store, id)
  if (row?.organization_id !== organizationId || row.kind !== kind)
    throw missing('identity provider', id)
  return row
}

/**
 * Changes a provider. One that is no longer active ends the tokens and sessions that came through
 * it. Throws 'conflict' if its members could no longer sign in. Call inside a transaction.
 */
export function changeProvider(
  ctx: Context,
  by: EventActor,
  before: SsoProviderRow,
  body: Body,
  columns: Columns,
): SsoProviderRow {
  const at = ctx.now().toISOString()
  const set = {
    ...(body.label !== undefined && { label: body.label }),
    ...defaultsOf(ctx, before.organization_id, body),
    ...columns,
    updated_at: at,
  }
  const after = updateProvider(ctx.store, before, set) as SsoProviderRow
  if (before.active === 1) checkWayIn(ctx, before.organization_id)

  const ended = after.active === 1 ? 0 : endSignIns(ctx.store, { providerId: after.id }, at)

  record(ctx, after, 'sso_provider.updated', by, {
    changed: Object.keys(body).sort(),
    active: after.active === 1,
    tokensRevoked: ended,
  })

  return after
}

/**
 * Deletes a provider if there is one, and ends the tokens and sessions that came through it. Throws
 * 'conflict' if the members of the organization could no longer sign in. Call inside a transaction.
 */
export function removeProvider(
  ctx: Context,
  by: EventActor,
  organizationId: string,
  kind: SsoKind,
  id: string,
): void {
  const row = findProvider(ctx.store, id)
  if (row?.organization_id !== organizationId || row.kind !== kind) return
  const ended = endSignIns(ctx.store, { providerId: id }, ctx.now().toISOString())
  deleteProvider(ctx.store, row)
  if (row.active === 1) checkWayIn(ctx, organizationId)
  record(ctx, row, 'sso_provider.deleted', by, { tokensRevoked: ended })
}

/** Throws 'conflict' if an organization requires single sign-on and has no active provider left. */
function checkWayIn({ store }: Context, organizationId: string): void {
  if (findOrganization(store, organizationId)?.sso !== 1) return
  if (listActiveProviders(store, organizationId).length > 0) return
  throw new Fault(
    'provider_needed',
    'This is the last active identity provider of the organization, which requires single sign-on: its members could not sign in. Set "sso" of the organization to false first, or set up another provider.',
  )
}

function defaultsOf(
  ctx: Context,
  organizationId: string,
  { defaultTeam, defaultRole }: Body,
): Columns {
  if (defaultTeam !== undefined && !findTeam(ctx.store, organizationId, defaultTeam))
    throw missing('team', defaultTeam)
  return {
    ...(defaultTeam !== undefined && { default_team_id: defaultTeam }),
    ...(defaultRole !== undefined && { default_role: defaultRole }),
  }
}
