import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { findInstallation } from '../../store/integrations/installations.ts'
import { findIntegration, type Integration } from '../../store/integrations/integrations.ts'
import { findSite } from '../../store/sites/sites.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { InstallationRow, SiteRow, TokenRow, UserRow } from '../../store/tables/rows.ts'
import type { Access, Actor } from '../asker.ts'
import { memberWithin } from '../reach.ts'
import { atLeast } from '../roles.ts'
import { needing } from './needing.ts'
import { checkMember } from './organization.ts'
import { tokenOf } from './self.ts'
import { checkSite } from './site.ts'
import { signedIn } from './space.ts'

type IntegrationPath = { integrationName: string }
type InstallationPath = IntegrationPath & { installationId: string }
type SiteInstallationPath = InstallationPath & { siteId: string }

type IntegrationGrant = { integration: Integration; user: UserRow }
type InstallationGrant = IntegrationGrant & { installation: InstallationRow }

/**
 * Returns whether a user may see an integration: all do, except private ones of organizations that
 * they do not belong to.
 */
export const seesIntegration = (
  ctx: Context,
  { visibility, organization_id: organizationId }: Integration,
  userId: string,
): boolean => visibility !== 'private' || memberWithin(ctx, organizationId, userId) !== undefined

/** Returns an integration that a user may see. Throws 'missing'. */
function checkIntegration(ctx: Context, name: string, user: UserRow): IntegrationGrant {
  const integration = findIntegration(ctx.store, name)
  if (!integration || !seesIntegration(ctx, integration, user.id))
    throw missing('integration', name)
  return { integration, user }
}

/**
 * Returns an installation for a member of its organization with at least the role `needed`. Throws
 * 'missing' for users who may not see it, 'forbidden' below `needed`.
 */
function checkInstallation(
  ctx: Context,
  { integrationName, installationId }: InstallationPath,
  user: UserRow,
  needed: Role,
): InstallationGrant {
  const { integration } = checkIntegration(ctx, integrationName, user)
  const installation = installationOf(ctx, integration, installationId)
  if (!memberWithin(ctx, installation.organization_id, user.id)?.role)
    throw missing('installation', installationId)
  if (ctx.reach?.installationId != null && ctx.reach.installationId !== installation.id)
    throw missing('installation', installationId)
  checkMember(ctx, installation.organization_id, user, needed)
  return { integration, installation, user }
}

function installationOf(
  ctx: Context,
  { id }: Integration,
  installationId: string,
): InstallationRow {
  const installation = findInstallation(ctx.store, installationId)
  if (installation?.integration_id !== id) throw missing('installation', installationId)
  return installation
}

/**
 * Returns the integration of the path if the token is its secret; undefined for other tokens.
 * Throws 'forbidden' unless the user who created the secret is an admin of the owner, which accepts
 * the secret.
 */
function ownOfSecret(ctx: Context, token: TokenRow, name: string): Integration | undefined {
  if (token.integration_id === null) return undefined
  const integration = findIntegration(ctx.store, name)
  if (integration?.id !== token.integration_id) throw missing('integration', name)
  if (!atLeast(memberWithin(ctx, integration.organization_id, token.user_id)?.role, 'admin'))
    throw new Fault(
      'access_ended',
      'The secret is no longer valid: the user who created it is not an admin of the owner, or the owner does not accept it. Ask an admin of the owner for a new secret.',
    )
  return integration
}

/** Admits users who may see the integration of the path, and the integration itself. */
export const integration: Access<IntegrationPath, IntegrationGrant> = ({ ctx, actor, params }) => {
  const user = signedIn(actor)
  const own = ownOfSecret(ctx, tokenOf(actor), params.integrationName)
  return own ? { integration: own, user } : checkIntegration(ctx, params.integrationName, user)
}

/** Admits admins of the owner of the integration of the path. */
export const ownedIntegration: Access<IntegrationPath, IntegrationGrant> = ({
  ctx,
  actor,
  params,
}) => {
  const user = signedIn(actor)
  const granted = checkIntegration(ctx, params.integrationName, user)
  const { organization_id: organizationId } = granted.integration
  if (!memberWithin(ctx, organizationId, user.id))
    throw missing('integration', params.integrationName)
  checkMember(ctx, organizationId, user, 'admin')
  return granted
}

/**
 * Admits members of the organization of the installation of the path with at least the role
 * `needed`.
 */
export const installation = (needed: Role): Access<InstallationPath, InstallationGrant> =>
  needing({ role: needed, on: 'organization' }, ({ ctx, actor, params }) =>
    checkInstallation(ctx, params, signedIn(actor), needed),
  )

/**
 * Admits members of the organization of the installation of the path, and the integration itself.
 */
export const installationToRead: Access<InstallationPath, InstallationGrant> = ({
  ctx,
  actor,
  params,
}) => readInstallation(ctx, actor, params)

function readInstallation(ctx: Context, actor: Actor, params: InstallationPath): InstallationGrant {
  const user = signedIn(actor)
  const own = ownOfSecret(ctx, tokenOf(actor), params.integrationName)
  return own
    ? { integration: own, installation: installationOf(ctx, own, params.installationId), user }
    : checkInstallation(ctx, params, user, 'read')
}

/**
 * Admits the integration with its secret, and admins of its owner, to act for an installation of
 * it.
 */
export const installationOfOwner: Access<InstallationPath, InstallationGrant> = ({
  ctx,
  actor,
  params,
}) => {
  const user = signedIn(actor)
  const own = ownOfSecret(ctx, tokenOf(actor), params.integrationName)
  const { integration } = own
    ? { integration: own }
    : checkIntegration(ctx, params.integrationName, user)
  const installation = installationOf(ctx, integration, params.installationId)
  if (own) return { integration, installation, user }

  const { organization_id: ownerId } = integration
  const visible = [ownerId, installation.organization_id].some(
    id => memberWithin(ctx, id, user.id)?.role,
  )
  if (!visible) throw missing('installation', params.installationId)

  if (!memberWithin(ctx, ownerId, user.id))
    throw new Fault(
      'role_required',
      'Only the integration and admins of its owner create tokens of its installations.',
    )

  checkMember(ctx, ownerId, user, 'admin')

  return { integration, installation, user }
}

type SiteInstallationGrant = InstallationGrant & { site: SiteRow }

/**
 * Admits users with at least the role `needed` on the site of the path, who may see the
 * installation.
 */
export const siteInstallation = (
  needed: Role,
): Access<SiteInstallationPath, SiteInstallationGrant> =>
  needing({ role: needed, on: 'site' }, ({ ctx, actor, params }) => {
    const granted = checkInstallation(ctx, params, signedIn(actor), 'read')
    const organizationId = granted.installation.organization_id
    const { site } = checkSite(ctx, { organizationId, siteId: params.siteId }, granted.user, needed)
    return { ...granted, site }
  })

/**
 * Admits users who may see the installation and the site of the path, and the integration itself.
 */
export const siteInstallationToRead: Access<SiteInstallationPath, SiteInstallationGrant> = ({
  ctx,
  actor,
  params,
}) => {
  const granted = readInstallation(ctx, actor, params)
  const organizationId = granted.installation.organization_id
  if (tokenOf(actor).integration_id === null)
    return {
      ...granted,
      site: checkSite(ctx, { organizationId, siteId: params.siteId }, granted.user, 'read').site,
    }

  const site = findSite(ctx.store, params.siteId)
  if (site?.organization_id !== organizationId) throw missing('site', params.siteId)

  return { ...granted, site }
}
