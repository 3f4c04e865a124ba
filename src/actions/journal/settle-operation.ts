import type { Idempotency } from '../../access/asker.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { isAncestor } from '../../git/commits/merge.ts'
import { isComplete } from '../../git/history/complete.ts'
import { objectInfo } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { moveRefs, type RefMove, readRef, syncRefs } from '../../git/refs/refs.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../git/values/oid.ts'
import { crashPoint } from '../../lib/crash-points.ts'
import { queueSearchIndex } from '../../queue/search.ts'
import { deleteOperation, listOperationsOf } from '../../store/git/operations.ts'
import { putMirroredRef } from '../../store/git/refs.ts'
import type { Store } from '../../store/store.ts'
import type { OperationRow } from '../../store/tables/rows.ts'
import { isAmongChangeRequests, keepRef } from '../repositories/ref-names.ts'
import { applyEffect, type Effect } from './effects.ts'

type Intent = Omit<OperationRow, 'seq'>

/**
 * Writes the rows that follow from an operation whose refs have moved, and takes it out of the journal: one transaction,
 * which is not waited for. All it writes is in the journal, on the disk: should a power cut undo it, the next start does it
 * again. Whatever acts on its rows writes first (a job is claimed, another operation is written down), which syncs them.
 */
export function applyOperation(store: Store, row: Intent): void {
  store.transactUnsynced(() => {
    const moves = JSON.parse(row.moves) as RefMove[]
    for (const { ref, to } of moves) putMirroredRef(store, row.space_id, ref, to)
    if (moves.some(({ ref }) => ref.startsWith('refs/heads/') && !isAmongChangeRequests(ref)))
      queueSearchIndex(store, row.space_id, new Date(row.created_at))
    for (const effect of JSON.parse(row.effects) as Effect[]) applyEffect(store, effect)
    if (row.answer) {
      const { to, status, body } = JSON.parse(row.answer) as { to: Idempotency; status: number; body: string }
      applyEffect(store, { do: 'keep-answer', to, status, body, at: row.created_at })
    }
    deleteOperation(store, row.id)
  })
}

/**
 * Completes an operation that was written down but perhaps not done: forward when the refs are where it left or found
 * them; refused, with nothing of it left, when somebody else has moved them meanwhile.
 */
export async function settleOperation(
  ctx: Context,
  repo: Repository,
  row: Intent,
): Promise<'done' | 'refused'> {
  const moves = JSON.parse(row.moves) as RefMove[]
  const now = await Promise.all(moves.map(async move => (await readRef(repo, move.ref)) ?? null))
  const pending = moves.filter((move, i) => now[i] !== move.to)
  const untouched = moves.every((move, i) => now[i] === move.to || now[i] === move.from)
  if (untouched && (pending.length === 0 || (await arePresent(repo, pending)))) {
    await moveRefs(repo, pending)
    // Whoever moved the others may have died before their names were on the disk: the journal is what knows of them.
    await syncRefs(repo, moves)
    crashPoint('R3')
    applyOperation(ctx.store, row)
    return 'done'
  }
  const decisive = moves.at(-1)
  const head = now.at(-1)
  if (decisive?.to && head && (await contains(repo, head, decisive.to))) {
    // It was done, and somebody went on from there: the mirror is brought up to date by reconciling.
    await syncRefs(repo, moves)
    applyOperation(ctx.store, row)
    return 'done'
  }
  await undo(repo, moves, now)
  deleteOperation(ctx.store, row.id)
  ctx.log.warn({ space: row.space_id, operation: row.kind }, 'an interrupted operation was given up')
  return 'refused'
}

/** How many milliseconds reads leave a space alone after its operation could not be settled: a try may wait for Git's locks. */
const restMs = 10_000

/** When the operation of a space could not be settled, by space id, in milliseconds of `performance.now`. */
const stuckAt = new Map<string, number>()

/** What marks the fault of a space in which nothing can be written until its operation is settled. */
const readOnly = 'space-read-only'

const remedy =
  'Whoever runs the server makes room on its disk and starts it again, or asks "stemma verify" what is wrong.'

/** Whether the error says that a space cannot be written to until its operation is settled. */
export const isReadOnly = (error: unknown): boolean =>
  error instanceof Fault && error.detail?.reason === readOnly

/** The fault for a write to a space whose journal holds an operation that cannot be settled. */
export const readOnlyFault = (): Fault =>
  new Fault(
    'unavailable',
    `The space is read-only for now: an earlier change to it could not be finished. ${remedy}`,
    { reason: readOnly },
  )

/** The fault for the operation itself, which stays written down: nobody can say that nothing was done. */
export function unfinished(ctx: Context, { space_id: space, kind }: Intent, error: unknown): Fault {
  ctx.log.error(
    { space, operation: kind, err: String(error), trace: (error as { trace?: string }).trace },
    'an operation could not be finished: its space is read-only until it is settled',
  )
  return new Fault(
    'unavailable',
    `The change was begun and could not be finished: it will be with the next write or the next start of the server, and the space is read-only until then. ${remedy}`,
    { reason: readOnly },
  )
}

/**
 * Settles what an earlier write to the space left in the journal, its refs moved but not its rows: before anybody takes
 * those refs for a push from outside. Hold the space's lock, so that whatever stands there is left over. Throws Fault
 * 'unavailable' when it cannot be settled: nothing may be written then.
 */
export async function settleLeftovers(ctx: Context, repo: Repository, spaceId: string): Promise<void> {
  for (const row of listOperationsOf(ctx.store, spaceId)) {
    const about = { space: spaceId, operation: row.kind }
    try {
      const outcome = await settleOperation(ctx, repo, row)
      ctx.log.warn({ ...about, outcome }, 'settled an interrupted operation')
    } catch (error) {
      // Somebody pushes at this moment: the caller begins anew.
      if (isGitError(error, 'ref_moved')) throw error
      stuckAt.set(spaceId, performance.now())
      ctx.log.error({ ...about, err: String(error) }, 'an interrupted operation could not be settled')
      throw readOnlyFault()
    }
  }
  stuckAt.delete(spaceId)
}

/**
 * Takes note of what moved, for somebody who only reads: a space whose operation cannot be settled is read as Git and the
 * rows stand. Hold the space's lock.
 */
export async function noteUnlessStuck(spaceId: string, note: () => Promise<void>): Promise<void> {
  const since = stuckAt.get(spaceId)
  if (since !== undefined && performance.now() - since < restMs) return
  try {
    await note()
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

/** Puts back what moved, and keeps the commit that would have been the new head: nothing that was written is lost. */
async function undo(
  repo: Repository,
  moves: readonly RefMove[],
  now: readonly (Oid | null)[],
): Promise<void> {
  const back = moves
    .filter((move, i) => now[i] === move.to && move.from !== move.to)
    .map(({ ref, from, to }) => ({ ref, from: to, to: from }))
  await moveRefs(repo, back)
  const to = moves.at(-1)?.to
  if (!to || !(await isComplete(repo, to, []))) return
  const ref = keepRef(to)
  if (!(await readRef(repo, ref))) await moveRefs(repo, [{ ref, from: null, to }])
}
