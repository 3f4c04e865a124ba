import { existsSync } from 'node:fs'
import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { syncObjects } from '../../git/objects/install-objects.ts'
import { setDefaultBranch } from '../../git/refs/default-branch.ts'
import { moveRefs, type RefMove } from '../../git/refs/refs.ts'
import { isGitError } from '../../git/values/errors.ts'
import { stateOf } from '../repositories/head-of.ts'
import { isOpened, markOpened, settleFolder } from '../repositories/opened.ts'
import { keyOf, repositoryFolder, repositoryOf } from '../repositories/repository-of.ts'
import { discardFolder } from './discard-folder.ts'
import { extendFolder, PackReplaced, rebuildFolder, takeSnapshot } from './fill.ts'
import { isAt, type Position, readPosition, type State, writePosition } from './position.ts'

/** The age of a look at other nodes that a change may begin with, in milliseconds. */
const recentMs = 50

/** How often packs may be replaced while they are read. */
const mostTries = 5

/** Errors that say nothing about the folder. */
const passing = ['no_space', 'busy', 'timeout', 'aborted'] as const

/** The keys of the repositories that have caught up since they were last taken. */
const caughtUp = stateSlot(() => new Set<string>())

/** Returns the keys of the repositories that have caught up since the last call. */
export function takeCaughtUp(ctx: Context): string[] {
  const keys = ctx.caches.get(caughtUp)
  const taken = [...keys]
  keys.clear()
  return taken
}

const lockOf = (key: string): string => `cache ${key}`

/**
 * Makes the folder of a repository be brought where nodes share it and a reader asks for an object that
 * it lacks.
 */
export function bringOnDemand(ctx: Context): void {
  if (ctx.store.isShared) ctx.processes.refresh ??= dir => catchUpNow(ctx, keyOf(dir))
}

/**
 * Brings the folder of a shared repository to where the database is, which makes one that is missing
 * or damaged again. Costs a read of a file where there is nothing to bring. The lock of the
 * repository may be held or not.
 */
export async function catchUp(ctx: Context, key: string): Promise<void> {
  bringOnDemand(ctx)
  if (!isBehind(ctx, key)) return
  await ctx.locks.run(lockOf(key), async () => {
    if (isBehind(ctx, key)) await bring(ctx, key)
  })
}

/**
 * Catches up with what other nodes have committed before this call: what is remembered of a repository
 * is not all of the same time, so that a ref may be newer than the folder.
 */
export async function catchUpNow(ctx: Context, key: string): Promise<void> {
  await ctx.store.gate?.pass()
  await catchUp(ctx, key)
}

/**
 * Catches up before a change whose refs are compared again as it is published. What another node has
 * committed since a recent look would only make the change run again.
 */
export async function catchUpForChange(ctx: Context, key: string): Promise<void> {
  const { gate } = ctx.store
  await (gate && gate.ageMs > recentMs ? catchUpNow(ctx, key) : catchUp(ctx, key))
}

/** Discards the folder of a repository that the database no longer has. */
export const discardIfGone = (ctx: Context, key: string): Promise<void> =>
  ctx.locks.run(lockOf(key), async () => {
    if (takeSnapshot(ctx, key, undefined)) return
    if (readPosition(repositoryFolder(ctx, key))) await discardFolder(ctx, key)
  })

function isBehind(ctx: Context, key: string): boolean {
  const state = stateOf(ctx, key)
  if (!state) return false
  return !isOpened(ctx, key) || !isAt(readPosition(repositoryFolder(ctx, key)), state)
}

async function bring(ctx: Context, key: string): Promise<void> {
  const repo = repositoryOf(ctx, key)
  let at = await usablePosition(ctx, key)
  for (let tries = 1; ; tries++) {
    const snapshot = takeSnapshot(ctx, key, at)
    if (!snapshot) return
    const { state, isWhole } = snapshot
    try {
      const left = readPosition(repo.dir)
      if (left && (left.epoch !== state.epoch || (isWhole && at !== undefined))) {
        await discardFolder(ctx, key)
        at = undefined
      }
      if (isWhole) await rebuildFolder(ctx, repo, snapshot)
      else await extendFolder(ctx, repo, snapshot)
      markOpened(ctx, key)
      ctx.caches.get(caughtUp).add(key)
      return
    } catch (error) {
      if (tries >= mostTries) throw error
      if (error instanceof PackReplaced) continue
      if (isWhole || !isGitError(error) || passing.some(code => isGitError(error, code)))
        throw error
      ctx.log.warn({ repository: key, err: String(error) }, 'a damaged cache is made again')
      at = undefined
    }
  }
}

/** Returns the position of a folder that can be extended. */
async function usablePosition(ctx: Context, key: string): Promise<Position | undefined> {
  const repo = repositoryOf(ctx, key)
  if (!existsSync(repo.dir)) return undefined
  if (isOpened(ctx, key)) return readPosition(repo.dir)
  try {
    await settleFolder(ctx, repo)
    return readPosition(repo.dir)
  } catch (error) {
    ctx.log.warn({ repository: key, err: String(error) }, 'a damaged cache is made again')
    return undefined
  }
}

/** The folders that follow changes now. */
const following = stateSlot(() => new Set<Promise<void>>())

/** Begins to follow a change, as `follow` does. Who uses the folder next waits for it. */
export function beginToFollow(ctx: Context, key: string, committed: Committed): void {
  const all = ctx.caches.get(following)
  const work = follow(ctx, key, committed).finally(() => all.delete(work))
  all.add(work)
}

/** Resolves when the folders have followed all changes of this node. */
export const haveFollowed = (ctx: Context): Promise<unknown> =>
  Promise.all(ctx.caches.get(following))

/** A change that this node has committed. Its objects are in the folder. */
export type Committed = State & {
  hasPack: boolean
  moves: readonly RefMove[]
  head?: string | undefined
}

/**
 * Moves the refs of the folder after a change of this node. What fails, or is cut off, `catchUp` does
 * later.
 */
export async function follow(
  ctx: Context,
  key: string,
  { epoch, seq, mark, hasPack, moves, head }: Committed,
): Promise<void> {
  const repo = repositoryOf(ctx, key)
  const work = async () => {
    const at = readPosition(repo.dir)
    const isNext = seq === 1 ? at === undefined : at?.epoch === epoch && at.seq === seq - 1
    if (!isNext) return
    await syncObjects(repo)
    await moveRefs(
      repo,
      moves.filter(({ from, to }) => from !== to),
    )
    if (head !== undefined) await setDefaultBranch(repo, head)
    writePosition(repo.dir, { epoch, seq, mark, packMark: hasPack ? mark : (at?.packMark ?? '') })
  }
  await ctx.locks
    .run(lockOf(key), work)
    .catch(error =>
      ctx.log.warn(
        { repository: key, err: String(error) },
        'the cache of a repository does not follow a change: it catches up at the next use',
      ),
    )
}
