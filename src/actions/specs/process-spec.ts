import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { describeVersion } from '../../content/openapi/describe.ts'
import type { DescriptionProblem } from '../../content/openapi/files.ts'
import type { Context } from '../../context.ts'
import { crashPoint } from '../../lib/crash-points.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { cancelJob } from '../../store/events/jobs.ts'
import { countAttempt, countSources, deleteSource, nextSource } from '../../store/openapi/sources.ts'
import { findSpec, updateSpec } from '../../store/openapi/specs.ts'
import { findOutline, insertVersion } from '../../store/openapi/versions.ts'
import { findUser } from '../../store/people/users.ts'
import type { Store } from '../../store/store.ts'
import type { OpenapiSourceRow, OpenapiSpecRow } from '../../store/tables/rows.ts'
import { recordEvent } from '../events/record-event.ts'
import { outgoingRoute } from '../outgoing-route.ts'
import { type Gathered, gatherFrom, gatherText, type Unread } from './gather-spec.ts'
import { forgetOthers, keepDescription } from './keep-spec.ts'
import { unknownVersions, writeDescription } from './write-spec.ts'

/** How long a source that could not be fetched waits for another try, in milliseconds. */
const waits = [5_000, 30_000] as const
/** A source that could not be read to the end so often, for whatever reason, is given up: one time less than the worker does. */
const mostStarts = 4

/** Makes the job that reads what waits to be read of a description. Inside the transaction that writes it down. */
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
 * Reads the source of a description that has waited longest; when it holds a description which is not the latest version
 * already it becomes one. What a source leads to is a state of the description; the last good version stays. The next
 * source has a job of its own. May run again after it was ended anywhere. Throws when the signal says stop.
 */
export async function processOpenapi(
  ctx: Context,
  specId: string,
  { signal, attempt }: { signal: AbortSignal; attempt: number },
): Promise<void> {
  signal.throwIfAborted()
  const spec = findSpec(ctx.store, specId)
  const source = spec && nextSource(ctx.store, specId)
  if (!spec || !source) return
  ctx.store.transact(() => updateSpec(ctx.store, specId, { state: 'progress' }))
  const read = attempt > mostStarts ? hopeless : await gather(ctx, spec, source, signal)
  if ('code' in read) note(ctx, spec, source, read)
  else await keep(ctx, spec, source, read)
}

const hopeless: Unread = {
  code: 'PARSE_ERROR',
  message: 'The server could not finish reading this, several times. Ask its operator to look at the log.',
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

/** What went wrong; another try, where that may help and nothing newer waits. */
function note(
  ctx: Context,
  spec: OpenapiSpecRow,
  source: OpenapiSourceRow,
  { code, message, again }: Unread,
): void {
  ctx.store.transact(() => {
    const wait = again && countSources(ctx.store, spec.id) === 1 ? waits[source.attempts] : undefined
    const set = { error_code: code, errors: JSON.stringify([{ message, code }]) }
    if (wait === undefined) return end(ctx, spec, source, set)
    const now = ctx.now()
    countAttempt(ctx.store, source.seq, source.attempts + 1)
    updateSpec(ctx.store, spec.id, { ...set, state: 'pending', last_processed_at: now.toISOString() })
    queueProcessing(ctx.store, spec.id, now, wait)
  })
}

/** Objects first, then the branch, then what is derived, then the rows: each step can be done again. */
async function keep(
  ctx: Context,
  spec: OpenapiSpecRow,
  source: OpenapiSourceRow,
  read: Gathered,
): Promise<void> {
  const by = source.created_by === null ? undefined : findUser(ctx.store, source.created_by)
  const versionId = await writeDescription(ctx, spec, read, by)
  // Files that came again are described already, and somebody may be reading that.
  await ctx.locks.run(`describe ${versionId}`, async () => {
    if (!findOutline(ctx.store, versionId, describeVersion)?.outline)
      await keepDescription(ctx, { specId: spec.id, versionId }, read)
  })
  const versions = await unknownVersions(ctx, spec)
  ctx.store.transact(() => {
    if (!findSpec(ctx.store, spec.id)) return
    for (const version of versions) insertVersion(ctx.store, version)
    end(ctx, spec, source, {
      last_version: versionId,
      error_code: null,
      errors: JSON.stringify(read.problems satisfies DescriptionProblem[]),
    })
  })
  crashPoint('W6')
  // Whoever still reads what the version before says finds it.
  await forgetOthers(ctx, spec.id, [versionId, spec.last_version ?? versionId])
}

/** The source was read, whatever came of it; the next one has its own tries. Inside a transaction. */
function end(
  ctx: Context,
  spec: OpenapiSpecRow,
  source: OpenapiSourceRow,
  set: Pick<Parameters<typeof updateSpec>[2], 'last_version' | 'error_code' | 'errors'>,
): void {
  // It was deleted meanwhile.
  if (deleteSource(ctx.store, source.seq) === 0) return
  const now = ctx.now()
  const at = now.toISOString()
  const isLast = countSources(ctx.store, spec.id) === 0
  if (!isLast) queueProcessing(ctx.store, spec.id, now)
  const state = isLast ? 'complete' : 'pending'
  updateSpec(ctx.store, spec.id, { ...set, state, last_processed_at: at, updated_at: at })
  recordEvent(ctx.store, {
    action: 'openapi_spec.processed',
    organizationId: spec.organization_id,
    userId: source.created_by,
    origin: null,
    target: { kind: 'openapi-spec', id: spec.id },
    details: {
      slug: spec.slug,
      ...(set.error_code ? { error: set.error_code } : { version: set.last_version }),
    },
    at,
  })
}
