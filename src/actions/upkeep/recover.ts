import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { endLeftovers } from '../../git/process/end-leftovers.ts'
import type { Repository } from '../../git/process/processes.ts'
import { settleConfig } from '../../git/repositories/repository.ts'
import { removeStaleLocks } from '../../git/repositories/upkeep.ts'
import { crashPoint } from '../../lib/crash-points.ts'
import { queueSearchIndex } from '../../queue/search.ts'
import { deleteIntent, listIntents } from '../../store/git/intents.ts'
import { listUnindexed } from '../../store/search/search-index.ts'
import { findSpace, listAllSpaces } from '../../store/spaces/spaces.ts'
import type { IntentRow } from '../../store/tables/rows.ts'
import { reconcileSpace } from '../heads/reconcile-space.ts'
import { settleIntent } from '../journal/settle-intent.ts'
import { guardPushes } from '../repositories/push-policy.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { specsRepository } from '../repositories/specs-repository.ts'
import { indexer } from '../search/index-search.ts'
import { listSpecsOrganizations } from '../specs/list-specs.ts'
import { finishPurges } from './purge-content.ts'
import { setOrphansAside } from './set-orphans-aside.ts'

/**
 * Cleans up after an earlier server, however it ended, before this one answers requests: removes stale locks, completes or
 * abandons every intent in the journal, and records commits that were pushed in the meantime.
 */
export async function recover(ctx: Context): Promise<void> {
  crashPoint('R0')
  const staging = join(ctx.config.dataDir, 'staging')
  const ended = await endLeftovers(staging)
  if (ended > 0) ctx.log.warn({ ended }, 'ended downloads of an earlier server')
  await rm(staging, { recursive: true, force: true })
  await setOrphansAside(ctx)
  crashPoint('R1')
  const spaces = listAllSpaces(ctx.store)
  for (const space of spaces) {
    const repo = spaceRepository(ctx, space.id)
    await settleFolder(repo).catch(error => alarm(ctx, space.id, error))
    await guardPushes(ctx, repo, space.id).catch(error => alarm(ctx, space.id, error))
  }
  for (const organization of listSpecsOrganizations(ctx)) {
    await settleFolder(specsRepository(ctx, organization)).catch(error =>
      ctx.log.error({ organization, err: String(error) }, checkSpecs),
    )
  }
  crashPoint('R2')
  await finishPurges(ctx)
  for (const operation of listIntents(ctx.store)) await settle(ctx, operation)
  for (const space of spaces) {
    try {
      await reconcileSpace(ctx, space)
      crashPoint('R4')
    } catch (error) {
      // The other spaces are served even if one repository is damaged.
      alarm(ctx, space.id, error)
    }
  }
  ctx.store.transact(() => {
    for (const id of listUnindexed(ctx.store, indexer)) queueSearchIndex(ctx.store, id, ctx.now())
  })
  crashPoint('R5')
}

/** Removes what killed processes left in a repository. */
async function settleFolder(repo: Repository): Promise<void> {
  if (!existsSync(repo.dir)) return
  await removeStaleLocks(repo)
  await settleConfig(repo)
}

const checkSpecs = 'the repository of OpenAPI specs of an organization is damaged: run "stemma verify"'

const alarm = (ctx: Context, spaceId: string, error: unknown): void =>
  ctx.log.error(
    { space: spaceId, err: String(error) },
    'the repository of a space is damaged: run "stemma verify"',
  )

/** Settles one intent. An intent that cannot be settled stays in the journal for the next start. */
async function settle(ctx: Context, operation: IntentRow): Promise<void> {
  const about = { operation: operation.kind, space: operation.space_id }
  if (!findSpace(ctx.store, operation.space_id)) {
    deleteIntent(ctx.store, operation.id)
    return
  }
  try {
    const outcome = await settleIntent(ctx, spaceRepository(ctx, operation.space_id), operation)
    ctx.log.warn({ ...about, outcome }, 'settled an interrupted operation')
  } catch (error) {
    ctx.log.error(
      { ...about, err: String(error) },
      'an interrupted operation could not be settled: run "stemma verify"',
    )
  }
}
