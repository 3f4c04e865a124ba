import { z } from 'zod'
import {
  installation,
  installationOfOwner,
  installationToRead,
  integration,
} from '../../../access/guards/integration.ts'
import { checkMember, organization } from '../../../access/guards/organization.ts'
import { tokenOf } from '../../../access/guards/self.ts'
import { mayReadLive } from '../../../access/space-role.ts'
import type { Context } from '../../../context.ts'
import { Fault, missing } from '../../../errors.ts'
import { created, endpoint, inTransaction } from '../../../http/endpoint.ts'
import { inMemory, listing } from '../../../http/list.ts'
import { removal } from '../../../http/removal.ts'
import { configure, emptyConfiguration } from '../../../integrations/configure.ts'
import { recordOnInstallation } from '../../../integrations/record-on-installation.ts'
import { randomId } from '../../../lib/digest.ts'
import {
  deleteInstallation,
  findInstallationOn,
  insertInstallation,
  listInstallationsOn,
  updateInstallation,
} from '../../../store/integrations/installations.ts'
import {
  findIntegrationById,
  type Integration as IntegrationRow,
} from '../../../store/integrations/integrations.ts'
import { insertInstallationToken } from '../../../store/integrations/tokens.ts'
import { rememberedSpace } from '../../../store/spaces/spaces.ts'
import type { InstallationRow } from '../../../store/tables/rows.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { newSecret } from './endpoints.ts'
import { isNamed } from './list.ts'
import { manifestOf, presenter } from './present.ts'
import { isOwnToken, presentInstallation } from './present-installation.ts'
import {
  Installation,
  InstallationPatch,
  InstallationPath,
  InstallationToken,
  InstallBody,
  Integration,
  IntegrationPath,
  SearchQuery,
} from './schema.ts'

const hourMs = 3_600_000

export const installIntegration = endpoint({
  operationId: 'installIntegration',
  summary: 'Install an integration on an organization',
  description:
    'Installs the integration, and accepts the scopes of its current version. Tokens of the installation act for the user who installs it, within these scopes. If the integration is installed already, the call accepts the scopes of its current version, for the user of the request. A new installation of an integration for sites or spaces has access to none until some are selected. Requires an admin of the organization.',
  params: IntegrationPath,
  body: InstallBody,
  reply: Installation,
  status: 201,
  access: integration,
  handle: ({ ctx, actor, body, by }) => {
    if (isOwnToken(tokenOf(actor)))
      throw new Fault('token_not_accepted', 'Integrations cannot install themselves.')
    return inTransaction(({ integration: row, user }) => {
      const { organization: owner } = checkMember(ctx, body.organization, user, 'admin')
      if (row.visibility === 'private' && row.organization_id !== owner.id)
        throw new Fault(
          'integration_private',
          'The integration is private: only the organization that owns it may install it.',
        )

      const before = findInstallationOn(ctx.store, row.id, owner.id)
      const at = ctx.now().toISOString()
      const accepted = {
        scopes: manifestOf(row).scopes,
        user_id: user.id,
        updated_at: at,
      }
      const selection = row.target === 'site' || row.target === 'space' ? 'selected' : 'all'
      const made = before
        ? (updateInstallation(ctx.store, before.id, accepted) as InstallationRow)
        : insertInstallation(ctx.store, {
            id: randomId(),
            integration_id: row.id,
            organization_id: owner.id,
            ...accepted,
            configuration_sealed: emptyConfiguration(ctx),
            space_selection: selection,
            site_selection: selection,
            created_at: at,
          })

      recordOnInstallation(ctx, row, made, 'integration.installed', by, {
        version: row.version,
        scopes: manifestOf(row).scopes,
      })

      return created(presentInstallation(ctx, row, made, { plain: false }))
    })
  },
})

export const getIntegrationInstallationById = endpoint({
  operationId: 'getIntegrationInstallationById',
  summary: 'Get the installation of an integration',
  description:
    'Returns the installation; secrets of its configuration are shown as "". Requires a member of the organization, or the secret of the integration.',
  params: InstallationPath,
  reply: Installation,
  access: installationToRead,
  handle: ({ ctx, actor, integration: row, installation: found }) =>
    presentInstallation(ctx, row, found, { plain: isOwnToken(tokenOf(actor)) }),
})

export const updateIntegrationInstallation = endpoint({
  operationId: 'updateIntegrationInstallation',
  summary: 'Configure the installation of an integration',
  description:
    'Changes the configuration of the installation. Properties that are left out stay unchanged. Requires an admin of the organization.',
  params: InstallationPath,
  body: InstallationPatch,
  reply: Installation,
  access: installation('admin'),
  write: ({ ctx, integration: row, installation: before, user, body, by }) => {
    const { space_selection, site_selection } = body
    const spaces = body.selectedSpaces && [...new Set(body.selectedSpaces)]
    checkSpaces(ctx, before, spaces ?? [], user.id)
    const after = updateInstallation(ctx.store, before.id, {
      ...configure(ctx, row, 'account', before, body),
      ...(space_selection !== undefined && { space_selection }),
      ...(site_selection !== undefined && { site_selection }),
      ...(spaces && { spaces }),
      updated_at: ctx.now().toISOString(),
    }) as InstallationRow

    recordOnInstallation(ctx, row, after, 'integration.updated', by, {
      changed: Object.keys(body).sort(),
      space_selection: after.space_selection,
      site_selection: after.site_selection,
      ...(spaces && { spaces }),
    })

    return presentInstallation(ctx, row, after, { plain: false })
  },
})

/**
 * Throws 'missing' unless the user may read all of the spaces, and they belong to the organization
 * of the installation.
 */
function checkSpaces(
  ctx: Context,
  { organization_id: organizationId }: InstallationRow,
  spaces: readonly string[],
  userId: string,
): void {
  for (const id of spaces)
    if (
      rememberedSpace(ctx.store, id)?.organization_id !== organizationId ||
      !mayReadLive(ctx, id, userId)
    )
      throw missing('space', id)
}

export const uninstallIntegration = removal({
  operationId: 'uninstallIntegration',
  summary: 'Uninstall an integration from an organization',
  description:
    'Removes the installation from the organization and its sites. Its tokens and scripts stop working immediately. Requires an admin of the organization. The operation also succeeds when the installation does not exist.',
  params: InstallationPath,
  access: installation('admin'),
  remove: ({ ctx, integration: row, installation: before, by }) => {
    deleteInstallation(ctx.store, before.id)
    recordOnInstallation(ctx, row, before, 'integration.uninstalled', by)
  },
})

export const createIntegrationInstallationToken = endpoint({
  operationId: 'createIntegrationInstallationToken',
  summary: 'Create a token of an installation',
  description:
    'Returns a token that is valid for one hour, and not longer than the token of this request. The token can be used in the organization of the installation, for its scopes and its selected spaces and sites, and never has more rights than the user who installed the integration. The token is only in this answer, so the operation accepts no Idempotency-Key. Requires the secret of the integration as Bearer token, or an admin of the organization that owns the integration.',
  params: InstallationPath,
  reply: InstallationToken,
  access: installationOfOwner,
  unstored: 'the token is not stored in answers.',
  write: ({ ctx, integration: row, installation: found, actor, by }) => {
    const secret = newSecret('stt')
    const made = insertInstallationToken(ctx.store, found, {
      secret,
      name: `Integration ${row.name}`,
      at: ctx.now().toISOString(),
      parent: tokenOf(actor),
      lifetimeMs: hourMs,
    })

    recordOnInstallation(ctx, row, found, 'integration.token_created', by, {
      user: found.user_id,
      expires_at: made.expires_at,
    })

    return { token: secret }
  },
})

export const listOrganizationInstallations = listing({
  operationId: 'listOrganizationInstallations',
  summary: 'List the integrations that are installed on an organization',
  description: 'Returns the installations oldest first. Guests may not call this operation.',
  params: OrganizationPath,
  query: SearchQuery,
  item: z.object({ integration: Integration, installation: Installation }),
  access: organization('read'),
  list: ({ ctx, organization: { id }, user, query: { search } }) => {
    const all = listInstallationsOn(ctx.store, id)
      .map(row => ({
        row,
        integration: findIntegrationById(ctx.store, row.integration_id) as IntegrationRow,
      }))
      .filter(({ integration }) => isNamed(integration, search))

    return inMemory({
      name: `installations ${id} ${search ?? ''}`,
      rows: all,
      key: ({ row }) => row.seq,
      show: rows => {
        const present = presenter(ctx, user)
        return rows.map(({ row, integration }) => ({
          integration: present(integration),
          installation: presentInstallation(ctx, integration, row, { plain: false }),
        }))
      },
    })
  },
})
