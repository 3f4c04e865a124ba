import { stateSlot } from '../../caches.ts'
import { describeVersion } from '../../content/openapi/describe.ts'
import type { ContentTree } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { sha256 } from '../../lib/digest.ts'
import { asOid, type Oid } from '../../lib/oid.ts'
import {
  findOutline,
  hasOutline,
  listOutlined,
  putOutline,
  specOfFiles,
} from '../../store/openapi/versions.ts'
import { forgetOtherVersions, keepDerived } from '../made-files/spec-rows.ts'

/** The files of a space in a revision. */
export type FilesOfSpace = { spaceId: string; content: ContentTree }

export type SpecFileNode = { path: string; oid: Oid }

/**
 * A spec in a file of a space: the id under which its pieces are kept, or why it has none. With
 * `passes`, a later attempt may succeed.
 */
export type FileSpec = { versionId: Oid } | { why: string; passes?: true }

/** The other files that a spec refers to, as they were when it was read. */
type OtherFiles = ReadonlyMap<string, Oid | null>

/** A spec as it was read together with certain other files. */
type Reading = { files: [path: string, oid: Oid | null][] } & FileSpec

/** The most readings of one file that are kept: revisions may differ in the other files. */
const mostReadings = 8
/** The most rows per space: one for each file with a spec, and one for each reading with pieces. */
const mostRows = 200

/** When the rows were last used, by their ids, in milliseconds since 1970. */
const usedAt = stateSlot(() => new BoundedCache<string, number>(10_000))

/** Readings that failed for a reason that may pass, by the id of the file. */
const failures = stateSlot(() => new BoundedCache<string, (Reading & { at: number })[]>(1_000))
/** How long such a file is not read again while the other files stay the same. */
const pauseMs = 10 * 60_000

/** Returns the id of a file with a spec. Its row lists the readings. */
export const idOfFile = (spaceId: string, { path, oid }: SpecFileNode): Oid =>
  idOf([spaceId, path, oid])

const idOf = (parts: readonly unknown[]): Oid => asOid(sha256(JSON.stringify(parts)).slice(0, 40))

/** Returns the spec as it was read with the other files of this revision; undefined if it was not. */
export function findReading(
  ctx: Context,
  { content }: FilesOfSpace,
  fileId: Oid,
): FileSpec | undefined {
  const isOfRevision = ({ files }: Reading) =>
    files.every(([path, oid]) => (content.fileByPath.get(path)?.oid ?? null) === oid)
  const isThere = (reading: Reading) =>
    'why' in reading || hasOutline(ctx.store, reading.versionId, describeVersion)

  const since = ctx.now().getTime() - pauseMs
  const failed = ctx.caches.get(failures).get(fileId) ?? []
  const found =
    readingsOf(ctx, fileId)?.find(each => isOfRevision(each) && isThere(each)) ??
    failed.find(each => each.at > since && isOfRevision(each))
  if (found === undefined) return undefined
  if ('why' in found) return { why: found.why, ...(found.passes && { passes: true }) }

  use(ctx, [fileId, found.versionId])

  return { versionId: found.versionId }
}

function readingsOf(ctx: Context, fileId: Oid): Reading[] | undefined {
  const json = findOutline(ctx.store, fileId, describeVersion)?.outline
  return json ? ((JSON.parse(json) as { readings?: Reading[] }).readings ?? []) : undefined
}

function use(ctx: Context, ids: readonly Oid[]): void {
  const used = ctx.caches.get(usedAt)
  for (const id of ids) used.set(id, ctx.now().getTime(), 1)
}

/**
 * Makes the row of a file whose spec is about to be read. When it is gone afterwards, the file was
 * purged or its space deleted, and nothing is kept.
 */
export function beginReading(ctx: Context, spaceId: string, fileId: Oid): void {
  use(ctx, [fileId])
  ctx.store.transact(() => putReadings(ctx, spaceId, fileId, readingsOf(ctx, fileId) ?? []))
}

const putReadings = (ctx: Context, spaceId: string, fileId: Oid, readings: Reading[]) =>
  putOutline(ctx.store, {
    version_id: fileId,
    spec_id: specOfFiles(spaceId),
    describer: describeVersion,
    outline: JSON.stringify({ readings }),
  })

/**
 * Keeps what was read. The pieces have an id of their own for each state of the other files, so that
 * they never change while a request reads them. Returns undefined if the file was purged meanwhile.
 */
export async function keepReading(
  ctx: Context,
  spaceId: string,
  fileId: Oid,
  { others, ...found }: { others: OtherFiles } & ({ pieces: Uint8Array } | { why: string }),
): Promise<FileSpec | undefined> {
  const files = filesOf(others)
  const specId = specOfFiles(spaceId)
  const versionId = idOf([fileId, files])
  const spec = 'why' in found ? { why: found.why } : { versionId }
  if (!readingsOf(ctx, fileId)) return undefined

  use(ctx, [fileId, versionId])
  if ('pieces' in found && !hasOutline(ctx.store, versionId, describeVersion)) {
    const derived = { outline: '{}', pieces: found.pieces }
    if (!(await keepDerived(ctx, { specId, versionId }, derived))) return undefined
  }

  const isKept = ctx.store.transact(() => {
    const before = readingsOf(ctx, fileId)
    if (!before) return false
    const rest = before.filter(each => JSON.stringify(each.files) !== JSON.stringify(files))
    putReadings(ctx, spaceId, fileId, [{ files, ...spec }, ...rest].slice(0, mostReadings))
    return true
  })
  await forgetUnused(ctx, specId, isKept ? undefined : versionId)

  return isKept ? spec : undefined
}

const filesOf = (others: OtherFiles): Reading['files'] =>
  [...others].sort(([a], [b]) => (a < b ? -1 : 1))

/** Deletes a row, and those that were unused for longest beyond the most rows of a space. */
async function forgetUnused(ctx: Context, specId: string, gone: Oid | undefined): Promise<void> {
  const used = ctx.caches.get(usedAt)
  const rows = listOutlined(ctx.store, specId)
  if (rows.length <= mostRows && gone === undefined) return
  const newest = rows
    .filter(id => id !== gone)
    .map(id => ({ id, at: used.get(id) ?? 0 }))
    .sort((a, b) => b.at - a.at)
    .map(({ id }) => id)
  await forgetOtherVersions(ctx, specId, newest.slice(0, mostRows))
}

/** Remembers for some minutes that a file could not be read together with these other files. */
export function rememberFailure(
  ctx: Context,
  fileId: Oid,
  others: OtherFiles,
  why: string,
): FileSpec {
  const cache = ctx.caches.get(failures)
  const spec = { why, passes: true } as const
  const reading = { files: filesOf(others), ...spec, at: ctx.now().getTime() }
  cache.set(fileId, [reading, ...(cache.get(fileId) ?? [])].slice(0, mostReadings), 1)
  return spec
}
