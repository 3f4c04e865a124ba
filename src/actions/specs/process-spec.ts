import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { describeVersion } from '../../content/openapi/describe.ts'
import type { Context } from '../../context.ts'
import type { Oid } from '../../lib/oid.ts'
import { queueProcessing } from '../../queue/specs.ts'
import { countAttempt, countSources, nextSource } from '../../store/openapi/sources.ts'
import { findSpec, updateSpec } from '../../store/openapi/specs.ts'
import { findOutline } from '../../store/openapi/versions.ts'
import { findUser } from '../../store/people/users.ts'
import type { OpenapiSourceRow, OpenapiSpecRow } from '../../store/tables/rows.ts'
import { againIfMoved } from '../journal/again-if-moved.ts'
import { endSource } from '../journal/end-spec-source.ts'
import { forgetOtherVersions, keepDerived } from '../made-files/spec-rows.ts'
import { outgoingRoute } from '../outgoing-route.ts'
import { type Gathered, gatherFrom, gatherText, type Unread } from './gather-spec.ts'
import { publishVersion, writeSpec } from './write-spec.ts'

/** The delays before a source that could not be fetched is tried again, in milliseconds. */
const waits = [5_000, 30_000] as const
/** A source is abandoned after this many unfinished attempts: one less than the worker makes. */
const mostStarts = 4

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
    const now = ctx.now()
    if (wait === undefined)
      return endSource(ctx.store, {
        specId: spec.id,
        source: source.seq,
        userId: source.created_by,
        set,
        at: now.toISOString(),
      })

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
 * Writes the objects, then the derived data, then publishes the branch with the rows. Each step can
 * be repeated.
 */
async function keep(
  ctx: Context,
  spec: OpenapiSpecRow,
  source: OpenapiSourceRow,
  read: Gathered,
): Promise<void> {
  const by = source.created_by === null ? undefined : findUser(ctx.store, source.created_by)
  const versionId = await againIfMoved(async () => {
    const written = await writeSpec(ctx, spec, read, by)
    await describe(ctx, spec, written.version, read)
    await publishVersion(ctx, spec, { ...written, source, errors: read.problems })
    return written.version
  })

  // Requests may still be reading the previous version.
  await forgetOtherVersions(ctx, spec.id, [versionId, spec.last_version ?? versionId])
}

/**
 * Stores the data derived from a version, unless unchanged files are described already: requests
 * may be reading the pieces.
 */
const describe = (
  ctx: Context,
  { id: specId }: OpenapiSpecRow,
  versionId: Oid,
  read: Gathered,
): Promise<void> =>
  ctx.locks.run(`describe ${versionId}`, async () => {
    if (!findOutline(ctx.store, versionId, describeVersion)?.outline)
      await keepDerived(ctx, { specId, versionId }, read)
  })
