import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import { randomId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import { deletePacksExcept } from '../../store/cluster/git-log.ts'
import { findGitState, renewGitState } from '../../store/cluster/git-state.ts'
import { forgetAnswers, insertRewritten, renameCommits } from '../../store/git/content-purges.ts'
import { forgetFolderChanges } from '../../store/git/folder-changes.ts'
import { putMirroredRef } from '../../store/git/refs.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { catchUpNow } from '../catch-up/catch-up.ts'
import { newMark, type State } from '../catch-up/position.ts'
import { noActor } from '../events/audit-event.ts'
import { recordOnSpace } from '../events/record-event.ts'
import { lockSpace } from '../heads/open-space.ts'
import { settleJumps } from '../heads/published-jump.ts'
import { dropPack, placePack, sendPack } from '../journal/send-pack.ts'
import { headsBelow } from '../repositories/head-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'

/** The rows that a purge of a space changes. */
type PurgedRows = { moves: readonly RefMove[]; blobs: readonly Oid[] }

/** Changes the rows that name purged content. Call inside a transaction. */
export function changePurgedRows(
  ctx: Context,
  space: SpaceRow,
  { moves, blobs }: PurgedRows,
): void {
  for (const { ref, to } of moves) putMirroredRef(ctx.store, space.id, ref, to)
  renameCommits(ctx.store, space.id)
  forgetAnswers(ctx.store, space.id)
  forgetFolderChanges(ctx.store, space.id, blobs)
  recordOnSpace(ctx, space, 'space.content_updated', noActor, { purged: blobs })
}

/**
 * Purges a space that nodes share, in one transaction: one base of the rewritten history replaces all its
 * packs, and each node discards what it has of the epoch before. `from` is the state that was
 * rewritten. Throws Fault 'conflict', having changed nothing, if the space was written to since.
 */
export async function purgeShared(
  ctx: Context,
  space: SpaceRow,
  purge: PurgedRows & { from: State; rewritten: ReadonlyMap<Oid, Oid> },
): Promise<void> {
  const { id: key } = space
  const repo = spaceRepository(ctx, key)
  const refs = await headsBelow(ctx, key, 'refs/')
  const after = new Map<string, Oid | null>(refs)
  for (const { ref, to } of purge.moves) after.set(ref, to)
  const wants = [...after.values()].flatMap(oid => oid ?? [])
  const base = await sendPack(ctx, key, repo, { wants, kind: 'base' })
  const to = { epoch: randomId(), mark: newMark() }
  const seq = purge.from.seq + 1

  try {
    ctx.store.transact(() => {
      if (renewGitState(ctx.store, { space_id: key, ...purge.from }, to) === 0) throw changed(key)
      deletePacksExcept(ctx.store, key, 'ahead' in base ? base.ahead : 0)
      placePack(ctx, key, base, { seq, mark: to.mark })
      insertRewritten(ctx.store, key, purge.rewritten)
      changePurgedRows(ctx, space, purge)
    })
  } catch (error) {
    dropPack(ctx, key, base)
    throw error
  }

  // The folder of this node is discarded, too.
  await catchUpNow(ctx, key)
  await lockSpace(ctx, key, () => settleJumps(ctx, repo, key))
  ctx.log.warn({ space: key }, 'content was purged from the history of a space')
}

/** Brings the folder of a space to where the database is. Returns where that is. */
export async function rewrittenState(ctx: Context, spaceId: string): Promise<State> {
  await catchUpNow(ctx, spaceId)
  const state = findGitState(ctx.store, spaceId)
  if (!state) throw new Error(`The repository ${spaceId} is not in the database.`)
  return state
}

const changed = (key: string) =>
  new Fault(
    'concurrent_change',
    `The space ${key} was changed meanwhile. Nothing was purged: try again.`,
  )
