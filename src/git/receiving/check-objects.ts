import type { Oid } from '../../lib/oid.ts'
import { listPacks } from '../disk/list-packs.ts'
import { objectInfo, readCommit } from '../objects/objects.ts'
import type { Repository } from '../process/processes.ts'
import { listFiles } from '../trees/tree-files.ts'
import { checkClosure } from './check-closure.ts'
import { noIds, readPackIds } from './pack-ids.ts'
import { arePlain, type PackObject } from './plain-objects.ts'
import type { Quarantine, ReceivedPack } from './quarantine.ts'
import { storePack } from './store-pack.ts'
import { dropUnreached, type Taken, takePack } from './take-pack.ts'
import { unpack } from './unpack.ts'
import { walkFew } from './walk-few.ts'

/** Maximum objects that are checked in memory: each takes some time of the event loop. */
const fewObjects = 100

/** A pack that passed all checks. */
type CheckedPack = {
  objects: number
  /** New commits with their parents: up to 20,000, without root commits. */
  parents: Map<Oid, readonly Oid[]>
  /** Moves the objects into the repository. */
  take: () => Promise<Taken>
}

type Options = Omit<Parameters<typeof checkClosure>[1], 'pack'>

/**
 * Checks the objects of a pack, what becomes visible with them, and that the new commits can be
 * shown. Does so in memory where that is simple, since starting a process takes longer than the
 * work on few objects. Throws PackRefused and GitError.
 */
export const checkObjects = async (
  quarantine: Quarantine,
  received: ReceivedPack,
  options: Options,
): Promise<CheckedPack> =>
  (received.whole && (await checkInMemory(quarantine, received.whole, options))) ??
  checkAsFile(quarantine, received, options)

/**
 * Returns undefined where only Git can tell whether the pack is right. Git's detection of SHA-1
 * collisions does not run here, as it does not for edits. An object that is already in the
 * repository is never replaced.
 */
async function checkInMemory(
  quarantine: Quarantine,
  whole: Buffer,
  options: Options,
): Promise<CheckedPack | undefined> {
  const objects = unpack(whole)
  if (!objects) return undefined
  quarantine.hold(objects)
  if (objects.size > fewObjects || !arePlain(objects)) return undefined

  const { repo, target } = quarantine
  const pack = { size: objects.size, has: (oid: Oid) => objects.has(oid) }
  const walked = await walkFew(repo, { ...options, pack })

  // Git tells whether the other objects are visible, or drops those of refused commands.
  if (walked?.objects !== objects.size) return undefined

  // Written while the rest is checked, as an edit would write them.
  const staged = quarantine.stage(objects)

  await checkTrees(repo, options.tips)
  const take = async () => {
    await (await staged).install()
    return { packs: (await listPacks(target)).length, loose: bytesOf(objects) }
  }

  return { objects: objects.size, parents: walked.parents, take }
}

const bytesOf = (objects: ReadonlyMap<Oid, PackObject>): number =>
  [...objects.values()].reduce((sum, { content }) => sum + content.length, 0)

async function checkAsFile(
  quarantine: Quarantine,
  { whole }: ReceivedPack,
  options: Options,
): Promise<CheckedPack> {
  const { repo } = quarantine
  const { tips, signal } = options
  if (whole) await quarantine.writePack(whole)
  // The process that reads the objects starts while another one writes their index.
  else objectInfo(repo, tips).catch(() => {})

  const stored = await storePack(quarantine, { ...(signal && { signal }) })
  const pack = stored.objects === 0 ? noIds : await readPackIds(quarantine.packFile)
  const trees = checkTrees(repo, tips)

  // The closure tells first what is wrong: a tree that is missing fails both.
  trees.catch(() => {})
  const { parents, objects } = await checkClosure(quarantine, { ...options, pack })

  await trees
  if (!options.isPartial || objects === pack.size)
    return { objects: stored.objects, parents, take: () => takePack(quarantine, pack, stored) }

  const kept = await dropUnreached(quarantine, options)

  return { objects: stored.objects, parents, take: () => takePack(quarantine, kept.pack, kept) }
}

/**
 * Checks that each commit can be shown: its size, the number of its files, and the depth of
 * folders.
 */
async function checkTrees(repo: Repository, tips: readonly Oid[]): Promise<void> {
  for (const [oid, { type }] of await objectInfo(repo, tips)) {
    if (type !== 'commit') continue
    await readCommit(repo, oid)
    await listFiles(repo, oid)
  }
}
