import { describeVersion } from '../../content/openapi/describe.ts'
import type { Context } from '../../context.ts'
import type { Oid } from '../../lib/oid.ts'
import { pauses } from '../../lib/slices.ts'
import { inPortions } from '../../store/in-portions.ts'
import {
  deleteOutline,
  deleteSomePieces,
  hasOutline,
  listOutlined,
  listOutlineOrphans,
  putOutline,
  putPieces,
} from '../../store/openapi/versions.ts'

/** The bytes of pieces per transaction. A transaction blocks the event loop. */
const batchBytes = 128 * 1024
/** The pieces that are deleted per transaction. */
const batchRows = 200

/**
 * The data derived from a version: an outline as JSON (null if it cannot be read), and a line of
 * JSON per piece.
 */
type Derived = { outline: string | null; pieces: Uint8Array }

/**
 * Stores the data derived from a version, in small transactions. The outline is written last, after
 * all pieces. Replaces what was stored before. Returns whether the data was kept: when it is deleted
 * meanwhile, as by a purge, it stays deleted.
 */
export async function keepDerived(
  ctx: Context,
  { specId, versionId }: { specId: string; versionId: Oid },
  { outline, pieces }: Derived,
): Promise<boolean> {
  await forgetDerived(ctx, { specId, versionId })
  begin(ctx, { specId, versionId })
  const bytes = Buffer.from(pieces.buffer, pieces.byteOffset, pieces.byteLength)
  const pause = pauses()

  for (let at = 0; at < bytes.length; ) {
    const batch: [string, string][] = []
    for (const start = at; at < bytes.length && at - start < batchBytes; ) {
      const end = bytes.indexOf(0x0a, at)
      batch.push(JSON.parse(bytes.toString('utf8', at, end)) as [string, string])
      at = end + 1
    }
    ctx.store.transact(() => putPieces(ctx.store, versionId, batch))
    await pause()
  }

  const isKept = ctx.store.transact(() => {
    if (!hasOutline(ctx.store, versionId, begun)) return false
    putOutline(ctx.store, {
      version_id: versionId,
      spec_id: specId,
      describer: describeVersion,
      outline,
    })
    return true
  })
  if (!isKept) await forgetDerived(ctx, { specId, versionId })

  return isKept
}

/** The describer of a version that is incomplete. */
const begun = 0

/** Marks a version as incomplete: there may be some of its pieces. */
const begin = (ctx: Context, { specId, versionId }: { specId: string; versionId: Oid }): void =>
  ctx.store.transact(() => {
    putOutline(ctx.store, {
      version_id: versionId,
      spec_id: specId,
      describer: begun,
      outline: null,
    })
  })

/** Deletes the data derived from a version, in small transactions. */
async function forgetDerived(
  ctx: Context,
  version: { specId: string; versionId: Oid },
): Promise<void> {
  begin(ctx, version)
  const { store } = ctx
  const { versionId } = version
  await inPortions(store, batchRows, limit => deleteSomePieces(store, versionId, limit))
  store.transact(() => deleteOutline(store, versionId))
}

/** Deletes the data derived from the versions of a spec, except the given ones. */
export async function forgetOtherVersions(
  ctx: Context,
  specId: string,
  except: readonly string[],
): Promise<void> {
  for (const versionId of listOutlined(ctx.store, specId))
    if (!except.includes(versionId)) await forgetDerived(ctx, { specId, versionId })
}

/**
 * Deletes the data derived from specs that no longer exist: a power cut may take their deletion
 * from derived.db alone.
 */
export async function forgetDeletedSpecs(ctx: Context): Promise<void> {
  for (const specId of listOutlineOrphans(ctx.store)) await forgetOtherVersions(ctx, specId, [])
}
