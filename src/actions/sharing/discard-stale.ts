import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { pauses } from '../../lib/slices.ts'
import { findEpochs } from '../../store/cluster/git-state.ts'
import { catchUp, discardIfGone } from '../catch-up/catch-up.ts'
import { readPosition } from '../catch-up/position.ts'
import { keyOf } from '../repositories/repository-of.ts'

/** The number of repositories that one statement looks up. */
const atOnce = 500

/**
 * Discards what this node has of repositories that were deleted, or whose history was purged, whether
 * they are used here or not. `known` keeps the epochs of folders from one call to the next.
 */
export async function discardStale(ctx: Context, known: Map<string, string>): Promise<void> {
  if (!ctx.store.isShared) return
  const held = await epochsHeld(ctx, known)
  known.clear()
  const keys = [...held.keys()]
  for (let at = 0; at < keys.length; at += atOnce) {
    const portion = keys.slice(at, at + atOnce)
    const epochs = findEpochs(ctx.store, portion)
    for (const key of portion) {
      const epoch = epochs.get(key)
      if (epoch === undefined) await discardIfGone(ctx, key)
      else if (epoch !== held.get(key)) await catchUp(ctx, key)
      if (epoch !== undefined) known.set(key, epoch)
    }
  }
}

/** Returns the epochs of the folders that have a position, by the keys of their repositories. */
async function epochsHeld(
  ctx: Context,
  known: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const held = new Map<string, string>()
  const pause = pauses()
  for (const dir of await listFolders(ctx)) {
    const key = keyOf(dir)
    const epoch = known.get(key) ?? readPosition(dir)?.epoch
    if (epoch !== undefined) held.set(key, epoch)
    await pause()
  }
  return held
}

/** Returns the folders of all repositories. */
async function listFolders({ config: { dataDir } }: Context): Promise<string[]> {
  const spaces = join(dataDir, 'spaces')
  const shelves = (await readdir(spaces).catch(() => [])).map(name => join(spaces, name))
  const all: string[] = []
  for (const shelf of [...shelves, join(dataDir, 'specs')])
    for (const name of await readdir(shelf).catch(() => []))
      if (/^[^.]+\.git$/.test(name)) all.push(join(shelf, name))
  return all
}
