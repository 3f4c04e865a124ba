import { existsSync } from 'node:fs'
import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { checkRepositoryConfig } from '../../git/repositories/repository.ts'
import { endKilledUpkeep, removeStaleLocks } from '../../git/repositories/upkeep.ts'

/**
 * The repositories that this process has opened, by the names of their locks. `since` is the start
 * of the server in milliseconds since 1970; undefined in a process that works beside a server and
 * opens nothing.
 */
const openings = stateSlot(() => ({
  since: undefined as number | undefined,
  opened: new Set<string>(),
}))

/**
 * Makes every repository be opened at its first use from now on. Call it in a process that holds
 * the lock of the data folder, before it reads or writes any repository.
 */
export function beginOpening(ctx: Context): void {
  const state = ctx.caches.get(openings)
  // Whole milliseconds, rounded up.
  state.since = Date.now() + 1
  state.opened.clear()
}

/**
 * Returns when this server started, in milliseconds since 1970; undefined in a process beside a
 * server.
 */
export const openingSince = (ctx: Context): number | undefined => ctx.caches.get(openings).since

/** Returns whether a repository needs no opening. */
export function isOpened(ctx: Context, name: string): boolean {
  const { since, opened } = ctx.caches.get(openings)
  return since === undefined || opened.has(name)
}

/** Records that a repository is opened, or that this process creates it now. */
export const markOpened = (ctx: Context, name: string): unknown =>
  ctx.caches.get(openings).opened.add(name)

/** Forgets a removed repository: another one with its name is opened again. */
export const forgetOpened = (ctx: Context, name: string): unknown =>
  ctx.caches.get(openings).opened.delete(name)

/** Removes what killed processes left in a repository. Hold its lock. */
export async function settleFolder(ctx: Context, repo: Repository): Promise<void> {
  const since = openingSince(ctx)
  if (since === undefined || !existsSync(repo.dir)) return
  await removeStaleLocks(repo, { since })
  await checkRepositoryConfig(repo)
  await endKilledUpkeep(repo, { since })
}
