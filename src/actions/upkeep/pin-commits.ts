import type { Context } from '../../context.ts'
import { objectInfo } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { moveRefs } from '../../git/refs/refs.ts'
import { unreachableCommits } from '../../git/refs/unreachable.ts'
import type { Oid } from '../../lib/oid.ts'
import { listNamedCommits } from '../../store/git/named-commits.ts'
import { putMirroredRef } from '../../store/git/refs.ts'
import { keepRef } from '../repositories/ref-names.ts'

/**
 * Creates a ref for every existing commit of a space that a row refers to and that is not reachable
 * from a ref, so that a copy of everything reachable has all that the rows need. Returns those
 * commits.
 */
export async function keepNamedCommits(
  ctx: Context,
  repo: Repository,
  spaceId: string,
): Promise<Oid[]> {
  const named = listNamedCommits(ctx.store, spaceId).map(({ oid }) => oid)
  const infos = await objectInfo(repo, named)
  const there = named.filter(oid => infos.get(oid)?.type === 'commit')
  const loose = await unreachableCommits(repo, there)

  await moveRefs(
    repo,
    loose.map(oid => ({ ref: keepRef(oid), from: null, to: oid })),
  )
  ctx.store.transact(() => {
    for (const oid of loose) putMirroredRef(ctx.store, spaceId, keepRef(oid), oid)
  })

  return loose
}
