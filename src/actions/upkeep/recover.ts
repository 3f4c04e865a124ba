import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { endLeftovers } from '../../git/process/end-leftovers.ts'
import { crashPoint } from '../../lib/crash-points.ts'
import { queueSearchIndex } from '../../queue/search.ts'
import { listContentPurges } from '../../store/git/content-purges.ts'
import { deleteIntent, listIntents } from '../../store/git/intents.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import { listUnindexed } from '../../store/search/search-index.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { IntentRow } from '../../store/tables/rows.ts'
import { openSpace } from '../heads/open-space.ts'
import { settleIntent } from '../journal/settle-intent.ts'
import { forgetDeletedSpecs } from '../made-files/spec-rows.ts'
import { beginOpening, settleFolder } from '../repositories/opened.ts'
import { changeRequestFolder } from '../repositories/ref-names.ts'
import { organizationOf, repositoryOf } from '../repositories/repository-of.ts'
import { indexer } from '../search/index-search.ts'
import { openSpecs } from '../specs/open-specs.ts'
import { finishPurges } from './purge-content.ts'
import { checkDatabaseKept } from './set-orphans-aside.ts'

/**
 * Cleans up after an earlier server, however it ended, before this one answers requests: completes
 * or abandons every intent in the journal and every interrupted purge. All other spaces are opened
 * at their first use (heads/open-space.ts), so that the time does not grow with their number. The
 * caller holds the lock of the data folder.
 */
export async function recover(ctx: Context): Promise<void> {
  crashPoint('R0')
  const staging = join(ctx.config.dataDir, 'staging')
  const ended = await endLeftovers(staging)
  if (ended > 0) ctx.log.warn({ ended }, 'ended downloads of an earlier server')
  await rm(staging, { recursive: true, force: true })
  await emptyFolder(join(ctx.config.dataDir, 'tmp'))
  await checkDatabaseKept(ctx)
  beginOpening(ctx)
  const begun = new Set(
    [...listIntents(ctx.store), ...listContentPurges(ctx.store)].map(row => row.space_id),
  )

  for (const id of begun)
    await settleFolder(ctx, repositoryOf(ctx, id)).catch(error =>
      ctx.log.error(
        { space: id, err: String(error) },
        'locks of killed processes could not be removed',
      ),
    )

  if (begun.size > 0) crashPoint('R2')
  await finishPurges(ctx)
  await forgetDeletedSpecs(ctx)
  for (const operation of listIntents(ctx.store)) await settle(ctx, operation)
  for (const id of begun) {
    const organization = organizationOf(id)
    await (organization === undefined ? openSpace(ctx, id) : openSpecs(ctx, organization))
  }
  ctx.store.transact(() => {
    for (const id of listUnindexed(ctx.store, indexer, changeRequestFolder))
      queueSearchIndex(ctx.store, id, ctx.now())
  })
  crashPoint('R5')
}

/** Removes what is in a folder, which may be a mount point of its own. */
async function emptyFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true })
}

/** Returns whether the space or organization whose repository has this key exists. */
function hasOwner({ store }: Context, key: string): boolean {
  const organization = organizationOf(key)
  return organization === undefined
    ? findSpace(store, key) !== undefined
    : findOrganization(store, organization) !== undefined
}

/** Settles one intent. An intent that cannot be settled stays in the journal for the next start. */
async function settle(ctx: Context, operation: IntentRow): Promise<void> {
  const about = { operation: operation.kind, space: operation.space_id }
  if (!hasOwner(ctx, operation.space_id)) {
    deleteIntent(ctx.store, operation.id)
    return
  }

  try {
    const outcome = await settleIntent(ctx, repositoryOf(ctx, operation.space_id), operation)
    ctx.log.warn({ ...about, outcome }, 'settled an interrupted operation')
  } catch (error) {
    ctx.log.error(
      { ...about, err: String(error) },
      'an interrupted operation could not be settled: run "stemma verify"',
    )
  }
}
