import type { Idempotency } from '../../access/asker.ts'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { moveRefs, type RefMove, readRef } from '../../git/refs/refs.ts'
import { isGitError } from '../../git/values/errors.ts'
import { crashPoint, withoutJournal } from '../../lib/crash-points.ts'
import { randomId } from '../../lib/digest.ts'
import { deleteOperation, insertOperation, listOperationsOf } from '../../store/git/operations.ts'
import type { OperationRow } from '../../store/tables/rows.ts'
import { type Clearance, isCleared } from '../clearance/clear-content.ts'
import { isContentRef } from '../repositories/ref-names.ts'
import { checkUnused } from './check-idempotency-key.ts'
import type { Effect } from './effects.ts'
import { applyOperation, readOnlyFault, settleOperation, unfinished } from './settle-operation.ts'

/** What an operation will do, decided inside the transaction that writes it down. */
export type Plan<Result> = {
  /** In the order in which they move; the decisive one last. */
  moves: readonly RefMove[]
  effects: readonly Effect[]
  /** What the caller gets when all of it has happened. */
  result: Result
  /** The answer to keep for the request's Idempotency-Key. */
  answer?: { to: Idempotency; status: number; body: unknown } | undefined
}

export type OperationOptions<Result> = {
  spaceId: string
  /** A word for the log and the journal, e.g. 'merge-change-request'. */
  kind: string
  userId: string | null
  /** Covers every commit that a ref of the content moves to. */
  clearance: Clearance
  /** Runs inside the first transaction: checks that rights and state still hold (throws a Fault if not) and says what will happen. */
  plan: () => Plan<Result>
}

/**
 * Moves refs and changes the rows that follow from them, so that after a crash either all of it has happened or none:
 * the intent is written down first, and a restart completes it. Hold the space's lock. Throws GitError 'ref_moved' when
 * a ref was not where the plan expected it; then nothing has happened. Throws Fault 'unavailable' when it was begun and
 * cannot be finished now, or an earlier one was.
 */
export async function commitOperation<Result>(
  ctx: Context,
  repo: Repository,
  { spaceId, kind, userId, clearance, plan }: OperationOptions<Result>,
): Promise<Result> {
  const { row, result } = ctx.store.transact(() => {
    if (listOperationsOf(ctx.store, spaceId).length > 0) throw readOnlyFault()
    const { moves, effects, result, answer } = plan()
    if (answer) checkUnused(ctx, answer.to)
    checkCleared(kind, moves, clearance)
    const row: Omit<OperationRow, 'seq'> = {
      id: randomId(),
      space_id: spaceId,
      kind,
      user_id: userId,
      moves: JSON.stringify(moves),
      effects: JSON.stringify(effects),
      answer: answer ? JSON.stringify({ ...answer, body: JSON.stringify(answer.body) }) : null,
      created_at: ctx.now().toISOString(),
    }
    if (!withoutJournal) insertOperation(ctx.store, row)
    return { row, result }
  })
  crashPoint('W3')
  try {
    await moveRefs(repo, JSON.parse(row.moves) as RefMove[])
  } catch (error) {
    if (refused.some(code => isGitError(error, code))) {
      forget(ctx, row)
      throw error
    }
    // Some refs may have moved: what a restart would do is done here and now.
    if ((await settleOrForget(ctx, repo, row, error)) === 'refused') throw error
    return result
  }
  try {
    applyOperation(ctx.store, row)
  } catch (error) {
    throw unfinished(ctx, row, error)
  }
  crashPoint('W6')
  return result
}

/** Throws when a ref of the content would move to a commit that is not cleared: that is a mistake of the program. */
function checkCleared(kind: string, moves: readonly RefMove[], clearance: Clearance): void {
  const content = moves.filter(({ ref }) => isContentRef(ref))
  const held = new Set(content.map(({ from }) => from))
  for (const { ref, to } of content)
    if (to !== null && !held.has(to) && !isCleared(clearance, to))
      throw new Error(`${kind} moves ${ref} to ${to}, which clearContent did not check.`)
}

/** Errors at which Git has moved none of the refs. */
const refused = ['ref_moved', 'ref_conflict', 'ref_invalid', 'ref_locked', 'not_found'] as const

type Intent = Omit<OperationRow, 'seq'>

/** Whoever is told that nothing was done must not find it done after the next start: where that cannot be seen to, nobody says so. */
function forget(ctx: Context, row: Intent): void {
  try {
    deleteOperation(ctx.store, row.id)
  } catch (error) {
    throw unfinished(ctx, row, error)
  }
}

/** Settles the operation at once. Where that goes wrong too, and no ref has moved, it is taken out of the journal. */
async function settleOrForget(
  ctx: Context,
  repo: Repository,
  row: Intent,
  first: unknown,
): Promise<'done' | 'refused'> {
  try {
    return await settleOperation(ctx, repo, row)
  } catch (error) {
    if (!(await isUntouched(repo, row))) throw unfinished(ctx, row, error)
    forget(ctx, row)
    throw first
  }
}

/** Whether none of the refs has moved; a ref that cannot be read may have. */
async function isUntouched(repo: Repository, row: Intent): Promise<boolean> {
  const moves = (JSON.parse(row.moves) as RefMove[]).filter(({ from, to }) => from !== to)
  if (moves.length === 0) return false
  try {
    for (const { ref, from } of moves) if (((await readRef(repo, ref)) ?? null) !== from) return false
    return true
  } catch {
    return false
  }
}
