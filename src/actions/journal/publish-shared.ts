import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { checkRefName, type RefMove } from '../../git/refs/refs.ts'
import { GitError, isGitError } from '../../git/values/errors.ts'
import { crashPoint } from '../../lib/crash-points.ts'
import { randomId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import { advanceGitState, findGitState, insertGitState } from '../../store/cluster/git-state.ts'
import { findConflictingRef, swapRefs } from '../../store/cluster/swap-refs.ts'
import type { Store } from '../../store/store.ts'
import { beginToFollow, type Committed, follow } from '../catch-up/catch-up.ts'
import { newMark, type State } from '../catch-up/position.ts'
import { headOf, primaryRef, stateOf } from '../repositories/head-of.ts'
import { noteOvertaken } from '../repositories/node-turns.ts'
import { isSpecsKey } from '../repositories/repository-of.ts'
import { noBranch } from '../repositories/specs-repository.ts'
import { intentOf, type Publication } from './publication.ts'
import { dropPack, placePack, type SentPack, sendPack } from './send-pack.ts'
import { applyEffects } from './settle-intent.ts'

/** How often a plan may move to other commits than those that were packed for it. */
const mostTries = 5

/**
 * Publishes to a repository that nodes share: its new objects, its refs and the rows that follow
 * reach the database in one transaction, in which each ref still has the value that the plan
 * expects. So there is no intent, and nothing to settle after a crash. The folder follows. Throws
 * like `publish`.
 */
export async function publishShared<Result>(
  ctx: Context,
  repo: Repository,
  publication: Publication<Result>,
): Promise<Result> {
  const { key } = publication
  for (let tries = 1; ; tries++) {
    const moves = movesAhead(ctx, publication)
    const packed = await packFor(ctx, repo, publication, moves)
    crashPoint('W3')
    try {
      const done = await ctx.store.transactBeside(() => decide(ctx, publication, packed))
      if (done) {
        crashPoint('W6')
        if (done.committed) beginToFollow(ctx, key, done.committed)
        return done.result
      }
      dropPack(ctx, key, packed.pack)
    } catch (error) {
      dropPack(ctx, key, packed.pack)
      // What is remembered was older than the database.
      if (isGitError(error, 'ref_moved')) {
        ctx.store.forget(key)
        noteOvertaken(ctx, key)
      }
      throw error
    }
    if (tries >= mostTries)
      throw new GitError('ref_moved', 'The plan changes faster than its objects can be packed.')
  }
}

/** Carries moves out of a transaction that is rolled back. */
class Tried extends Error {
  readonly moves: readonly RefMove[]

  constructor(moves: readonly RefMove[]) {
    super('A plan was tried.')
    this.moves = moves
  }
}

/** Returns the moves of a plan, without a trace of what it writes. */
function movesAhead<Result>(
  { store }: Context,
  { plan, moves, takesNumber }: Publication<Result>,
): readonly RefMove[] {
  if (moves) return moves
  if (!takesNumber) return plan().moves
  try {
    return store.transact((): never => {
      throw new Tried(plan().moves)
    })
  } catch (error) {
    if (error instanceof Tried) return error.moves
    throw error
  }
}

/** Commits that were packed, for a repository in an epoch; undefined: for a new one. */
type Packed = {
  epoch: string | undefined
  mark: string
  tips: ReadonlySet<Oid>
  pack: SentPack | undefined
}

/** Packs what the database lacks of the commits that refs move to. */
async function packFor(
  ctx: Context,
  repo: Repository,
  { key, objects }: Pick<Publication<unknown>, 'key' | 'objects'>,
  moves: readonly RefMove[],
): Promise<Packed> {
  const state = stateOf(ctx, key)
  // That of specs begins with the first version.
  if (!state && !isSpecsKey(key)) throw noRepository()
  const haves = new Set(moves.flatMap(({ from }) => from ?? []))
  const primary = isSpecsKey(key) ? undefined : headOf(ctx, key, primaryRef(ctx, key))
  if (primary) haves.add(primary)
  const tips = new Set(moves.flatMap(({ to }) => to ?? []))
  const wants = [...tips].filter(tip => !haves.has(tip))
  const wish = { wants, haves: [...haves] }
  const pack = wants.length > 0 ? await sendPack(ctx, key, repo, wish, objects) : undefined
  return { epoch: state?.epoch, mark: newMark(), tips: new Set([...tips, ...haves]), pack }
}

type Decided<Result> = { result: Result; committed?: Committed }

/**
 * Writes everything, inside the transaction. Returns undefined, having written nothing, if the plan
 * needs other objects than those that were packed.
 */
function decide<Result>(
  ctx: Context,
  publication: Publication<Result>,
  { epoch, mark, tips, pack }: Packed,
): Decided<Result> | undefined {
  const { key } = publication
  const { intent, result } = intentOf(ctx, publication)
  const { moves } = intent
  if (moves.some(({ to }) => to !== null && !tips.has(to))) return undefined
  const checkMoved = moveRows(ctx.store, key, moves)
  let committed: Committed | undefined
  if (moves.some(({ from, to }) => from !== to)) {
    const at = nextState(ctx.store, { key, epoch, mark })
    if (pack) placePack(ctx, key, pack, at)
    committed = { ...at, hasPack: pack !== undefined, moves }
  }
  try {
    applyEffects(ctx.store, intent)
  } finally {
    // Of a plan that is outdated, this error tells more than that of its effects.
    checkMoved()
  }
  return { result, ...(committed && { committed }) }
}

/** Returns the next state of a repository, or the first one of a new repository of specs. */
function nextState(
  store: Store,
  { key, epoch, mark }: { key: string; epoch: string | undefined; mark: string },
): State {
  if (epoch === undefined) {
    const begun = { space_id: key, epoch: randomId(), mark, head: noBranch }
    if (insertGitState(store, begun) === 1) return { epoch: begun.epoch, seq: 1, mark }
  } else {
    const seq = advanceGitState(store, { space_id: key, epoch, mark })
    if (seq !== undefined) return { epoch, seq, mark }
  }
  throw new GitError('ref_moved', 'The repository was made or rewritten by another node.')
}

const noRepository = () => new GitError('not_found', 'The repository does not exist.')

/**
 * Moves refs of a repository that nodes share to commits that the database has, and makes another
 * branch the default one. No other rows follow. Throws the errors of `moveRefs`.
 */
export async function moveShared(
  ctx: Context,
  key: string,
  { moves, head }: { moves: readonly RefMove[]; head?: string | undefined },
): Promise<void> {
  const mark = newMark()
  const committed = ctx.store.transact(() => {
    const state = findGitState(ctx.store, key)
    if (!state) throw noRepository()
    const { epoch } = state
    const checkMoved = moveRows(ctx.store, key, moves)
    const seq = advanceGitState(ctx.store, { space_id: key, epoch, mark, head })
    if (seq === undefined) throw noRepository()
    checkMoved()
    return { epoch, seq, mark, hasPack: false, moves, head }
  })
  await follow(ctx, key, committed)
}

/**
 * Moves the rows of refs. Returns a function that throws the errors of `moveRefs`: call it at the end of
 * the transaction, so that what is read until then can travel with its beginning.
 */
function moveRows(store: Store, key: string, moves: readonly RefMove[]): () => void {
  for (const { ref } of moves) checkRefName(ref)
  const findMoved = swapRefs(store, key, moves)
  return () => {
    const ref = findMoved()
    if (ref !== undefined)
      throw new GitError('ref_moved', 'The branch was moved by another change.', { ref })
    for (const { ref, from, to } of moves)
      if (from === null && to !== null && findConflictingRef(store, key, ref) !== undefined)
        throw new GitError('ref_conflict', 'Another branch has a name that excludes this one.', {
          ref,
        })
  }
}
