import type { Context } from '../../context.ts'
import { isComplete } from '../../git/history/complete.ts'
import { moveRefs } from '../../git/refs/refs.ts'
import type { Oid } from '../../lib/oid.ts'
import { headOf } from './head-of.ts'
import { repositoryOf } from './repository-of.ts'

/**
 * Creates the refs that rows have and Git lacks, if all objects of their commits exist: Git follows
 * the rows, which do not change, so this needs no journal. Returns their names. Hold the lock of the
 * repository.
 */
export async function putBackRefs(
  ctx: Context,
  key: string,
  refs: Iterable<readonly [ref: string, oid: Oid]>,
): Promise<string[]> {
  const repo = repositoryOf(ctx, key)
  const done: string[] = []
  for (const [ref, to] of refs) {
    if (headOf(ctx, key, ref) !== undefined || !(await isComplete(repo, to, []))) continue
    await moveRefs(repo, [{ ref, from: null, to }])
    done.push(ref)
  }
  return done
}
