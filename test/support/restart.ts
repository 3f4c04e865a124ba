import { openAll } from '../../src/actions/upkeep/open-all.ts'
import { recover } from '../../src/actions/upkeep/recover.ts'
import type { Context } from '../../src/context.ts'

/** Does what a start of the server does before it listens, and opens all repositories. */
export async function restart(ctx: Context): Promise<void> {
  await recover(ctx)
  await openAll(ctx)
}
