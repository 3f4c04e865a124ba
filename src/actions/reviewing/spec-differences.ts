import type { Context } from '../../context.ts'
import type { Oid } from '../../lib/oid.ts'
import { findPiece, listPieceDifferences } from '../../store/openapi/versions.ts'
import { fileSpec } from '../specs/file-specs.ts'
import type { FilesOfSpace, SpecFileNode } from '../specs/kept-file-specs.ts'

/** An operation, webhook or schema in which two versions of a spec differ, by the key of its piece. */
export type SpecDifference = {
  key: string
  mark: 'new' | 'changed' | 'removed'
  /** What readers are shown of a changed one, as Markdown. */
  texts: { before: string; after: string } | undefined
}

/** In what two versions of a spec differ, or why one of them cannot be read. */
export type SpecDifferences =
  | { rows: readonly SpecDifference[]; more: boolean }
  | { why: string; version: 'before' | 'after' }

/** A version of a spec: its file, and the other files that it may refer to. */
type SpecVersion = { place: FilesOfSpace; file: SpecFileNode }

/** The most differences that are listed, and the most characters of their texts together. */
const mostListed = 500
const mostCharacters = 300_000

/** The kinds of pieces that are compared: calls are written from the same operations. */
const compared = ['operation', 'webhook', 'schema', 'info']

/**
 * Returns in which operations, webhooks and schemas two versions of a spec differ as readers are
 * shown them, so that an operation differs where a schema differs that it uses. Without a version,
 * all of the other one. Takes seconds for a large spec that was not read yet.
 */
export async function specDifferences(
  ctx: Context,
  versions: { before: SpecVersion | undefined; after: SpecVersion | undefined },
  signal: AbortSignal,
): Promise<SpecDifferences> {
  const ids: { before: Oid | null; after: Oid | null } = { before: null, after: null }
  for (const version of ['before', 'after'] as const) {
    const given = versions[version]
    if (!given) continue
    const read = await fileSpec(ctx, given.place, given.file, signal)
    if ('why' in read) return { why: read.why, version }
    ids[version] = read.versionId
  }

  const { store } = ctx
  const found = listPieceDifferences(store, ids, compared, mostListed + 1)
  let left = mostCharacters
  const textsOf = (key: string): SpecDifference['texts'] => {
    if (left <= 0 || !ids.before || !ids.after) return undefined
    const before = findPiece(store, ids.before, key) ?? ''
    const after = findPiece(store, ids.after, key) ?? ''
    left -= before.length + after.length
    return left < 0 ? undefined : { before, after }
  }

  return {
    rows: found.slice(0, mostListed).map(({ key, mark }) => ({
      ...{ key, mark },
      texts: mark === 'changed' ? textsOf(key) : undefined,
    })),
    more: found.length > mostListed,
  }
}
