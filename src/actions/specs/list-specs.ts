import { existsSync } from 'node:fs'
import type { Context } from '../../context.ts'
import type { Oid } from '../../lib/oid.ts'
import { listAllSpecs } from '../../store/openapi/specs.ts'
import { listAllOrganizations } from '../../store/people/organizations.ts'
import type { Store } from '../../store/store.ts'
import { specBranch, specsFolder } from '../repositories/specs-repository.ts'

/**
 * Returns the ids of the organizations that have a repository of specs, or should have one because
 * rows name its versions.
 */
export function listSpecsOrganizations(ctx: Context): string[] {
  const named = new Set(organizationsOf(ctx.store))
  return listAllOrganizations(ctx.store)
    .map(({ id }) => id)
    .filter(id => named.has(id) || existsSync(specsFolder(ctx.config.dataDir, id)))
}

/** Returns the ids of the organizations with a spec that has a version. */
export const organizationsOf = (store: Store): string[] => [
  ...new Set(
    listAllSpecs(store)
      .filter(spec => spec.last_version)
      .map(spec => spec.organization_id),
  ),
]

/**
 * Returns the branches of an organization's specs, each with its latest version according to the
 * rows.
 */
export const specBranches = (store: Store, organizationId: string): Map<string, Oid> =>
  new Map(
    listAllSpecs(store).flatMap(spec =>
      spec.organization_id === organizationId && spec.last_version
        ? [[specBranch(spec), spec.last_version] as const]
        : [],
    ),
  )
