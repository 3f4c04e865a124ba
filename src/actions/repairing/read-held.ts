import type { Context } from '../../context.ts'
import { installPack } from '../../git/exchange/install-pack.ts'
import type { Repository } from '../../git/process/processes.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { listPacks, type PackAt } from '../../store/cluster/git-log.ts'
import { findGitState } from '../../store/cluster/git-state.ts'
import { listMirroredRefs } from '../../store/git/refs.ts'
import type { GitStateRow } from '../../store/tables/rows.ts'
import { PackReplaced, partsOf } from '../catch-up/fill.ts'

/** What the database has of a repository: all packs, and the state, which may be lost. */
export type Held = {
  state: GitStateRow | undefined
  refs: ReadonlyMap<string, Oid>
  packs: readonly PackAt[]
}

/** Returns what the database has of a repository, as of one moment. */
export const readHeld = ({ store }: Context, key: string): Held =>
  store.transact(() => ({
    state: findGitState(store, key),
    refs: listMirroredRefs(store, key),
    packs: listPacks(store, key, 0),
  }))

/** Adds packs to a repository, and returns those that cannot be read, or whose base is missing. */
export async function addPacks(
  ctx: Context,
  { dir }: Repository,
  key: string,
  packs: readonly PackAt[],
): Promise<PackAt[]> {
  const unreadable: PackAt[] = []
  for (const pack of packs) {
    try {
      await installPack({ dir }, partsOf(ctx, key, pack))
    } catch (error) {
      if (!isDamage(error)) throw error
      unreadable.push(pack)
    }
  }
  return unreadable
}

/** Returns whether an error says that a pack is damaged. */
const isDamage = (error: unknown): boolean =>
  error instanceof PackReplaced ||
  (isGitError(error) &&
    !(['no_space', 'busy', 'timeout', 'aborted'] as const).some(code => isGitError(error, code)))
