import {
  installation,
  installationToRead,
  siteInstallation,
  siteInstallationToRead,
} from '../../../access/guards/integration.ts'
import { tokenOf } from '../../../access/guards/self.ts'
import { checkSite, site } from '../../../access/guards/site.ts'
import { roleOnSite } from '../../../access/site-roles.ts'
import type { EventActor } from '../../../actions/events/audit-event.ts'
import type { Context } from '../../../context.ts'
import { Fault, missing } from '../../../errors.ts'
import { created, endpoint } from '../../../http/endpoint.ts'
import { inMemory, listing } from '../../../http/list.ts'
import { removal } from '../../../http/removal.ts'
import { configure, emptyConfiguration } from '../../../integrations/configure.ts'
import { scopesOf } from '../../../integrations/installed.ts'
import { recordOnInstallation } from '../../../integrations/record-on-installation.ts'
import { checkScripts } from '../../../integrations/scripts.ts'
import { findInstallation } from '../../../store/integrations/installations.ts'
import {
  findIntegrationById,
  type Integration as IntegrationRow,
} from '../../../store/integrations/integrations.ts'
import {
  deleteSiteInstallation,
  findSiteInstallation,
  insertSiteInstallation,
  listInstallationsOnSite,
  listSitesOfInstallation,
  updateSiteInstallation,
} from '../../../store/integrations/site-installations.ts'
import { findSite } from '../../../store/sites/sites.ts'
import type {
  InstallationRow,
  SiteInstallationRow,
  SiteRow,
  UserRow,
} from '../../../store/tables/rows.ts'
import { loadSite } from '../load.ts'
import { SitePath } from '../schema.ts'
import { isNamed } from './list.ts'
import { presenter } from './present.ts'
import { isOwnToken, presentSiteInstallation } from './present-installation.ts'
import {
  ExtendedQuery,
  InstallationPath,
  Integration,
  SearchQuery,
  SiteInstallation,
  SiteInstallationPatch,
  SiteInstallationPath,
  SiteInstallationsQuery,
  SiteInstallBody,
} from './schema.ts'

type Installed = { integration: IntegrationRow; installation: InstallationRow }

/** Returns the site as the API shows it if it is asked for, else its id. */
function siteShown(ctx: Context, row: SiteRow, user: UserRow, extended: boolean | undefined) {
  const role = extended ? roleOnSite(ctx, row, user.id) : null
  return role ? loadSite(ctx, row, user, role) : row.id
}

export const installIntegrationOnSite = endpoint({
  operationId: 'installIntegrationOnSite',
  summary: 'Install an integration on a site',
  description:
    'Installs an integration of the organization on one of its sites. If the integration adds scripts to pages, sites need another origin than the API, and the integration must belong to the same organization or to the operator. Requires an admin of the site.',
  params: InstallationPath,
  query: ExtendedQuery,
  body: SiteInstallBody,
  reply: SiteInstallation,
  status: 201,
  access: installation('read'),
  write: ({ ctx, query, body, by, ...granted }) => {
    const { integration: row, installation: found, user } = granted
    const path = { organizationId: found.organization_id, siteId: body.siteId }
    const { site: shown } = checkSite(ctx, path, user, 'admin')

    if (row.target !== 'all' && row.target !== 'site')
      throw new Fault(
        'wrong_target',
        `The integration cannot be installed on sites; its target is "${row.target}".`,
      )

    if (row.has_published_script === 1 && scopesOf(row, found).includes('site:script:inject'))
      checkScripts(ctx, row, shown)

    const at = ctx.now().toISOString()
    const before = findSiteInstallation(ctx.store, found.id, shown.id)
    const made =
      before ??
      insertSiteInstallation(ctx.store, {
        installation_id: found.id,
        site_id: shown.id,
        configuration_sealed: emptyConfiguration(ctx),
        created_at: at,
        updated_at: at,
      })
    if (!before) record(ctx, granted, made, 'integration.installed', by)

    const answer = presentSiteInstallation(ctx, granted, made, {
      plain: false,
      site: siteShown(ctx, shown, user, query.extended),
    })

    return created(answer)
  },
})

const record = (
  ctx: Context,
  { integration, installation }: Installed,
  { site_id: site }: SiteInstallationRow,
  action: 'integration.installed' | 'integration.updated' | 'integration.uninstalled',
  by: EventActor,
  details?: Record<string, unknown>,
): void => recordOnInstallation(ctx, integration, installation, action, by, { site, ...details })

export const listIntegrationInstallationSites = listing({
  operationId: 'listIntegrationInstallationSites',
  summary: 'List the sites that an integration is installed on',
  description:
    'Returns the sites that you may see, oldest installation first. With the secret of the integration, all sites are returned.',
  params: InstallationPath,
  query: SiteInstallationsQuery,
  item: SiteInstallation,
  access: installationToRead,
  list: ({ ctx, actor, user, query: { extended }, ...granted }) => {
    const plain = isOwnToken(tokenOf(actor))
    const visible = listSitesOfInstallation(ctx.store, granted.installation.id).flatMap(row => {
      const found = findSite(ctx.store, row.site_id) as SiteRow
      return plain || roleOnSite(ctx, found, user.id) ? [{ row, found }] : []
    })

    return inMemory({
      name: `sites of installation ${granted.installation.id}`,
      rows: visible,
      key: ({ row }) => row.seq,
      show: rows =>
        rows.map(({ row, found }) =>
          presentSiteInstallation(ctx, granted, row, {
            plain,
            site: siteShown(ctx, found, user, extended),
          }),
        ),
    })
  },
})

/** Returns the installation on a site. Throws 'missing' if there is none. */
function find(ctx: Context, { id }: InstallationRow, siteId: string): SiteInstallationRow {
  const row = findSiteInstallation(ctx.store, id, siteId)
  if (!row) throw missing('site', siteId)
  return row
}

export const getIntegrationSiteInstallation = endpoint({
  operationId: 'getIntegrationSiteInstallation',
  summary: 'Get the installation of an integration on a site',
  description:
    'Returns the installation on the site; secrets of its configuration are shown as "". Requires a user who may see the site, or the secret of the integration.',
  params: SiteInstallationPath,
  query: ExtendedQuery,
  reply: SiteInstallation,
  access: siteInstallationToRead,
  handle: ({ ctx, actor, user, site: found, query, ...granted }) =>
    presentSiteInstallation(ctx, granted, find(ctx, granted.installation, found.id), {
      plain: isOwnToken(tokenOf(actor)),
      site: siteShown(ctx, found, user, query.extended),
    }),
})

export const updateIntegrationSiteInstallation = endpoint({
  operationId: 'updateIntegrationSiteInstallation',
  summary: 'Configure the installation of an integration on a site',
  description:
    'Changes the configuration on the site. Properties that are left out stay unchanged. Requires an admin of the site.',
  params: SiteInstallationPath,
  query: ExtendedQuery,
  body: SiteInstallationPatch,
  reply: SiteInstallation,
  access: siteInstallation('admin'),
  write: ({ ctx, site: found, user, query, body, by, ...granted }) => {
    const before = find(ctx, granted.installation, found.id)
    const after = updateSiteInstallation(ctx.store, before, {
      ...configure(ctx, granted.integration, 'site', before, body),
      updated_at: ctx.now().toISOString(),
    })

    record(ctx, granted, after, 'integration.updated', by, {
      changed: Object.keys(body).sort(),
    })

    return presentSiteInstallation(ctx, granted, after, {
      plain: false,
      site: siteShown(ctx, found, user, query.extended),
    })
  },
})

export const uninstallIntegrationFromSite = removal({
  operationId: 'uninstallIntegrationFromSite',
  summary: 'Uninstall an integration from a site',
  description:
    'Removes the integration from the site; its scripts stop working immediately. Requires an admin of the site. The operation also succeeds when the integration is not installed there.',
  params: SiteInstallationPath,
  access: siteInstallation('admin'),
  remove: ({ ctx, site: found, by, ...granted }) => {
    const { id } = granted.installation
    const row = findSiteInstallation(ctx.store, id, found.id)
    if (!row) return
    deleteSiteInstallation(ctx.store, id, found.id)
    record(ctx, granted, row, 'integration.uninstalled', by)
  },
})

export const listSiteIntegrations = listing({
  operationId: 'listSiteIntegrations',
  summary: 'List the integrations that are installed on a site',
  description:
    'Returns the integrations in the order of their installation. Requires a user who may see the site.',
  params: SitePath,
  query: SearchQuery,
  item: Integration,
  access: site('read'),
  list: ({ ctx, site: row, user, query: { search } }) => {
    const all = listInstallationsOnSite(ctx.store, row.id).flatMap(installed => {
      const on = findInstallation(ctx.store, installed.installation_id) as InstallationRow
      const integration = findIntegrationById(ctx.store, on.integration_id) as IntegrationRow
      return isNamed(integration, search) ? [{ seq: installed.seq, integration }] : []
    })

    return inMemory({
      name: `integrations of site ${row.id} ${search ?? ''}`,
      rows: all,
      key: ({ seq }) => seq,
      show: rows => rows.map(({ integration }) => integration).map(presenter(ctx, user)),
    })
  },
})
