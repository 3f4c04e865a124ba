import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { describeVersion } from '../../content/openapi/describe.ts'
import type { Context } from '../../context.ts'
import { crashPoint } from '../../lib/crash-points.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { cancelJob } from '../../store/events/jobs.ts'
import {
  countAttempt,
  countSources,
  deleteSource,
  nextSource,
} from '../../store/openapi/sources.ts'
import { findSpec, updateSpec } from '../../store/openapi/specs.ts'
import { findOutline, insertVersion } from '../../store/openapi/versions.ts'
import { findUser } from '../../store/people/users.ts'
import type { Store } from '../../store/store.ts'
import type { OpenapiSourceRow, OpenapiSpecRow } from '../../store/tables/rows.ts'
import { outgoingRoute } from '../outgoing-route.ts'
import { type Gathered, gatherFrom, gatherText, type Unread } from './gather-spec.ts'
import { forgetOtherVersions, keepDerived } from './keep-spec.ts'
import { recordOnSpec } from './record-on-spec.ts'
import { unknownVersions, writeSpec } from './write-spec.ts'

/** The delays before a source that could not be fetched is tried again, in milliseconds. */
const waits = [5_000, 30_000] as const
/** A source is abandoned after this many unfinished attempts: one less than the worker makes. */
const mostStarts = 4

/**
 * Queues the job that reads the next source of a spec. Call inside the transaction that adds the
 * source.
 */
export function queueProcessing(store: Store, specId: string, now: Date, waitMs = 0): void {
  cancelJob(store, 'process-openapi', specId)
  const organizationId = findSpec(store, specId)?.organization_id
  enqueue(
    store,
    {
      kind: 'process-openapi',
      payload: { specId },
      lane: `openapi ${specId}`,
      key: specId,
      userId: nextSource(store, specId)?.created_by ?? null,
      ...(organizationId !== undefined && { organizationId }),
      ...(waitMs > 0 && { runAt: now.getTime() + waitMs }),
    },
    now,
  )
}

/**
 * Reads the oldest waiting source of a spec, and stores it as a new version unless it equals the
 * latest one. The outcome is stored in the spec's state; after an error the last good version
 * stays. The next source gets its own job. Safe to run again after a stop at any point. Throws when
 * the signal is aborted.
 */
export async function processSpec(
  ctx: Context,
  specId: string,
  { signal, attempt }: { signal: AbortSignal; attempt: number },
): Promise<void> {
  signal.throwIfAborted()
  const spec = findSpec(ctx.store, specId)
  const source = spec && nextSource(ctx.store, specId)
  if (!spec || !source) return
  ctx.store.transact(() => updateSpec(ctx.store, specId, { state: 'progress' }))
  const read = attempt > mostStarts ? abandoned : await gather(ctx, spec, source, signal)
  if ('code' in read) recordFailure(ctx, spec, source, read)
  else await keep(ctx, spec, source, read)
}

const abandoned: Unread = {
  code: 'PARSE_ERROR',
  message:
    'The server repeatedly failed to finish reading this. Ask the operator to check the log.',
  again: false,
}

async function gather(
  ctx: Context,
  { organization_id: organization }: OpenapiSpecRow,
  { url, packed, created_by: user }: OpenapiSourceRow,
  signal: AbortSignal,
): Promise<Gathered | Unread> {
  const share = user === null ? { organization } : { user }
  if (url !== null) return gatherFrom(ctx, url, outgoingRoute(ctx, share), signal)
  return gatherText(ctx, await promisify(gunzip)(packed ?? Buffer.alloc(0)), signal)
}

/** Records an error, and queues another attempt if that may help and no newer source waits. */
function recordFailure(
  ctx: Context,
  spec: OpenapiSpecRow,
  source: OpenapiSourceRow,
  { code, message, again }: Unread,
): void {
  ctx.store.transact(() => {
    const wait =
      again && countSources(ctx.store, spec.id) === 1 ? waits[source.attempts] : undefined
    const set = { error_code: code, errors: [{ message, code }] }
    if (wait === undefined) return end(ctx, spec, source, set)

    const now = ctx.now()

    countAttempt(ctx.store, source.seq, source.attempts + 1)
    updateSpec(ctx.store, spec.id, {
      ...set,
      state: 'pending',
      last_processed_at: now.toISOString(),
    })
    queueProcessing(ctx.store, spec.id, now, wait)
  })
}

/**
 * Writes the objects, then the branch, then the derived data, then the rows. Each step can be
 * repeated.
 */
async function keep(
  ctx: Context,
  spec: OpenapiSpecRow,
  source: OpenapiSourceRow,
  read: Gathered,
): Promise<void> {
  const by = source.created_by === null ? undefined : findUser(ctx.store, source.created_by)
  const versionId = await writeSpec(ctx, spec, read, by)

  // Unchanged files are described already, and requests may be reading the pieces.
  await ctx.locks.run(`describe ${versionId}`, async () => {
    if (!findOutline(ctx.store, versionId, describeVersion)?.outline)
      await keepDerived(ctx, { specId: spec.id, versionId }, read)
  })
  const versions = await unknownVersions(ctx, spec)

  ctx.store.transact(() => {
    if (!findSpec(ctx.store, spec.id)) return
    for (const version of versions) insertVersion(ctx.store, version)
    end(ctx, spec, source, {
      last_version: versionId,
      error_code: null,
      errors: read.problems,
    })
  })
  crashPoint('W6')

  // Requests may still be reading the previous version.
  await forgetOtherVersions(ctx, spec.id, [versionId, spec.last_version ?? versionId])
}

/** Removes a source that was read or failed, and queues the next one. Call inside a transaction. */
function end(
  ctx: Context,
  spec: OpenapiSpecRow,
  source: OpenapiSourceRow,
  set: Pick<Parameters<typeof updateSpec>[2], 'last_version' | 'error_code' | 'errors'>,
): void {
  // The spec was deleted in the meantime.
  if (deleteSource(ctx.store, source.seq) === 0) return
  const now = ctx.now()
  const at = now.toISOString()
  const isLast = countSources(ctx.store, spec.id) === 0
  if (!isLast) queueProcessing(ctx.store, spec.id, now)

  const state = isLast ? 'complete' : 'pending'

  updateSpec(ctx.store, spec.id, { ...set, state, last_processed_at: at, updated_at: at })
  const details = set.error_code ? { error: set.error_code } : { version: set.last_version }
  recordOnSpec(
    ctx,
    spec,
    'openapi_spec.processed',
    { userId: source.created_by, origin: null },
    details,
  )
}
