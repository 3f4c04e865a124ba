import type { Context } from '../../context.ts'
import { isAncestor } from '../../git/commits/merge.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import type { Oid } from '../../lib/oid.ts'
import { headOf } from '../repositories/head-of.ts'
import { keepRef } from '../repositories/ref-names.ts'

/**
 * Returns the move that keeps a branch's old head under a keep ref, if its new head does not
 * contain it.
 */
export async function keepDropped(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  { old, head }: { old: Oid; head: Oid },
): Promise<RefMove[]> {
  if (old === head || (await isAncestor(repo, old, head))) return []
  const ref = keepRef(old)
  return headOf(ctx, spaceId, ref) ? [] : [{ ref, from: null, to: old }]
}
