import type { Generated } from 'kysely'
import { table } from './table.ts'

type IntegrationTable = {
  seq: Generated<number>
  id: string
  name: string
  name_folded: string
  organization_id: string
  source: Generated<'organization' | 'server'>
  version: Generated<number>
  title: string
  visibility: Generated<'public' | 'private' | 'unlisted'>
  target: Generated<'all' | 'site' | 'space' | 'organization'>
  /** The other properties that may be shown. */
  manifest: object
  script: string
  published_script: string | null
  secrets_sealed: string | null
  digest: string | null
  created_by: string | null
  created_at: string
  updated_at: string
}

type IntegrationAssetTable = {
  integration_id: string
  name: string
  type: string
  digest: string
  bytes: Buffer
}

type IntegrationInstallationTable = {
  seq: Generated<number>
  id: string
  integration_id: string
  organization_id: string
  /** The user whose rights its tokens have at most. */
  user_id: string
  /** The accepted scopes. */
  scopes: string[]
  configuration_sealed: string
  external_ids: Generated<string[]>
  space_selection: 'all' | 'selected'
  site_selection: 'all' | 'selected'
  /** The ids of the selected spaces. */
  spaces: Generated<string[]>
  created_at: string
  updated_at: string
}

type IntegrationSiteTable = {
  seq: Generated<number>
  installation_id: string
  site_id: string
  configuration_sealed: string
  external_ids: Generated<string[]>
  created_at: string
  updated_at: string
}

export const integrationsTables = {
  integration: table<IntegrationTable>({ scope: 'any', json: { manifest: true } }),
  integration_asset: table<IntegrationAssetTable>({ scope: 'any' }),
  integration_installation: table<IntegrationInstallationTable>({
    scope: 'any',
    json: { scopes: true, external_ids: true, spaces: true },
  }),
  integration_site: table<IntegrationSiteTable>({ scope: 'any', json: { external_ids: true } }),
}
