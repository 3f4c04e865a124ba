import { collectSpace } from '../actions/upkeep/collect-garbage.ts'
import { findSpace } from '../store/spaces/spaces.ts'
import type { JobRun } from './run.ts'

/** Packs the repository of a space if it still has so many packs that reading gets slow. */
export const packSpace: JobRun<'pack-space'> = async (ctx, { spaceId }, { signal }) => {
  const space = findSpace(ctx.store, spaceId)
  if (!space) return
  const packed = await collectSpace(ctx, space, { needed: true, signal })
  if (packed?.failure)
    ctx.log.warn({ space: spaceId, err: packed.failure }, 'a repository cannot be packed')
}
