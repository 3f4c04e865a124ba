import { existsSync } from 'node:fs'
import type { Context } from '../../context.ts'
import type { Oid } from '../../git/values/oid.ts'
import { listAllSpecs } from '../../store/openapi/specs.ts'
import { listAllOrganizations } from '../../store/people/organizations.ts'
import type { Store } from '../../store/store.ts'
import { specBranch, specsFolder } from '../repositories/specs-repository.ts'

/** The ids of the organizations that have a repository of descriptions, or should have one, as rows name versions in it. */
export function listSpecsOrganizations(ctx: Context): string[] {
  const named = new Set(organizationsOf(ctx.store))
  return listAllOrganizations(ctx.store)
    .map(({ id }) => id)
    .filter(id => named.has(id) || existsSync(specsFolder(ctx.config.dataDir, id)))
}

/** The ids of the organizations of whose descriptions rows name versions. */
export const organizationsOf = (store: Store): string[] => [
  ...new Set(
    listAllSpecs(store)
      .filter(spec => spec.last_version)
      .map(spec => spec.organization_id),
  ),
]

/** The branches of an organization's descriptions, each with the commit at which the rows have it. */
export const specBranches = (store: Store, organizationId: string): Map<string, Oid> =>
  new Map(
    listAllSpecs(store).flatMap(spec =>
      spec.organization_id === organizationId && spec.last_version
        ? [[specBranch(spec), spec.last_version as Oid] as const]
        : [],
    ),
  )
