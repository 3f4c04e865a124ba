import type { Context } from '../../context.ts'
import { openSpaces } from '../heads/open-space.ts'
import { listSpecsOrganizations } from '../specs/list-specs.ts'
import { openSpecs } from '../specs/open-specs.ts'
import { setOrphansAside } from './set-orphans-aside.ts'

/**
 * Opens every repository that is not opened yet, and sets repositories without a row aside. A
 * running server opens them at their first use instead.
 */
export async function openAll(ctx: Context): Promise<void> {
  // A cache catches up at its first use.
  if (ctx.store.isShared) return
  await openSpaces(ctx)
  for (const organization of listSpecsOrganizations(ctx)) await openSpecs(ctx, organization)
  await setOrphansAside(ctx)
}
