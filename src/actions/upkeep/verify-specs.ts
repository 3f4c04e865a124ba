import { existsSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { listNamedVersions } from '../../store/git/named-commits.ts'
import { listMirroredRefs } from '../../store/git/refs.ts'
import { listAllSpecs } from '../../store/openapi/specs.ts'
import { headsBelow } from '../repositories/head-of.ts'
import { specsKey } from '../repositories/repository-of.ts'
import { specBranch, specsRepository } from '../repositories/specs-repository.ts'
import {
  findLost,
  type Problem,
  repairOf,
  runChecks,
  verifyRepository,
} from './verify-repository.ts'

/**
 * Returns the problems of an organization's OpenAPI specs: those of their repository, and
 * differences between rows and Git.
 */
export async function verifySpecs(ctx: Context, organizationId: string): Promise<Problem[]> {
  const repo = specsRepository(ctx, organizationId)
  const looked = {
    about: { organization: organizationId },
    command: `stemma repair --specs ${organizationId}`,
  }
  const named = () =>
    new Map(
      listNamedVersions(ctx.store, organizationId).map(({ oid, slug }) => [
        oid,
        `The version ${oid} of "${slug}"`,
      ]),
    )

  // The repository is created with the first spec.
  if (!existsSync(repo.dir) && named().size === 0) return []

  const { found, usable } = await verifyRepository(repo, looked)
  if (!usable) return found

  const repair = repairOf(looked)
  const further = await runChecks(looked.about, [
    [repair, () => compareBranches(ctx, organizationId)],
    [repair, () => findLost(repo, named())],
  ])

  return [...found, ...further]
}

/**
 * Returns the specs whose branch is not at their latest version, in Git or in the mirror of the
 * refs.
 */
async function compareBranches(ctx: Context, organizationId: string): Promise<string[]> {
  const key = specsKey(organizationId)
  const inGit = await headsBelow(ctx, key, 'refs/heads/')
  const mirror = listMirroredRefs(ctx.store, key)
  return listAllSpecs(ctx.store).flatMap(spec => {
    const { organization_id, last_version } = spec
    if (organization_id !== organizationId || !last_version) return []
    const ref = specBranch(spec)
    const head = inGit.get(ref)
    if (head !== last_version)
      return [`${ref} is ${head ?? 'missing'} in Git, but ${last_version} in the database.`]
    if (mirror.get(ref) === last_version) return []
    return [
      `${ref} is ${mirror.get(ref) ?? 'missing'} in the mirror of the refs, but ${last_version} in Git.`,
    ]
  })
}
