import { existsSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { objectInfo } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { listRefs } from '../../git/refs/refs.ts'
import { unreachableCommits } from '../../git/refs/unreachable.ts'
import type { Oid } from '../../lib/oid.ts'
import { listNamedVersions } from '../../store/git/named-commits.ts'
import { listAllSpecs } from '../../store/openapi/specs.ts'
import { specBranch, specsRepository } from '../repositories/specs-repository.ts'
import { type Problem, repairOf, trouble, verifyRepository } from './verify-repository.ts'

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
  const named = () => listNamedVersions(ctx.store, organizationId)

  // The repository is created with the first spec.
  if (!existsSync(repo.dir) && named().length === 0) return []

  const { found, usable } = await verifyRepository(repo, looked)
  if (!usable) return found

  const say = (what: string) => ({ ...looked.about, what, remedy: repairOf(looked) })

  for (const check of [
    () => compareBranches(ctx, repo, organizationId),
    () => findLost(repo, named()),
  ])
    found.push(...(await trouble(check)).map(say))

  return found
}

/**
 * Returns the specs whose branch is not at their latest version. During processing the branch may
 * be ahead of the rows.
 */
async function compareBranches(
  ctx: Context,
  repo: Repository,
  organizationId: string,
): Promise<string[]> {
  const inGit = await listRefs(repo, 'refs/heads/')
  return listAllSpecs(ctx.store).flatMap(spec => {
    const { organization_id, last_version, state } = spec
    if (organization_id !== organizationId || !last_version) return []
    const ref = specBranch(spec)
    const head = inGit.get(ref)
    if (head === last_version || (head && state !== 'complete')) return []
    return [`${ref} is ${head ?? 'missing'} in Git, but ${last_version} in the database.`]
  })
}

/** Returns versions that rows refer to and that are missing or not reachable from a ref. */
async function findLost(
  repo: Repository,
  versions: readonly { oid: Oid; slug: string }[],
): Promise<string[]> {
  const named = new Map(versions.map(({ oid, slug }) => [oid, slug]))
  const infos = await objectInfo(repo, [...named.keys()])
  const there = [...named.keys()].filter(oid => infos.get(oid)?.type === 'commit')
  const gone = [...named].filter(([oid]) => infos.get(oid)?.type !== 'commit')
  const loose = await unreachableCommits(repo, there)

  return [
    ...gone.map(([oid, slug]) => `The version ${oid} of "${slug}" is not in the repository.`),
    ...loose.map(oid => `The version ${oid} of "${named.get(oid)}" is not reachable from any ref.`),
  ]
}
