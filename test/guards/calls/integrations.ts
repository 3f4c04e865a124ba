import { another, must, type World } from '../world.ts'
import { type Calls, fresh } from './call.ts'
import { newSite } from './sites.ts'

const manifest = (organization: string | undefined) => ({
  organization,
  title: 'Widgets',
  description: 'Puts widgets on pages.',
  scopes: ['space:content:read'],
  script: 'export default {}',
})

/** Publishes a private integration of the world's organization, and returns its name. */
async function newIntegration({ by, ids }: World): Promise<string> {
  const name = another('widgets')
  await must(by, 'POST', `/integrations/${name}`, manifest(ids.organizationId))
  return name
}

const published = fresh(async world => ({ ids: { integrationName: await newIntegration(world) } }))

/** An integration that is installed on the world's organization. */
async function newInstallation(world: World) {
  const integrationName = await newIntegration(world)
  const { id } = await must(world.by, 'POST', `/integrations/${integrationName}/installations`, {
    organization: world.ids.organizationId,
  })
  return { integrationName, installationId: id as string }
}

/** An integration that is installed on a new site. */
async function newSiteInstallation(world: World) {
  const ids = await newInstallation(world)
  const { siteId } = await newSite(world)
  const path = `/integrations/${ids.integrationName}/installations/${ids.installationId}/sites`
  await must(world.by, 'POST', path, { siteId })
  return { ...ids, siteId }
}

const installed = fresh(async world => ({ ids: await newInstallation(world) }))
const onSite = fresh(async world => ({ ids: await newSiteInstallation(world) }))

/** Integrations and their installations. */
export const integrations: Calls = {
  getIntegrationByName: published,
  publishIntegration: fresh(async ({ ids }) => ({
    ids: { integrationName: another('widgets') },
    body: manifest(ids.organizationId),
  })),
  'publishIntegration@next': fresh(async world => ({
    ids: { integrationName: await newIntegration(world) },
    body: manifest(world.ids.organizationId),
  })),
  unpublishIntegration: published,
  createIntegrationSecret: published,
  installIntegration: fresh(async world => ({
    ids: { integrationName: await newIntegration(world) },
    body: { organization: world.ids.organizationId },
  })),
  getIntegrationInstallationById: installed,
  updateIntegrationInstallation: fresh(async world => ({
    ids: await newInstallation(world),
    body: { externalIds: [another('external')] },
  })),
  uninstallIntegration: installed,
  createIntegrationInstallationToken: installed,
  listOrganizationInstallations: installed,
  installIntegrationOnSite: fresh(async world => ({
    ids: await newInstallation(world),
    body: { siteId: (await newSite(world)).siteId },
  })),
  listIntegrationInstallationSites: onSite,
  getIntegrationSiteInstallation: onSite,
  updateIntegrationSiteInstallation: fresh(async world => ({
    ids: await newSiteInstallation(world),
    body: { externalIds: [another('external')] },
  })),
  uninstallIntegrationFromSite: onSite,
  listSiteIntegrations: onSite,
  listSiteIntegrationScripts: onSite,
}
