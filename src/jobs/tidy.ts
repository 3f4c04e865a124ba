import { removeDerivedOrphans } from '../actions/made-files/remove-derived.ts'
import { mayDestroy } from '../actions/may-destroy.ts'
import { spaceRepository } from '../actions/repositories/space-repository.ts'
import { specsRepository } from '../actions/repositories/specs-repository.ts'
import { foldPacks } from '../actions/sharing/fold-packs.ts'
import { listSpecsOrganizations } from '../actions/specs/list-specs.ts'
import { collectGarbage } from '../actions/upkeep/collect-garbage.ts'
import { mendCounts } from '../actions/upkeep/verify-counts.ts'
import { removeExpiredUploads, removeLostUploads } from '../actions/uploads/remove-uploads.ts'
import { endKilledUpkeep } from '../git/repositories/upkeep.ts'
import { enqueue } from '../queue/enqueue.ts'
import { deleteOldAnswers } from '../store/events/idempotency.ts'
import { deleteDeliveriesBefore } from '../store/events/webhook-deliveries.ts'
import { inPortions } from '../store/in-portions.ts'
import { deleteFeedbackReaders } from '../store/sites/page-feedback.ts'
import { deleteSiteEventsBefore } from '../store/sites/site-event-sums.ts'
import { deleteImportRunsBefore } from '../store/spaces/import-runs.ts'
import { listAllSpaces } from '../store/spaces/spaces.ts'
import { deleteExpired } from '../store/sso/expired.ts'
import type { JobRun } from './run.ts'

const day = 24 * 60 * 60 * 1000
/** How long the sums of what readers of sites did are kept. */
const keptEventDays = 400
/** How long webhook deliveries and the records of imports of files are kept. */
const keptDays = 30
/**
 * The number of rows deleted in one transaction, which blocks all requests for a few milliseconds.
 */
const portion = 100

const expiring = ['sso_request', 'sso_code', 'sso_assertion', 'welcome_code', 'session'] as const

/**
 * Deletes stored responses older than a day, what sign-ins and sessions left behind, unused
 * uploads, digests of readers of former days, deliveries and imports of files older than thirty days, and derived rows of purged spaces,
 * restores the configuration after killed upkeep, recounts comments, packs the repositories that
 * need it, and enqueues itself for the next day.
 */
export const tidy: JobRun<'tidy'> = async (ctx, _, { signal }) => {
  const now = ctx.now()
  if (mayDestroy(ctx, 'kept answers'))
    await inPortions(ctx.store, portion, limit => deleteOldAnswers(ctx.store, now, limit))

  if (mayDestroy(ctx, 'expired sign-ins'))
    for (const table of expiring)
      await inPortions(ctx.store, portion, limit =>
        deleteExpired(ctx.store, table, now.toISOString(), limit),
      )

  await removeExpiredUploads(ctx)
  await removeLostUploads(ctx)

  const today = now.toISOString().slice(0, 10)
  if (mayDestroy(ctx, 'digests of readers'))
    await inPortions(ctx.store, portion, limit => deleteFeedbackReaders(ctx.store, today, limit))

  const before = new Date(now.getTime() - keptDays * day).toISOString()
  if (mayDestroy(ctx, 'webhook deliveries'))
    await inPortions(ctx.store, portion, limit => deleteDeliveriesBefore(ctx.store, before, limit))

  const longAgo = new Date(now.getTime() - keptEventDays * day).toISOString().slice(0, 10)
  if (mayDestroy(ctx, 'events of sites'))
    await inPortions(ctx.store, portion, limit => deleteSiteEventsBefore(ctx.store, longAgo, limit))

  if (mayDestroy(ctx, 'import runs'))
    await inPortions(ctx.store, portion, limit => deleteImportRunsBefore(ctx.store, before, limit))

  for (const { id } of listAllSpaces(ctx.store)) {
    // A damaged repository must not stop the others from being processed.
    const ended = await endKilledUpkeep(spaceRepository(ctx, id)).catch(() => false)
    if (ended)
      ctx.log.warn({ space: id }, 'upkeep was killed: objects of the space are precious again')
  }

  for (const organization of listSpecsOrganizations(ctx)) {
    const ended = await endKilledUpkeep(specsRepository(ctx, organization)).catch(() => false)
    if (ended)
      ctx.log.warn({ organization }, 'upkeep was killed: objects of specs are precious again')
  }

  await foldPacks(ctx, { signal })
  await mendCounts(ctx)
  await removeDerivedOrphans(ctx)

  for (const { failure, before, after, ...whose } of await collectGarbage(ctx, {
    needed: true,
    signal,
  }))
    if (failure) ctx.log.warn({ ...whose, err: failure }, 'a repository cannot be packed')
    else ctx.log.info({ ...whose, before, after }, 'a repository was packed')

  signal.throwIfAborted()
  enqueue(
    ctx.store,
    { kind: 'tidy', payload: {}, lane: 'tidy', key: 'tidy', runAt: now.getTime() + day },
    now,
  )
}
