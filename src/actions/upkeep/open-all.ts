import type { Context } from '../../context.ts'
import { openSpaces } from '../heads/open-space.ts'
import { listSpecsOrganizations } from '../specs/list-specs.ts'
import { openSpecs } from '../specs/open-specs.ts'
import { setOrphansAside } from './set-orphans-aside.ts'

/**
 * Opens every repository that is not opened yet, and sets repositories without a row aside. A
 * running server calls it soon after its start, with pauses (see `openSpaces`), so that pushes and
 * deleted branches do not wait for a request.
 */
export async function openAll(
  ctx: Context,
  options: { rest?: number; signal?: AbortSignal } = {},
): Promise<void> {
  await openSpaces(ctx, options)
  for (const organization of listSpecsOrganizations(ctx)) {
    if (options.signal?.aborted) return
    await openSpecs(ctx, organization)
  }
  if (!options.signal?.aborted) await setOrphansAside(ctx)
}
