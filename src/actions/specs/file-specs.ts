import { stateSlot } from '../../caches.ts'
import { firstOf, targetPaths } from '../../content/links/target-paths.ts'
import { describeVersion } from '../../content/openapi/describe.ts'
import type { ContentTree } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import { objectInfo, readBlob, unreadable } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { isGitError } from '../../git/values/errors.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { sha256 } from '../../lib/digest.ts'
import { asOid, type Oid } from '../../lib/oid.ts'
import { FetchError } from '../../net/fetch-error.ts'
import { saysCannotWrite } from '../../store/note.ts'
import { findOutline, listOutlined, specOfFiles } from '../../store/openapi/versions.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { gatherWith, mostSpecBytes, type Unread } from './gather-spec.ts'
import { forgetOtherVersions, keepDerived } from './keep-spec.ts'

/** The files of a space in a revision. */
export type FilesOfSpace = { spaceId: string; content: ContentTree }

/** A spec in a file of a space: the id under which its pieces are kept, or why it has none. */
export type FileSpec = { versionId: Oid } | { why: string }

type SpecFileNode = { path: string; oid: Oid }

/** What is kept of a spec beside its pieces: the other files it refers to, and why it is not read. */
type Kept = { files: [path: string, oid: Oid | null][]; why?: string }

/** The most specs in files of one space whose pieces are kept. */
const mostKept = 100

/** An address that stands for the root of a space. Nothing is fetched from it. */
const root = 'https://space.invalid/'

/** Returns the file that a target in a file of the space names; undefined if there is none. */
export const fileAt = (
  { content }: Pick<FilesOfSpace, 'content'>,
  from: string | undefined,
  target: string,
): SpecFileNode | undefined =>
  firstOf(targetPaths(content.config.root)(from, target).paths, content.fileByPath)

/**
 * Returns the spec in a file of a revision, which may refer to other files of it. Reads it if its
 * pieces are missing or outdated, which takes seconds for a large spec.
 */
export async function fileSpec(
  ctx: Context,
  place: FilesOfSpace,
  file: SpecFileNode,
): Promise<FileSpec> {
  const versionId = idOf(place.spaceId, file)
  return (
    kept(ctx, place, versionId) ??
    (await ctx.locks.run(
      `describe ${versionId}`,
      async () => kept(ctx, place, versionId) ?? (await read(ctx, place, file, versionId)),
    ))
  )
}

const idOf = (spaceId: string, { path, oid }: SpecFileNode): Oid =>
  asOid(sha256(JSON.stringify([spaceId, path, oid])).slice(0, 40))

/** Returns a spec that was read before, unless files that it refers to have changed since. */
function kept(ctx: Context, { content }: FilesOfSpace, versionId: Oid): FileSpec | undefined {
  const json = findOutline(ctx.store, versionId, describeVersion)?.outline
  if (!json) return recentlyUnread(ctx, versionId)
  const { files, why } = JSON.parse(json) as Kept
  if (files.some(([path, oid]) => (content.fileByPath.get(path)?.oid ?? null) !== oid))
    return undefined
  return why === undefined ? { versionId } : { why }
}

/** Specs that could not be read for a reason that may pass. */
const unread = stateSlot(() => new BoundedCache<string, { why: string; at: number }>(1_000))
/** How long such a spec is not read again. */
const pauseMs = 10 * 60_000

function recentlyUnread(ctx: Context, versionId: Oid): FileSpec | undefined {
  const found = ctx.caches.get(unread).get(versionId)
  return found && ctx.now().getTime() - found.at < pauseMs ? { why: found.why } : undefined
}

async function read(
  ctx: Context,
  place: FilesOfSpace,
  file: SpecFileNode,
  versionId: Oid,
): Promise<FileSpec> {
  try {
    const found = await gather(ctx, place, file)
    const why = 'code' in found ? found.message : undefined
    if ('unfinished' in found) return giveUp(ctx, versionId, found.message)

    const specId = specOfFiles(place.spaceId)
    const outline: Kept = { files: found.others, ...(why !== undefined && { why }) }
    const pieces = 'code' in found ? new Uint8Array() : found.pieces
    await keepDerived(ctx, { specId, versionId }, { outline: JSON.stringify(outline), pieces })

    if (listOutlined(ctx.store, specId).length > mostKept)
      await forgetOtherVersions(ctx, specId, [versionId])
    return why === undefined ? { versionId } : { why }
  } catch (error) {
    // A damaged repository or a full disk must not break pages.
    if (!isGitError(error) && !saysCannotWrite(error)) throw error
    ctx.log.error({ space: place.spaceId, err: String(error) }, 'a file with a spec cannot be read')
    return giveUp(ctx, versionId, 'It cannot be read now.')
  }
}

function giveUp(ctx: Context, versionId: Oid, why: string): FileSpec {
  ctx.caches.get(unread).set(versionId, { why, at: ctx.now().getTime() }, 1)
  return { why }
}

type GatheredFile = ({ pieces: Uint8Array } | Unread) & { others: Kept['files'] }

async function gather(
  ctx: Context,
  { spaceId, content }: FilesOfSpace,
  { path, oid }: SpecFileNode,
): Promise<GatheredFile> {
  const repo = spaceRepository(ctx, spaceId)
  const others: Kept['files'] = []
  const budget = { left: mostSpecBytes }

  const fetch = async (address: string) => {
    const wanted = pathOf(address)
    const other = content.fileByPath.get(wanted)
    others.push([wanted, other?.oid ?? null])
    if (!other) throw new FetchError('The file does not exist.')
    return { bytes: await bytesOf(repo, other.oid, budget), url: address }
  }

  try {
    const address = root + path.split('/').map(encodeURIComponent).join('/')
    const entry = { address, bytes: await bytesOf(repo, oid, budget) }
    return { ...(await gatherWith(ctx, entry, fetch, new AbortController().signal)), others }
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    return { code: 'PARSE_ERROR', message: error.message, again: false, others }
  }
}

/** Returns the path that an address below the root stands for; a "%" may stand for itself. */
function pathOf(address: string): string {
  const path = new URL(address).pathname.slice(1)
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Returns the bytes of a file, within what is left of a budget for all files of a spec. */
async function bytesOf(repo: Repository, oid: Oid, budget: { left: number }): Promise<Buffer> {
  const size = (await objectInfo(repo, [oid])).get(oid)?.size ?? 0
  if (size > budget.left)
    throw new FetchError('The files of the spec have more than 10 MB together.')
  budget.left -= size
  const bytes = await readBlob(repo, oid)
  if (!bytes) throw unreadable(oid)
  return bytes
}
