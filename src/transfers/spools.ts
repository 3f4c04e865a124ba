import { join } from 'node:path'
import { stateSlot } from '../caches.ts'
import type { Context } from '../context.ts'
import { Spools } from '../git/serving/spools.ts'

const spools = stateSlot(() => new Spools())

/** Returns the answers to fetches that are under way or kept. */
export const fetchSpools = (ctx: Context): Spools => ctx.caches.get(spools)

/** Returns the folder of large answers. */
export const spoolFolder = (ctx: Context): string => join(ctx.config.dataDir, 'tmp')

/** Ends all fetches: their processes, and what is kept. */
export const stopTransfers = (ctx: Context): Promise<void> => fetchSpools(ctx).close()
