import type { z } from 'zod'
import { memberWithin } from '../../../access/reach.ts'
import type { Context } from '../../../context.ts'
import { assetPrefix, type StoredManifest } from '../../../integrations/manifest.ts'
import { rememberedAssets } from '../../../store/integrations/assets.ts'
import type { Integration as IntegrationRow } from '../../../store/integrations/integrations.ts'
import { findOrganization } from '../../../store/people/organizations.ts'
import { listOrganizationsOfOwnedTeams } from '../../../store/people/teams.ts'
import type { OrganizationRow } from '../../../store/tables/rows.ts'
import { presentOrganization } from '../../base/organizations/present.ts'
import type { Integration } from './schema.ts'

/** Returns the properties of a manifest that are stored as JSON. */
export const manifestOf = ({ manifest }: Pick<IntegrationRow, 'manifest'>): StoredManifest =>
  manifest as StoredManifest

/** Returns the base of the public addresses of an integration, with a trailing slash. */
export const integrationBase = (ctx: Context, name: string): string =>
  `${ctx.publicUrl()}/integrations/${encodeURIComponent(name)}/`

/** Returns a function that shows integrations to a user, with the owners and images read once. */
export function presenter(
  ctx: Context,
  user: { id: string },
): (row: IntegrationRow) => z.input<typeof Integration> {
  const owned = listOrganizationsOfOwnedTeams(ctx.store, user.id)
  const owners = new Map<string, ReturnType<typeof presentOwner>>()
  const ownerOf = (id: string) => {
    const known = owners.get(id) ?? presentOwner(ctx, id, user.id, owned.has(id))
    owners.set(id, known)
    return known
  }
  return row => presentIntegration(ctx, row, ownerOf(row.organization_id))
}

type Owner = { shown: z.input<typeof Integration>['owner']; admin: boolean }

function presentIntegration(
  ctx: Context,
  row: IntegrationRow,
  owner: Owner,
): z.input<typeof Integration> {
  const base = integrationBase(ctx, row.name)
  const location = `${ctx.publicUrl()}/v1/integrations/${encodeURIComponent(row.name)}`
  const assets = new Map(
    (rememberedAssets(ctx.store).get(row.id) ?? []).map(asset => [
      asset.name,
      `${base}assets/${asset.name}-${asset.digest.slice(0, 16)}`,
    ]),
  )
  const icon = assets.get('icon')
  const { runtime: _runtime, blocks, contentSources, ...manifest } = manifestOf(row)
  const withAddresses = (
    parts: readonly { id: string; title: string; icon?: string | undefined }[],
  ) =>
    parts.map(part =>
      part.icon?.startsWith(assetPrefix)
        ? { ...part, icon: assets.get(part.icon.slice(assetPrefix.length)) as string }
        : (part as { id: string; title: string; icon?: string }),
    )

  return {
    object: 'integration',
    name: row.name,
    version: row.version,
    title: row.title,
    ...manifest,
    ...(blocks && { blocks: withAddresses(blocks) }),
    ...(contentSources && { contentSources: withAddresses(contentSources) }),
    previewImages: [...assets].flatMap(([name, address]) =>
      name.startsWith('preview-') ? [address] : [],
    ),
    target: row.target,
    verified: row.source === 'server',
    visibility: row.visibility,
    owner: owner.shown,
    urls: {
      location,
      app: location,
      assets: `${base}assets/`,
      publicEndpoint: base,
      publicContentEndpoint: base,
      ...(icon !== undefined && { icon }),
    },
    permissions: { admin: owner.admin },
  }
}

function presentOwner(ctx: Context, id: string, userId: string, ownsTeam: boolean): Owner {
  const row = findOrganization(ctx.store, id) as OrganizationRow
  const member = memberWithin(ctx, id, userId)
  if (member)
    return {
      shown: presentOrganization(row, { role: member.role, ownsTeam }, ctx.publicUrl()),
      admin: member.role === 'admin',
    }

  // Outsiders see who it is, and none of its settings.
  const bare = presentOrganization(
    {
      ...row,
      email_domains: [],
      default_role: null,
      default_content: null,
      logo: null,
      sso: 0,
      ai: 0,
      invite_links: 0,
      outsiders_by_admins: 0,
      merge_rules: { type: 'none' },
      max_token_age_days: null,
    },
    { role: null, ownsTeam: false },
    ctx.publicUrl(),
  )

  return { shown: { ...bare, permissions: { ...bare.permissions, view: false } }, admin: false }
}
