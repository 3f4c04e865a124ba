import { describeVersion } from '../../content/openapi/describe.ts'
import type { Context } from '../../context.ts'
import { pauses } from '../../lib/slices.ts'
import { inPortions } from '../../store/in-portions.ts'
import {
  deleteOutline,
  deleteSomePieces,
  listOutlined,
  putOutline,
  putPieces,
} from '../../store/openapi/versions.ts'

/** How many bytes of pieces go in one transaction, while nobody else is served. */
const batchBytes = 128 * 1024
/** How many pieces are forgotten in one. */
const batchRows = 200

/** What was derived from a version: an outline as JSON (null: there is none), and a line of JSON for each piece. */
export type Derived = { outline: string | null; pieces: Uint8Array }

/**
 * Keeps what was derived from a version, a little at a time, the outline last: where it is, all of it is. What was kept
 * of it before is forgotten.
 */
export async function keepDescription(
  ctx: Context,
  { specId, versionId }: { specId: string; versionId: string },
  { outline, pieces }: Derived,
): Promise<void> {
  await forgetDescription(ctx, { specId, versionId })
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
    ctx.store.transactUnsynced(() => putPieces(ctx.store, versionId, batch))
    await pause()
  }
  ctx.store.transactUnsynced(() =>
    putOutline(ctx.store, { version_id: versionId, spec_id: specId, describer: describeVersion, outline }),
  )
}

/** Says that there may be pieces of a version, and that they are not all there. */
const begin = (ctx: Context, { specId, versionId }: { specId: string; versionId: string }): void =>
  ctx.store.transactUnsynced(() => {
    putOutline(ctx.store, { version_id: versionId, spec_id: specId, describer: 0, outline: null })
  })

/** Forgets what was derived from a version, a little at a time. */
async function forgetDescription(
  ctx: Context,
  version: { specId: string; versionId: string },
): Promise<void> {
  begin(ctx, version)
  const { store } = ctx
  const { versionId } = version
  await inPortions(store, batchRows, limit => deleteSomePieces(store, versionId, limit))
  store.transactUnsynced(() => deleteOutline(store, versionId))
}

/** Forgets what was derived from the versions of a description, except these. */
export async function forgetOthers(ctx: Context, specId: string, except: readonly string[]): Promise<void> {
  for (const versionId of listOutlined(ctx.store, specId))
    if (!except.includes(versionId)) await forgetDescription(ctx, { specId, versionId })
}
