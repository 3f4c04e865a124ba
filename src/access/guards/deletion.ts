import { Fault } from '../../errors.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { CollectionRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import type { Access, Asker } from '../asker.ts'
import { collection } from './collection.ts'
import {
  type InstallationGrant,
  type InstallationPath,
  type IntegrationGrant,
  type IntegrationPath,
  installation,
  ownedIntegration,
  type SiteInstallationGrant,
  type SiteInstallationPath,
  siteInstallation,
} from './integration.ts'
import { type InviteGrant, linkInvite } from './invite.ts'
import { type SiteGrant, type SitePath, site } from './site.ts'
import { type SiteSpaceGrant, type SiteSpacePath, siteSpace } from './site-space.ts'
import { signedIn, space } from './space.ts'

/**
 * Returns what `guard` grants, or undefined if it throws 'missing': deletes are repeatable, so
 * nothing to delete is success.
 */
function orNothing<Params, Granted>(
  guard: Access<Params, Granted>,
  asker: Asker<Params>,
): Granted | undefined {
  try {
    return guard(asker)
  } catch (error) {
    if (error instanceof Fault && error.kind === 'missing') return undefined
    throw error
  }
}

/** Admits admins of the space of the path. Callers without a visible space get none. */
export const spaceToDelete: Access<
  { spaceId: string },
  { space: SpaceRow | undefined; user: UserRow }
> = asker => ({
  space: orNothing(space('admin'), asker)?.space,
  user: signedIn(asker.actor),
})

/** Admits admins of the collection of the path. Callers without a visible collection get none. */
export const collectionToDelete: Access<
  { collectionId: string },
  { collection: CollectionRow | undefined; user: UserRow }
> = asker => ({
  collection: orNothing(collection('admin'), asker)?.collection,
  user: signedIn(asker.actor),
})

/**
 * Admits users with at least the role `needed` on the site of the path, to delete it or a part of
 * it. Callers without a visible site get none.
 */
export const siteToDelete =
  (needed: Role): Access<SitePath, { found: SiteGrant | undefined; user: UserRow }> =>
  asker => ({
    found: orNothing(site(needed), asker),
    user: signedIn(asker.actor),
  })

/**
 * Admits users with at least the role `needed` on the site of the path, to delete a site space or a
 * part of it. Callers without a visible site space get none.
 */
export const siteSpaceToDelete =
  (needed: Role): Access<SiteSpacePath, { found: SiteSpaceGrant | undefined; user: UserRow }> =>
  asker => ({
    found: orNothing(siteSpace(needed), asker),
    user: signedIn(asker.actor),
  })

/**
 * Admits admins of the owner of the integration of the path. Callers without a visible integration
 * get none.
 */
export const integrationToDelete: Access<
  IntegrationPath,
  { found: IntegrationGrant | undefined; user: UserRow }
> = asker => ({
  found: orNothing(ownedIntegration, asker),
  user: signedIn(asker.actor),
})

/**
 * Admits callers who could create the invite of the path. Callers without a visible invite get
 * none.
 */
export const linkInviteToDelete: Access<
  { organizationId: string; inviteId: string },
  { found: InviteGrant | undefined; user: UserRow }
> = asker => ({
  found: orNothing(linkInvite, asker),
  user: signedIn(asker.actor),
})

/**
 * Admits admins of the organization of the installation of the path. Callers without a visible
 * installation get none.
 */
export const installationToDelete: Access<
  InstallationPath,
  { found: InstallationGrant | undefined; user: UserRow }
> = asker => ({
  found: orNothing(installation('admin'), asker),
  user: signedIn(asker.actor),
})

/**
 * Admits admins of the site of the path, to uninstall the integration from it. Callers without a
 * visible site or installation get none.
 */
export const siteInstallationToDelete: Access<
  SiteInstallationPath,
  { found: SiteInstallationGrant | undefined; user: UserRow }
> = asker => ({
  found: orNothing(siteInstallation('admin'), asker),
  user: signedIn(asker.actor),
})
