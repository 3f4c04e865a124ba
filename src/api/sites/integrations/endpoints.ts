import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { integration, ownedIntegration } from '../../../access/guards/integration.ts'
import { checkMember, organization } from '../../../access/guards/organization.ts'
import { self, tokenOf } from '../../../access/guards/self.ts'
import { memberWithin } from '../../../access/reach.ts'
import type { EventAction, EventActor } from '../../../actions/events/audit-event.ts'
import { recordOn } from '../../../actions/events/record-event.ts'
import type { Context } from '../../../context.ts'
import { Fault, missing } from '../../../errors.ts'
import { Answer, endpoint, inTransaction } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { removal } from '../../../http/removal.ts'
import { PublishBody } from '../../../integrations/manifest.ts'
import { type Prepared, prepare } from '../../../integrations/prepare.ts'
import { base62, randomId } from '../../../lib/digest.ts'
import { replaceAssets } from '../../../store/integrations/assets.ts'
import { countForeignInstallations } from '../../../store/integrations/installations.ts'
import {
  countIntegrations,
  deleteIntegration,
  findIntegration,
  type Integration as IntegrationRow,
  insertIntegration,
  updateIntegration,
} from '../../../store/integrations/integrations.ts'
import { replaceIntegrationSecret } from '../../../store/integrations/tokens.ts'
import {
  findOrganization,
  findOrganizationByHostname,
} from '../../../store/people/organizations.ts'
import type { UserRow } from '../../../store/tables/rows.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { integrationsFor } from './list.ts'
import { presenter } from './present.ts'
import { InstallationToken, Integration, IntegrationPath, IntegrationsQuery } from './schema.ts'

/** The maximum number of integrations of an organization. */
const mostIntegrations = 100

export const listIntegrations = listing({
  operationId: 'listIntegrations',
  summary: 'List the integrations of the server',
  description:
    'Returns public integrations, and all integrations of your organizations, sorted by title. Unlisted integrations can only be read by their name. Several filters can be combined.',
  params: z.object({}),
  query: IntegrationsQuery,
  item: Integration,
  access: self,
  list: asked =>
    integrationsFor(
      asked,
      '',
      row => row.visibility === 'public' || belongs(asked.ctx, row, asked.user),
    ),
})

const belongs = (ctx: Context, { organization_id: id }: IntegrationRow, user: UserRow): boolean =>
  memberWithin(ctx, id, user.id) !== undefined

export const listOrganizationIntegrations = listing({
  operationId: 'listOrganizationIntegrations',
  summary: 'List the integrations that an organization may install',
  description:
    'Returns public integrations and all integrations of the organization, sorted by title. Several filters can be combined. Guests may not call this operation.',
  params: OrganizationPath,
  query: IntegrationsQuery,
  item: Integration,
  access: organization('read'),
  list: asked => {
    const { id } = asked.organization
    return integrationsFor(
      asked,
      id,
      row => row.visibility === 'public' || row.organization_id === id,
    )
  },
})

export const getIntegrationByName = endpoint({
  operationId: 'getIntegrationByName',
  summary: 'Get an integration',
  description:
    'Returns a public or unlisted integration, or a private one of your organizations. Case is ignored in the name.',
  params: IntegrationPath,
  reply: Integration,
  access: integration,
  handle: ({ ctx, integration: row, user }) => presenter(ctx, user)(row),
})

export const publishIntegration = endpoint({
  operationId: 'publishIntegration',
  summary: 'Publish an integration',
  description: `Publishes an integration, or its next version if the name exists; an organization can own ${mostIntegrations}. Secrets stay unless the body has new ones. The owner cannot be changed. Scripts and secrets are not in any answer, and this server does not run scripts. Requires an admin of the organization that owns the integration.`,
  params: IntegrationPath,
  body: PublishBody,
  bodyLimit: 16_000_000,
  reply: Integration,
  access: self,
  handle: ({ ctx, user, params: { integrationName: name }, body, by }) => {
    const prepared = prepare(body)
    const secrets = body.secrets && secretsColumn(ctx, body.secrets)
    return inTransaction(() => {
      const owner =
        findOrganization(ctx.store, body.organization) ??
        findOrganizationByHostname(ctx.store, body.organization)
      if (!owner) throw missing('organization', body.organization)
      checkMember(ctx, owner.id, user, 'admin')
      const before = findIntegration(ctx.store, name)
      const at = ctx.now().toISOString()

      if (before) {
        checkNext(ctx, before, { name, ownerId: owner.id, visibility: body.visibility })
        updateIntegration(ctx.store, before.id, { ...prepared.columns, ...secrets, updated_at: at })
        replaceAssets(ctx.store, before.id, prepared.assets)
      } else insertFirst(ctx, { name, ownerId: owner.id, user, at }, prepared, secrets)

      const row = findIntegration(ctx.store, name) as IntegrationRow

      record(ctx, row, 'integration.published', by, {
        version: row.version,
        visibility: row.visibility,
        scopes: body.scopes,
      })

      return presenter(ctx, user)(row)
    })
  },
})

type SecretsColumn = { secrets_sealed: string | null }

const secretsColumn = (ctx: Context, secrets: Record<string, string>): SecretsColumn => ({
  secrets_sealed:
    Object.keys(secrets).length === 0
      ? null
      : ctx.keys.seal('integration secrets', JSON.stringify(secrets)),
})

/**
 * Throws 'conflict' unless the integration may get a next version under this name, of this owner.
 */
function checkNext(
  ctx: Context,
  before: IntegrationRow,
  { name, ownerId, visibility }: { name: string; ownerId: string; visibility: string },
): void {
  if (before.source === 'server' || before.organization_id !== ownerId || before.name !== name)
    throw new Fault(
      'name_in_use',
      `The name "${name}" is taken. Publish the integration under another name.`,
    )
  if (visibility === 'private' && countForeignInstallations(ctx.store, before.id) > 0)
    throw new Fault(
      'still_in_use',
      'Other organizations have installed the integration, so it cannot become private. They have to uninstall it first.',
    )
}

function insertFirst(
  ctx: Context,
  { name, ownerId, user, at }: { name: string; ownerId: string; user: UserRow; at: string },
  { columns, assets }: Prepared,
  secrets: SecretsColumn = { secrets_sealed: null },
): void {
  if (countIntegrations(ctx.store, ownerId) >= mostIntegrations)
    throw new Fault(
      'limit_reached',
      `The organization has ${mostIntegrations} integrations, which is the limit. Unpublish one first.`,
    )

  const id = randomId()
  insertIntegration(ctx.store, {
    id,
    name,
    organization_id: ownerId,
    source: 'organization',
    ...columns,
    ...secrets,
    digest: null,
    created_by: user.id,
    created_at: at,
    updated_at: at,
  })
  replaceAssets(ctx.store, id, assets)
}

export const unpublishIntegration = removal({
  operationId: 'unpublishIntegration',
  summary: 'Unpublish an integration',
  description:
    'Removes the integration with its installations, tokens and scripts. The answer is a 409 while other organizations have installed it. Requires an admin of the organization that owns the integration. The operation also succeeds when the integration does not exist.',
  params: IntegrationPath,
  access: ownedIntegration,
  remove: ({ ctx, integration: row, by }) => {
    if (row.source === 'server')
      throw new Fault(
        'provided_by_operator',
        'The operator of the server provides this integration.',
      )

    if (countForeignInstallations(ctx.store, row.id) > 0)
      throw new Fault(
        'still_in_use',
        'Other organizations have installed the integration. They have to uninstall it first.',
      )

    deleteIntegration(ctx.store, row.id)
    record(ctx, row, 'integration.unpublished', by)
  },
})

export const createIntegrationSecret = endpoint({
  operationId: 'createIntegrationSecret',
  summary: 'Create the secret of an integration',
  description:
    'Returns a new secret, with which the integration creates tokens of its installations (as a Bearer token). The former secret, and the tokens created with it, stop working immediately. The secret works as long as you are an admin of the owner, and as long as the token of this request is valid. The secret is only in this answer, so the operation accepts no Idempotency-Key. Requires an admin of the organization that owns the integration.',
  params: IntegrationPath,
  reply: InstallationToken,
  status: 201,
  access: ownedIntegration,
  unstored: 'the secret of an integration is not stored.',
  write: ({ ctx, integration: row, actor, by }) => {
    const secret = newSecret('sti')
    const at = ctx.now().toISOString()
    replaceIntegrationSecret(ctx.store, row.id, {
      secret,
      name: `Secret of ${row.name}`,
      parent: tokenOf(actor),
      at,
    })

    record(ctx, row, 'integration.secret_created', by)

    return new Answer({ token: secret })
  },
})

/** Returns a new secret of 256 bits. */
export const newSecret = (prefix: string): string => `${prefix}_${base62(randomBytes(32), 43)}`

const recordOnName = recordOn('integration')

/** Records an event of an integration, which the audit log knows by its name. */
const record = (
  ctx: Context,
  { name: id, organization_id }: IntegrationRow,
  ...happening: [action: EventAction, by: EventActor, details?: Record<string, unknown>]
): void => recordOnName(ctx, { id, organization_id }, ...happening)
