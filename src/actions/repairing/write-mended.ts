import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import type { Repository } from '../../git/process/processes.ts'
import { randomId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import { deletePacksUpTo } from '../../store/cluster/git-log.ts'
import { advanceGitState, findGitState, insertGitState } from '../../store/cluster/git-state.ts'
import { swapRefs } from '../../store/cluster/swap-refs.ts'
import type { GitLogRow } from '../../store/tables/rows.ts'
import { newMark } from '../catch-up/position.ts'
import { dropPack, placePack, sendPack } from '../journal/send-pack.ts'
import type { RefPlan } from './find-lost-refs.ts'
import type { Held } from './read-held.ts'

type Mended = {
  key: string
  /** A repository with all objects. */
  repo: Repository
  held: Held
  plan: RefPlan
  /** What a base has to reach. */
  tips: readonly Oid[]
}

/**
 * Replaces the packs of a repository in the database by a base, and moves refs, in one transaction. The
 * base has the place of the last pack: a node whose folder is whole keeps it. Throws Fault, having
 * changed nothing, if the refs were moved since.
 */
export async function writeMended(
  ctx: Context,
  { key, repo, held, plan, tips }: Mended,
): Promise<void> {
  const { store } = ctx
  const { state, packs } = held
  const base =
    tips.length > 0 ? await sendPack(ctx, key, repo, { wants: tips, kind: 'base' }) : undefined
  const place = (at: Pick<GitLogRow, 'seq' | 'mark'>) => base && placePack(ctx, key, base, at)
  const mark = newMark()
  try {
    store.transact(() => {
      if (findGitState(store, key)?.epoch !== state?.epoch) throw changedMeanwhile()
      const findMoved = swapRefs(store, key, plan.moves)
      const last = packs.at(-1)
      deletePacksUpTo(store, key, Math.max(state?.seq ?? 0, last?.seq ?? 0))
      if (!state) {
        insertGitState(store, { space_id: key, epoch: randomId(), mark, head: plan.head })
        place({ seq: 1, mark })
      } else {
        place(last ?? state)
        if (plan.moves.length > 0 || plan.head !== state.head)
          advanceGitState(store, { space_id: key, epoch: state.epoch, mark, head: plan.head })
      }
      if (findMoved() !== undefined) throw changedMeanwhile()
    })
  } catch (error) {
    dropPack(ctx, key, base)
    throw error
  }
}

const changedMeanwhile = (): Fault =>
  new Fault(
    'concurrent_change',
    'The repository was changed meanwhile. Nothing was repaired: try again.',
  )
