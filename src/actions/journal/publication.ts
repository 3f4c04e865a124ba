import type { Idempotency } from '../../access/asker.ts'
import type { PrimaryRight } from '../../access/guards/primary.ts'
import type { Context } from '../../context.ts'
import type { KnownObjects } from '../../git/exchange/pack-known.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import { randomId } from '../../lib/digest.ts'
import { completedMeanwhile, findAnswer } from '../../store/events/idempotency.ts'
import { type Clearance, isCleared } from '../clearance/clear-content.ts'
import { primaryRef } from '../repositories/head-of.ts'
import { isContentRef } from '../repositories/ref-names.ts'
import { isSpecsKey, type SpecsKey } from '../repositories/repository-of.ts'
import type { Effect } from './effects.ts'
import type { Intent } from './settle-intent.ts'

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

export type Publication<Result> = {
  /** A word for the log and the journal, e.g. 'merge-change-request'. */
  kind: string
  userId: string | null
  /**
   * Runs inside the transaction that writes the intent: checks that rights and state still hold
   * (throws a Fault if not) and returns what to change.
   */
  plan: () => Plan<Result>
  /**
   * The moves, if they are known before. Otherwise the plan runs before the transaction as well where
   * nodes share the repository, to say which commits refs will move to.
   */
  moves?: readonly RefMove[]
  /** The new objects, if the writer has them in memory: a small change is packed from them. */
  objects?: KnownObjects
  /** Whether the plan writes the number of a new change request. Other plans only read. */
  takesNumber?: boolean
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
 * Runs the plan of a publication and all checks of what it moves. Returns the moves and effects as
 * an intent, and the result. Call inside the transaction that decides.
 */
export function intentOf<Result>(
  ctx: Context,
  { key, kind, userId, clearance, plan }: Publication<Result>,
): { intent: Intent; result: Result } {
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
  return { intent, result }
}

/**
 * Throws 'conflict' if the request with this key was carried out meanwhile: the next write finishes
 * an interrupted one, which may be the same request sent again. Call inside the transaction that
 * decides.
 */
export function checkKeyUnused(ctx: Context, to: Idempotency): void {
  // After a clock jump every answer may look expired.
  const now = ctx.destroyWait() > 0 ? null : ctx.now()
  if (findAnswer(ctx.store, to, now)?.request_hash === to.requestHash) throw completedMeanwhile()
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
