import { rename, rm } from 'node:fs/promises'
import { relative } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { installPack } from '../../git/exchange/install-pack.ts'
import type { Repository } from '../../git/process/processes.ts'
import { defaultBranch, setDefaultBranch } from '../../git/refs/default-branch.ts'
import { listRefs, moveRefs } from '../../git/refs/refs.ts'
import { buildRepository } from '../../git/repositories/repository.ts'
import { randomId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import { findPackPart, listPacks, type PackAt } from '../../store/cluster/git-log.ts'
import { findGitState } from '../../store/cluster/git-state.ts'
import { listMirroredRefs } from '../../store/git/refs.ts'
import type { GitStateRow } from '../../store/tables/rows.ts'
import { setAside } from '../repositories/set-aside.ts'
import { type Position, readPosition, writePosition } from './position.ts'

/** A repository as the database has it, with the packs that a folder lacks. */
type Snapshot = {
  state: GitStateRow
  refs: ReadonlyMap<string, Oid>
  packs: readonly PackAt[]
  /** The mark of the last pack. */
  packMark: string
  /** Whether the folder lacks them all, or has others: those of another epoch, or of a database that was set back. */
  isWhole: boolean
}

/** Thrown when a pack is gone that was there: a base has replaced it. */
export class PackReplaced extends Error {}

/**
 * Returns what the database has for a folder at a position; undefined: it has no such repository.
 */
export const takeSnapshot = (
  { store }: Context,
  key: string,
  at: Position | undefined,
): Snapshot | undefined =>
  store.transact(() => {
    const state = findGitState(store, key)
    if (!state) return undefined
    const known = at && isOfState(at, state) ? at : undefined
    const since = known && packsSince(listPacks(store, key, known.seq), known)
    const packs = since ?? listPacks(store, key, 0)
    const base = packs.findLastIndex(({ kind }) => kind === 'base')
    return {
      state,
      refs: listMirroredRefs(store, key),
      packs: base < 0 ? packs : packs.slice(base),
      packMark: packs.at(-1)?.mark ?? known?.packMark ?? '',
      isWhole: since === undefined,
    }
  })

/** Returns whether a folder at a position may have what led to a state. */
const isOfState = (at: Position, { epoch, seq, mark }: GitStateRow): boolean =>
  at.epoch === epoch && (at.seq < seq || (at.seq === seq && at.mark === mark))

/**
 * Returns the packs after a position of those that begin with the last one up to it; undefined: that is
 * not the last one of the folder, and no base follows, which would need none before it.
 */
function packsSince(
  packs: readonly PackAt[],
  { seq, packMark }: Position,
): readonly PackAt[] | undefined {
  const after = packs.filter(pack => pack.seq > seq)
  const held = packs.find(pack => pack.seq <= seq)
  return held?.mark === packMark || after.some(({ kind }) => kind === 'base') ? after : undefined
}

/** Adds to a folder what it lacks. Throws PackReplaced, and GitError for a damaged folder. */
export async function extendFolder(
  ctx: Context,
  repo: Repository,
  { state, refs, packs, packMark }: Snapshot,
): Promise<void> {
  await installAll(ctx, repo.dir, state.space_id, packs)
  await followRefs(repo, refs)
  if (defaultBranch(repo) !== state.head) await setDefaultBranch(repo, state.head)
  writePosition(repo.dir, { ...state, packMark })
}

/**
 * Replaces the folder of a repository, if there is one. A folder without a position, which may be that
 * of a machine that kept its rows in SQLite, is set aside. Throws PackReplaced.
 */
export async function rebuildFolder(
  ctx: Context,
  { dir, processes }: Repository,
  { state, refs, packs, packMark }: Snapshot,
): Promise<void> {
  processes.closeRepository(dir)
  if (!readPosition(dir)) await setAside(ctx, relative(ctx.config.dataDir, dir))
  else {
    const old = `${dir}.old-${randomId(8)}`
    await rename(dir, old)
    await rm(old, { recursive: true, force: true })
  }
  await buildRepository(processes, dir, state.head, async made => {
    await installAll(ctx, made, state.space_id, packs)
    await moveRefs(
      { dir: made, processes },
      [...refs].map(([ref, to]) => ({ ref, from: null, to })),
    )
    processes.closeRepository(made)
    writePosition(made, { ...state, packMark })
  })
}

async function installAll(
  ctx: Context,
  dir: string,
  key: string,
  packs: readonly PackAt[],
): Promise<void> {
  for (const pack of packs) await installPack({ dir }, partsOf(ctx, key, pack))
}

/** Yields the parts of a pack. Throws PackReplaced if it lacks one. */
export async function* partsOf(
  { store }: Context,
  key: string,
  { seq, parts }: PackAt,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let part = 0; part < parts; part++) {
    const bytes = findPackPart(store, key, seq, part)
    if (!bytes) throw new PackReplaced()
    yield bytes
    // Each read blocks all requests.
    await setImmediate()
  }
}

/** Gives the refs of a folder the values that they have in the database. */
async function followRefs(repo: Repository, refs: ReadonlyMap<string, Oid>): Promise<void> {
  const held = await listRefs(repo, 'refs/')
  const gone = [...held].filter(([ref]) => !refs.has(ref))
  const moved = [...refs].filter(([ref, oid]) => held.get(ref) !== oid)
  // The names of new ones may collide with those of deleted ones.
  await moveRefs(
    repo,
    gone.map(([ref, from]) => ({ ref, from, to: null })),
  )
  await moveRefs(
    repo,
    moved.map(([ref, to]) => ({ ref, from: held.get(ref) ?? null, to })),
  )
}
