import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { randomId } from '../../lib/digest.ts'

const sweeping = stateSlot(() => ({ isDone: false }))

/**
 * Runs `work` in a new folder and deletes it afterwards. The first call also deletes the folders of
 * earlier server runs.
 */
export async function withWorkFolder<Result>(
  ctx: Pick<Context, 'config' | 'caches'>,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const all = join(ctx.config.dataDir, 'prints', '.work')
  const sweep = ctx.caches.get(sweeping)
  if (!sweep.isDone) {
    sweep.isDone = true
    await rm(all, { recursive: true, force: true })
  }

  const folder = join(all, randomId(12))

  await mkdir(folder, { recursive: true, mode: 0o700 })

  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
