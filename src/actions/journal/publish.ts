import type { Idempotency } from '../../access/asker.ts'
import type { PrimaryRight } from '../../access/guards/primary.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import type { Repository } from '../../git/process/processes.ts'
import { moveRefs, type RefMove } from '../../git/refs/refs.ts'
import { isGitError } from '../../git/values/errors.ts'
import { crashPoint, withoutJournal } from '../../lib/crash-points.ts'
import { randomId } from '../../lib/digest.ts'
import { findAnswer } from '../../store/events/idempotency.ts'
import { deleteIntent, insertIntent, listIntentsOf } from '../../store/git/intents.ts'
import { type Clearance, isCleared } from '../clearance/clear-content.ts'
import { headOf, primaryRef } from '../repositories/head-of.ts'
import { isContentRef } from '../repositories/ref-names.ts'
import { isSpecsKey, type SpecsKey } from '../repositories/repository-of.ts'
import type { Effect } from './effects.ts'
import {
  applyIntent,
  type Intent,
  readOnlyFault,
  settleIntent,
  unfinished,
} from './settle-intent.ts'

/** The refs and rows that a write changes. */
type Plan<Result> = {
  /** In the order in which they move; the decisive one last. */
  moves: readonly RefMove[]
  effects: readonly Effect[]
  /** Required to move the primary content. */
  right?: PrimaryRight | undefined
  /** The result of `publish` on success. */
  result: Result
  /** The answer to keep for the request's Idempotency-Key. */
  answer?: { to: Idempotency; status: number; body: unknown } | undefined
}

type Publication<Result> = {
  /** A word for the log and the journal, e.g. 'merge-change-request'. */
  kind: string
  userId: string | null
  /**
   * Runs inside the transaction that writes the intent: checks that rights and state still hold
   * (throws a Fault if not) and returns what to change.
   */
  plan: () => Plan<Result>
} & (
  | {
      /** The key of the repository, which is that of a space. */
      key: string
      /** Covers every commit that a content ref moves to. */
      clearance: Clearance
    }
  /** The repository of an organization's OpenAPI specs has no content and no primary branch. */
  | { key: SpecsKey; clearance?: undefined }
)

/**
 * Moves refs and changes the rows that follow from them, atomically even across a crash: the intent
 * is written to the journal first, and a restart completes it. Hold the repository's lock. Throws
 * GitError 'ref_moved' if a ref is not where the plan expects it; nothing has changed then. Throws
 * Fault 'unavailable' if this intent or an earlier one of the repository was begun and cannot be
 * finished now.
 */
export async function publish<Result>(
  ctx: Context,
  repo: Repository,
  { key, kind, userId, clearance, plan }: Publication<Result>,
): Promise<Result> {
  const { intent, result } = ctx.store.transact(() => {
    if (listIntentsOf(ctx.store, key).length > 0) throw readOnlyFault()
    const { moves, effects, right, result, answer } = plan()
    if (answer) checkKeyUnused(ctx, answer.to)
    if (!isSpecsKey(key)) {
      checkCleared(kind, moves, clearance)
      checkRight(ctx, { spaceId: key, kind }, moves, right)
    }
    const intent: Intent = {
      id: randomId(),
      space_id: key,
      kind,
      user_id: userId,
      moves,
      effects: effects.map(effect => withBypass(effect, right)),
      answer: answer ? { ...answer, body: JSON.stringify(answer.body) } : null,
      created_at: ctx.now().toISOString(),
    }
    if (!withoutJournal) insertIntent(ctx.store, intent)

    return { intent, result }
  })

  crashPoint('W3')

  try {
    await moveRefs(repo, intent.moves)
  } catch (error) {
    if (refused.some(code => isGitError(error, code))) {
      withdraw(ctx, intent)
      throw error
    }
    // Some refs may have moved: do now what a restart would do.
    if ((await settleOrWithdraw(ctx, repo, intent, error)) === 'refused') throw error
    return result
  }

  try {
    applyIntent(ctx.store, intent)
  } catch (error) {
    throw unfinished(ctx, intent, error)
  }

  crashPoint('W6')

  return result
}

/**
 * Throws 'conflict' if the request with this key was carried out meanwhile: the next write finishes
 * an interrupted one, which may be the same request sent again. Call inside the transaction that
 * decides.
 */
export function checkKeyUnused(ctx: Context, to: Idempotency): void {
  // After a clock jump every answer may look expired.
  const now = ctx.destroyWait() > 0 ? null : ctx.now()
  if (findAnswer(ctx.store, to, now)?.request_hash === to.requestHash)
    throw new Fault(
      'conflict',
      'A request with this Idempotency-Key completed meanwhile. Send the request again to get its answer.',
    )
}

/**
 * Throws an Error (a bug of the program) if a content ref would move to a commit that
 * `clearContent` did not check.
 */
function checkCleared(
  kind: string,
  moves: readonly RefMove[],
  clearance: Clearance | undefined,
): void {
  const content = moves.filter(({ ref }) => isContentRef(ref))
  const held = new Set(content.map(({ from }) => from))
  for (const { ref, to } of content)
    if (to !== null && !held.has(to) && !(clearance && isCleared(clearance, to)))
      throw new Error(`${kind} moves ${ref} to ${to}, which clearContent did not check.`)
}

/**
 * Throws an Error (a bug of the program) if the primary content would move without a check of locks
 * and merge rules.
 */
function checkRight(
  ctx: Context,
  { spaceId, kind }: { spaceId: string; kind: string },
  moves: readonly RefMove[],
  right: PrimaryRight | undefined,
): void {
  if (right) return
  const primary = primaryRef(ctx, spaceId)
  if (moves.some(({ ref, from, to }) => ref === primary && from !== to))
    throw new Error(`${kind} moves the primary content without a right to.`)
}

/** The events of moves of the primary content. */
const movesPrimary = new Set<string>(['space.content_updated', 'change_request.merged'])

/** Returns an effect with a note in its event if its user ignored merge rules. */
function withBypass(effect: Effect, right: PrimaryRight | undefined): Effect {
  if (effect.do !== 'record-event' || !movesPrimary.has(effect.event.action)) return effect
  const { event } = effect
  if (event.userId === null || !right?.bypassing.includes(event.userId)) return effect
  return { ...effect, event: { ...event, details: { ...event.details, bypassed: true } } }
}

/** Errors after which Git has moved none of the refs. */
const refused = ['ref_moved', 'ref_conflict', 'ref_invalid', 'ref_locked', 'not_found'] as const

/**
 * Deletes an intent that changed nothing. If that fails a restart may replay it: it is reported as
 * unfinished, not as failed.
 */
function withdraw(ctx: Context, intent: Intent): void {
  try {
    deleteIntent(ctx.store, intent.id)
  } catch (error) {
    throw unfinished(ctx, intent, error)
  }
}

/** Settles an intent at once. If that fails too and no ref has moved, withdraws it. */
async function settleOrWithdraw(
  ctx: Context,
  repo: Repository,
  intent: Intent,
  first: unknown,
): Promise<'done' | 'refused'> {
  try {
    return await settleIntent(ctx, repo, intent)
  } catch (error) {
    if (!isUntouched(ctx, intent)) throw unfinished(ctx, intent, error)
    withdraw(ctx, intent)
    throw first
  }
}

/** Returns whether no ref has moved; false if one of them cannot be read. */
function isUntouched(ctx: Context, intent: Intent): boolean {
  const moves = intent.moves.filter(({ from, to }) => from !== to)
  if (moves.length === 0) return false
  try {
    return moves.every(({ ref, from }) => (headOf(ctx, intent.space_id, ref) ?? null) === from)
  } catch {
    return false
  }
}
