import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { checkRepositoryConfig } from '../../git/repositories/repository.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { RefsOf } from '../../store/engine/moving/git-rows.ts'
import { listContentPurges } from '../../store/git/content-purges.ts'
import { listIntents } from '../../store/git/intents.ts'
import { listMirroredRefs } from '../../store/git/refs.ts'
import { listAllSpaces } from '../../store/spaces/spaces.ts'
import { headsBelow, primaryRef } from '../repositories/head-of.ts'
import { repositoryOf, specsKey } from '../repositories/repository-of.ts'
import { listSpecsOrganizations } from '../specs/list-specs.ts'
import { refuseRotation } from './put-key.ts'

const startOnce = 'Start the server once, stop it, and try again.'

/**
 * Returns the keys of all repositories of a folder. Throws Fault if a server or a rotation has left work
 * to finish: a move changes nothing.
 */
export function listKeys(ctx: Context): string[] {
  refuseRotation(ctx.config.dataDir)
  if (listIntents(ctx.store).length > 0 || listContentPurges(ctx.store).length > 0)
    throw new Fault('data_not_ready', `A write of the last server was interrupted. ${startOnce}`)
  return [
    ...listAllSpaces(ctx.store).map(({ id }) => id),
    ...listSpecsOrganizations(ctx).map(specsKey),
  ]
}

/**
 * Returns the refs of a repository. Throws Fault if it cannot be read, or if its rows do not have what
 * was pushed to it.
 */
export async function readRefs(ctx: Context, key: string): Promise<RefsOf> {
  const repo = repositoryOf(ctx, key)
  try {
    await checkRepositoryConfig(repo)
    const [head, refs] = [primaryRef(ctx, key), await headsBelow(ctx, key, 'refs/')]
    const mirror = listMirroredRefs(ctx.store, key)
    const isRecorded = (ref: string) => mirror.get(ref) === refs.get(ref)
    if (mirror.size > 0 && ![...mirror.keys(), head].every(isRecorded))
      throw new Fault(
        'data_not_ready',
        `The repository ${repo.dir} has commits that were not recorded. ${startOnce}`,
      )
    return { refs, head }
  } catch (error) {
    if (!isGitError(error)) throw error
    throw new Fault(
      'content_damaged',
      `The repository ${repo.dir} cannot be moved: ${error.message} Run "stemma verify" and repair it first.`,
    )
  }
}
