import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { moveRefs } from '../../git/refs/refs.ts'
import { isGitError } from '../../git/values/errors.ts'
import { crashPoint, withoutJournal } from '../../lib/crash-points.ts'
import { deleteIntent, insertIntent, listIntentsOf } from '../../store/git/intents.ts'
import { headOf } from '../repositories/head-of.ts'
import { isCache } from '../repositories/repository-of.ts'
import { intentOf, type Publication } from './publication.ts'
import { publishShared } from './publish-shared.ts'
import {
  applyIntent,
  type Intent,
  readOnlyFault,
  settleIntent,
  unfinished,
} from './settle-intent.ts'

/**
 * Moves refs and changes the rows that follow from them, atomically even across a crash: the intent
 * is written to the journal first, and a restart completes it. Hold the repository's lock. Throws
 * GitError 'ref_moved' if a ref is not where the plan expects it; nothing has changed then. Throws
 * Fault 'unavailable' if this intent or an earlier one of the repository was begun and cannot be
 * finished now. Where nodes share the repository, `publishShared` does it instead.
 */
export async function publish<Result>(
  ctx: Context,
  repo: Repository,
  publication: Publication<Result>,
): Promise<Result> {
  const { key } = publication
  if (isCache(ctx)) return publishShared(ctx, repo, publication)
  const { intent, result } = ctx.store.transact(() => {
    if (listIntentsOf(ctx.store, key).length > 0) throw readOnlyFault()
    const planned = intentOf(ctx, publication)
    if (!withoutJournal) insertIntent(ctx.store, planned.intent)
    return planned
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
