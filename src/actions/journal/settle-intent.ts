import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { isAncestor } from '../../git/commits/merge.ts'
import { isComplete } from '../../git/history/complete.ts'
import { objectInfo } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { moveRefs, type RefMove, syncRefs } from '../../git/refs/refs.ts'
import { isGitError } from '../../git/values/errors.ts'
import { crashPoint } from '../../lib/crash-points.ts'
import type { Oid } from '../../lib/oid.ts'
import { queueSearchIndex } from '../../queue/search.ts'
import { deleteIntent, listIntentsOf } from '../../store/git/intents.ts'
import { putMirroredRef } from '../../store/git/refs.ts'
import type { Store } from '../../store/store.ts'
import type { IntentRow } from '../../store/tables/rows.ts'
import { headOf } from '../repositories/head-of.ts'
import { isAmongChangeRequests, keepRef } from '../repositories/ref-names.ts'
import { isCache, isSpecsKey } from '../repositories/repository-of.ts'
import { applyEffect, type Effect } from './effects.ts'

/** A journal row before it is inserted. */
export type Intent = Omit<IntentRow, 'seq'>

/**
 * Applies the rows of an intent whose refs have moved and deletes it from the journal, in one
 * transaction that does not wait for the disk: all of it is in the journal, which is on disk, so
 * after a power cut the next start applies it again. Anything that acts on these rows writes first
 * (claims a job, writes an intent), which syncs them.
 */
export function applyIntent(store: Store, row: Intent): void {
  store.transactUnsynced(() => {
    for (const { ref, to } of row.moves) putMirroredRef(store, row.space_id, ref, to)
    applyEffects(store, row)
    deleteIntent(store, row.id)
  })
}

/** Applies what follows from the moved refs of an intent. Call inside a transaction. */
export function applyEffects(store: Store, row: Omit<Intent, 'kind'>): void {
  if (row.moves.some(({ ref }) => isPrimaryOf(row.space_id, ref)))
    queueSearchIndex(store, row.space_id, new Date(row.created_at))
  for (const effect of row.effects as Effect[]) applyEffect(store, effect)

  if (row.answer) applyEffect(store, { do: 'keep-answer', ...row.answer, at: row.created_at })
}

/** Returns whether a ref may be the branch of a space's primary content. */
const isPrimaryOf = (key: string, ref: string): boolean =>
  !isSpecsKey(key) && ref.startsWith('refs/heads/') && !isAmongChangeRequests(ref)

/**
 * Settles an intent that may have been carried out only in part. Returns 'done' if the refs are
 * where it found or left them, so that it rolls forward; 'refused', with every move undone, if
 * another writer has moved them meanwhile.
 */
export async function settleIntent(
  ctx: Context,
  repo: Repository,
  row: Intent,
): Promise<'done' | 'refused'> {
  const { moves, space_id: key } = row
  const now = moves.map(({ ref }) => headOf(ctx, key, ref) ?? null)
  const pending = moves.filter((move, i) => now[i] !== move.to)
  const untouched = moves.every((move, i) => now[i] === move.to || now[i] === move.from)

  if (untouched && (pending.length === 0 || (await arePresent(repo, pending)))) {
    await moveRefs(repo, pending)
    // The process that moved the other refs may have died before they were synced, and only the
    // journal knows them.
    await syncRefs(repo, moves)
    crashPoint('R3')
    applyIntent(ctx.store, row)
    return 'done'
  }

  const decisive = moves.at(-1)
  const head = now.at(-1)

  if (decisive?.to && head && (await contains(repo, head, decisive.to))) {
    // It was carried out, and a later push built on it: reconciling updates the mirror.
    await syncRefs(repo, moves)
    applyIntent(ctx.store, row)
    return 'done'
  }

  await undo(ctx, repo, row, now)
  deleteIntent(ctx.store, row.id)
  ctx.log.warn({ space: row.space_id, intent: row.kind }, 'abandoned an interrupted write')

  return 'refused'
}

/**
 * How long reads do not retry a stuck intent, in milliseconds: a retry may wait for Git's locks.
 */
const restMs = 10_000

/**
 * When a space's intent last failed to settle, by space id, in milliseconds of `performance.now`.
 */
const stuckSince = stateSlot(() => new Map<string, number>())

const remedy =
  'Ask the operator of the server to free disk space and restart it, or to run "stemma verify".'

/** Returns whether an error says that a space is read-only until its intent is settled. */
export const isReadOnly = (error: unknown): boolean =>
  error instanceof Fault &&
  (error.reason === 'space_read_only' || error.reason === 'change_unfinished')

/**
 * Returns the fault for a write to a space whose journal holds an intent that cannot be settled.
 */
export const readOnlyFault = (): Fault =>
  new Fault(
    'space_read_only',
    `The space is read-only: an earlier change to it could not be finished. ${remedy}`,
  )

/**
 * Logs and returns the fault for an intent that stays in the journal: it is neither done nor
 * refused.
 */
export function unfinished(ctx: Context, { space_id: space, kind }: Intent, error: unknown): Fault {
  ctx.log.error(
    { space, intent: kind, err: String(error), trace: (error as { trace?: string }).trace },
    'a write could not be finished: its space is read-only until the intent is settled',
  )
  return new Fault(
    'change_unfinished',
    `The change was started but could not be finished. The next write to the space or the next start of the server completes it; until then the space is read-only. ${remedy}`,
  )
}

/**
 * Settles intents that an earlier write left in the journal, before their moved refs are taken for
 * a push. Hold the repository's lock, so that any intent found is a leftover. Throws Fault
 * 'unavailable' if one cannot be settled: the repository must not be written to then.
 */
export async function settleLeftovers(ctx: Context, repo: Repository, key: string): Promise<void> {
  // Refs in rows move together with the rows that follow.
  if (isCache(ctx)) return
  for (const row of listIntentsOf(ctx.store, key)) {
    const about = { space: key, intent: row.kind }
    try {
      const outcome = await settleIntent(ctx, repo, row)
      ctx.log.warn({ ...about, outcome }, 'settled an interrupted write')
    } catch (error) {
      // A push is under way: the caller retries.
      if (isGitError(error, 'ref_moved')) throw error
      ctx.caches.get(stuckSince).set(key, performance.now())
      ctx.log.error({ ...about, err: String(error) }, 'an interrupted write could not be settled')
      throw readOnlyFault()
    }
  }
  ctx.caches.get(stuckSince).delete(key)
}

/**
 * Runs `work` for a reader unless the space's intent is stuck: then the reader sees Git and the
 * rows as they are. Hold the space's lock.
 */
export async function unlessStuck(
  ctx: Context,
  spaceId: string,
  work: () => Promise<void>,
): Promise<void> {
  const since = ctx.caches.get(stuckSince).get(spaceId)
  if (since !== undefined && performance.now() - since < restMs) return
  try {
    await work()
  } catch (error) {
    if (!isReadOnly(error)) throw error
  }
}

async function arePresent(repo: Repository, moves: readonly RefMove[]): Promise<boolean> {
  for (const { from, to } of moves) {
    if (to && !(await isComplete(repo, to, from ? [from] : []))) return false
  }
  return true
}

async function contains(repo: Repository, head: Oid, oid: Oid): Promise<boolean> {
  return (await objectInfo(repo, [oid])).has(oid) && (await isAncestor(repo, oid, head))
}

/**
 * Moves refs back and keeps the intended new head under a keep ref, so that no written content is
 * lost.
 */
async function undo(
  ctx: Context,
  repo: Repository,
  { moves, space_id: key }: Intent,
  now: readonly (Oid | null)[],
): Promise<void> {
  const back = moves
    .filter((move, i) => now[i] === move.to && move.from !== move.to)
    .map(({ ref, from, to }) => ({ ref, from: to, to: from }))
  await moveRefs(repo, back)
  const to = moves.at(-1)?.to
  if (!to || !(await isComplete(repo, to, []))) return
  const ref = keepRef(to)
  if (!headOf(ctx, key, ref)) await moveRefs(repo, [{ ref, from: null, to }])
}
