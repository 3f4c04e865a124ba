import type { Idempotency } from '../access/asker.ts'
import type { Context } from '../context.ts'
import { isGitError } from '../git/errors.ts'
import { moveRefs, type RefMove, readRef } from '../git/refs.ts'
import type { Repository } from '../git/repository.ts'
import { crashPoint, withoutJournal } from '../lib/crash-points.ts'
import { randomId } from '../lib/digest.ts'
import { deleteOperation, insertOperation } from '../store/operations.ts'
import type { OperationRow } from '../store/rows.ts'
import type { Effect } from './effects.ts'
import { applyOperation, settleOperation } from './settle-operation.ts'

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
  /** Runs inside the first transaction: checks that rights and state still hold (throws a Fault if not) and says what will happen. */
  plan: () => Plan<Result>
}

/**
 * Moves refs and changes the rows that follow from them, so that after a crash either all of it has happened or none:
 * the intent is written down first, and a restart completes it. Hold the space's lock. Throws GitError 'ref_moved' when
 * a ref was not where the plan expected it; then nothing has happened.
 */
export async function commitOperation<Result>(
  ctx: Context,
  repo: Repository,
  { spaceId, kind, userId, plan }: OperationOptions<Result>,
): Promise<Result> {
  const { row, result } = ctx.store.transact(() => {
    const { moves, effects, result, answer } = plan()
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
      deleteOperation(ctx.store, row.id)
      throw error
    }
    // Some refs may have moved: what a restart would do is done here and now.
    if ((await settleOrForget(ctx, repo, row)) === 'refused') throw error
    return result
  }
  applyOperation(ctx.store, row)
  crashPoint('W6')
  return result
}

/** Errors at which Git has moved none of the refs. */
const refused = ['ref_moved', 'ref_conflict', 'ref_invalid', 'ref_locked', 'not_found'] as const

/**
 * Settles the operation at once. Where that goes wrong too, and no ref has moved, it is taken out of the journal: whoever
 * is told that nothing was done must not find it done after the next start.
 */
async function settleOrForget(
  ctx: Context,
  repo: Repository,
  row: Omit<OperationRow, 'seq'>,
): Promise<'done' | 'refused'> {
  try {
    return await settleOperation(ctx, repo, row)
  } catch (error) {
    const moves = (JSON.parse(row.moves) as RefMove[]).filter(({ from, to }) => from !== to)
    const now = await Promise.all(moves.map(async ({ ref }) => (await readRef(repo, ref)) ?? null))
    if (moves.length > 0 && moves.every(({ from }, i) => now[i] === from)) deleteOperation(ctx.store, row.id)
    throw error
  }
}
