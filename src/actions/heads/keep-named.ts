import type { Context } from '../../context.ts'
import { objectInfo } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { unreachableCommits } from '../../git/refs/unreachable.ts'
import type { Oid } from '../../lib/oid.ts'
import { listNamedCommits } from '../../store/git/named-commits.ts'
import { named } from '../clearance/clear-content.ts'
import { publish } from '../journal/publish.ts'
import { keepRef } from '../repositories/ref-names.ts'

/**
 * Creates a ref for every existing commit of a space that a row refers to and that is not reachable
 * from a ref, so that a copy of everything reachable has all that the rows need. Returns those
 * commits. Hold the space's lock.
 */
export async function keepNamedCommits(
  ctx: Context,
  repo: Repository,
  spaceId: string,
): Promise<Oid[]> {
  const commits = listNamedCommits(ctx.store, spaceId).map(({ oid }) => oid)
  const infos = await objectInfo(repo, commits)
  const there = commits.filter(oid => infos.get(oid)?.type === 'commit')
  const loose = await unreachableCommits(repo, there)

  if (loose.length > 0)
    await publish(ctx, repo, {
      key: spaceId,
      kind: 'keep-commits',
      userId: null,
      clearance: named,
      plan: () => ({
        moves: loose.map(oid => ({ ref: keepRef(oid), from: null, to: oid })),
        effects: [],
        result: undefined,
      }),
    })

  return loose
}
