import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Context } from '../../context.ts'
import { salvagePack } from '../../git/exchange/install-pack.ts'
import { objectInfo } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import { commitsBeyond } from '../../git/refs/unreachable.ts'
import { createRepository, linkObjects } from '../../git/repositories/repository.ts'
import { salvageObjects, takePacks } from '../../git/repositories/salvage-objects.ts'
import { setDamagedObjectsAside } from '../../git/repositories/set-damaged-aside.ts'
import type { Oid } from '../../lib/oid.ts'
import type { PackAt } from '../../store/cluster/git-log.ts'
import { PackReplaced, partsOf } from '../catch-up/fill.ts'
import { readPosition } from '../catch-up/position.ts'
import { repositoryOf } from '../repositories/repository-of.ts'
import { noBranch } from '../repositories/specs-repository.ts'
import type { Problem } from '../upkeep/verify-repository.ts'
import { findLostRefs, type RefPlan, type Seen, seenAtState, seenIn } from './find-lost-refs.ts'
import { addPacks, type Held, readHeld } from './read-held.ts'
import { repairFolders } from './repair-folders.ts'
import { type Archived, openSource } from './repair-source.ts'
import { writeMended } from './write-mended.ts'

/** A repository whose rows are repaired. */
export type SharedOrder = {
  key: string
  /** The prefix of the names of its folders. */
  name: string
  from: string | undefined
  archived: Archived
  /** Whether refs of lost commits may get older values, those of this folder or of `from`. */
  setBack: boolean
  /** The owner of the repository. */
  about: Pick<Problem, 'space' | 'organization'>
  /** Returns the refs that must exist beside the default branch, with the values that rows give them. */
  needed: () => ReadonlyMap<string, Oid | undefined>
  /** Returns the commits that rows name. */
  named: () => readonly Oid[]
}

/** The rows that were damaged, and what is still lost. */
type MendedRows = {
  damaged: string[]
  aside: string | undefined
  salvaged: number
  refs: string[]
  problems: Problem[]
}

/**
 * Repairs what the database that nodes share has of a repository: objects that its packs do not have come
 * from the folder of this node, if that is of the same history, and from `from`. If all are there,
 * one base replaces the packs, and the unreadable ones are kept in a folder; otherwise nothing is
 * changed, since the folder of another node may have them. Nodes may write meanwhile.
 */
export async function mendRows(ctx: Context, order: SharedOrder): Promise<MendedRows> {
  const { key, name, from, archived } = order
  await ctx.store.gate?.pass()
  const { work, aside } = repairFolders(ctx, name)
  await mkdir(work, { recursive: true, mode: 0o700 })
  const made: Repository = { dir: join(work, 'made.git'), processes: ctx.processes }
  try {
    await createRepository(ctx.processes, made.dir, { defaultBranch: noBranch })
    const held = readHeld(ctx, key)
    const unread = await addPacks(ctx, made, key, held.packs)
    const seen = await seenAtState(ctx, key, held.state)
    const rowsAlone = await planRefs(made, order, held, [seen])
    if (unread.length === 0 && isSound(held, rowsAlone)) return intact
    const source = from === undefined ? undefined : await openSource(ctx, archived, from, work)
    const others = [seen, ...(order.setBack ? await olderSeen(ctx, key, source) : [])]
    const salvaged = await addOthers(ctx, made, { key, held, work, source })
    const unreadable = await addPacks(ctx, made, key, unread)
    const kept = join(work, 'kept')
    const rescued = await keepUnreadable(ctx, made, { key, packs: unreadable, kept })
    const plan = await planRefs(made, order, held, others)
    const damaged = [
      ...(held.state ? [] : ['the state of the repository']),
      ...unread.map(({ seq }) => `the pack at position ${seq}`),
    ]
    if (plan.lost.length > 0)
      return { ...intact, damaged, problems: lostProblems(order, held, plan.lost) }

    const tips = await tipsOf(made, order, held, plan.moves)
    await writeMended(ctx, { key, repo: made, held, plan, tips })
    const hasAside = existsSync(kept)
    if (hasAside) {
      await mkdir(dirname(aside), { recursive: true, mode: 0o700 })
      await rename(kept, aside)
    }
    return {
      damaged,
      aside: hasAside ? aside : undefined,
      salvaged: salvaged + rescued,
      refs: plan.moves.map(({ ref }) => ref),
      problems: [],
    }
  } finally {
    ctx.processes.closeRepository(made.dir)
    await rm(work, { recursive: true, force: true })
  }
}

const intact: MendedRows = { damaged: [], aside: undefined, salvaged: 0, refs: [], problems: [] }

/** Returns whether the rows need no change. The repository of specs may not exist yet. */
const isSound = ({ state, refs, packs }: Held, { head, moves, lost }: RefPlan): boolean =>
  moves.length === 0 &&
  lost.length === 0 &&
  (state ? state.head === head : refs.size === 0 && packs.length === 0)

async function planRefs(
  repo: Repository,
  { needed, about }: SharedOrder,
  { state, refs }: Held,
  others: readonly Seen[],
): Promise<RefPlan> {
  const isThere = (branch: string | undefined) =>
    branch !== undefined && [refs, ...others.map(seen => seen.refs)].some(each => each.has(branch))
  const head =
    about.organization !== undefined
      ? noBranch
      : ([state?.head, ...others.map(seen => seen.head)].find(isThere) ?? state?.head ?? noBranch)
  const all = new Map(needed())
  if (about.organization === undefined) all.set(head, undefined)
  return { head, ...(await findLostRefs(repo, { rows: refs, needed: all, others })) }
}

/** Returns the refs of this folder, wherever it is, and those of a source. */
async function olderSeen(
  ctx: Context,
  key: string,
  source: Repository | undefined,
): Promise<Seen[]> {
  const all = [repositoryOf(ctx, key), ...(source ? [source] : [])]
  return Promise.all(all.map(seenIn))
}

type Others = { key: string; held: Held; work: string; source: Repository | undefined }

/**
 * Adds the objects of this node's folder and of a source. A folder of another history is left out: it may have content that was
 * purged since. Returns how many objects were taken from damaged packs.
 */
async function addOthers(
  ctx: Context,
  made: Repository,
  { key, held: { state }, work, source }: Others,
): Promise<number> {
  if (source) await takePacks(source, made)
  const { dir } = repositoryOf(ctx, key)
  const position = readPosition(dir)
  if (!position || (state && position.epoch !== state.epoch)) return 0
  await linkObjects(join(dir, 'objects'), join(made.dir, 'objects'))
  const aside = join(work, 'aside')
  await setDamagedObjectsAside(made, aside)
  ctx.processes.closeRepository(made.dir)
  return salvageObjects(made, aside)
}

/** Keeps packs as files, and adds what can be read of them. Returns how many objects that were. */
async function keepUnreadable(
  ctx: Context,
  made: Repository,
  { key, packs, kept }: { key: string; packs: readonly PackAt[]; kept: string },
): Promise<number> {
  if (packs.length === 0) return 0
  await mkdir(kept, { mode: 0o700 })
  const before = await countLoose(made)
  for (const pack of packs) {
    const file = createWriteStream(join(kept, `${pack.seq}.pack`), { mode: 0o600 })
    await pipeline(partsOf(ctx, key, pack), file).catch(ignoreLost)
    await salvagePack(made, partsOf(ctx, key, pack)).catch(ignoreLost)
  }
  ctx.processes.closeRepository(made.dir)
  return (await countLoose(made)) - before
}

/** A part of a damaged pack may be missing. */
function ignoreLost(error: unknown): void {
  if (!(error instanceof PackReplaced)) throw error
}

const countLoose = async ({ dir }: Repository): Promise<number> =>
  (await readdir(join(dir, 'objects'), { recursive: true })).filter(name =>
    /^[0-9a-f]{2}.[0-9a-f]{38}$/.test(name),
  ).length

/** Returns what a base has to reach: all refs, and commits that rows name. */
async function tipsOf(
  repo: Repository,
  { named }: SharedOrder,
  { refs }: Held,
  moves: readonly RefMove[],
): Promise<Oid[]> {
  const after = new Map(refs)
  for (const { ref, to } of moves) if (to !== null) after.set(ref, to)
  const tips = [...new Set(after.values())]
  const infos = await objectInfo(repo, [...new Set(named())])
  const there = [...infos].flatMap(([oid, { type }]) => (type === 'commit' ? oid : []))
  return [...tips, ...(await commitsBeyond(repo, there, tips))]
}

const lostProblems = ({ about }: SharedOrder, { refs }: Held, lost: readonly string[]): Problem[] =>
  lost.map(ref => ({
    ...about,
    what: `${ref} ${refs.has(ref) ? `is at ${refs.get(ref)}, of which objects are missing` : 'is missing'} in the database, and neither this folder nor --from has them. Nothing was changed.`,
    remedy: lostRemedy,
  }))

const lostRemedy =
  'Run the command with STEMMA_DATA of each node in turn, or with --from and a newer backup or a clone. With --set-back, such a branch is set to the older commit that the folder or --from has.'
