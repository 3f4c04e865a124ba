import { firstOf, targetPaths } from '../../content/links/target-paths.ts'
import type { Context } from '../../context.ts'
import { objectInfo, readBlob, unreadable } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { FetchError } from '../../net/fetch-error.ts'
import { saysCannotWrite } from '../../store/note.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { gatherWith, mostSpecBytes, type Unread } from './gather-spec.ts'
import {
  beginReading,
  type FileSpec,
  type FilesOfSpace,
  findReading,
  idOfFile,
  keepReading,
  rememberFailure,
  type SpecFileNode,
} from './kept-file-specs.ts'

/** The most files whose specs are shown in one text: a page, or a piece of reusable content. */
export const mostSpecsOfText = 20

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
 * pieces are missing or outdated, which takes seconds for a large spec. Throws the reason of
 * `signal` when aborted.
 */
export async function fileSpec(
  ctx: Context,
  place: FilesOfSpace,
  file: SpecFileNode,
  signal: AbortSignal = never,
): Promise<FileSpec> {
  const fileId = idOfFile(place.spaceId, file)
  return (
    findReading(ctx, place, fileId) ??
    (await ctx.locks.run(`describe ${fileId}`, async () => {
      signal.throwIfAborted()
      return findReading(ctx, place, fileId) ?? (await read(ctx, place, file, signal))
    }))
  )
}

const never = new AbortController().signal

async function read(
  ctx: Context,
  place: FilesOfSpace,
  file: SpecFileNode,
  signal: AbortSignal,
): Promise<FileSpec> {
  const { spaceId } = place
  const fileId = idOfFile(spaceId, file)
  const others = new Map<string, Oid | null>()

  try {
    beginReading(ctx, spaceId, fileId)
    const found = await gather(ctx, place, file, { others, signal })
    if ('unfinished' in found) return rememberFailure(ctx, fileId, others, found.message)
    const result = 'code' in found ? { why: found.message } : { pieces: found.pieces }
    return (
      (await keepReading(ctx, spaceId, fileId, { others, ...result })) ?? {
        why: notNow,
        passes: true,
      }
    )
  } catch (error) {
    // A damaged repository or a full disk must not break pages.
    if (!isGitError(error) && !saysCannotWrite(error)) throw error
    ctx.log.error({ space: spaceId, err: String(error) }, 'a file with a spec cannot be read')
    return rememberFailure(ctx, fileId, others, notNow)
  }
}

const notNow = 'It cannot be read now.'

type Gathering = { others: Map<string, Oid | null>; signal: AbortSignal }

/** Reads a spec, and adds the other files that it refers to. */
async function gather(
  ctx: Context,
  { spaceId, content }: FilesOfSpace,
  { path, oid }: SpecFileNode,
  { others, signal }: Gathering,
): Promise<{ pieces: Uint8Array } | Unread> {
  const repo = spaceRepository(ctx, spaceId)
  const budget = { left: mostSpecBytes }

  const fetch = async (address: string) => {
    const wanted = pathOf(address)
    const other = content.fileByPath.get(wanted)
    others.set(wanted, other?.oid ?? null)
    if (!other) throw new FetchError('The file does not exist.')
    return { bytes: await bytesOf(repo, other.oid, budget), url: address }
  }

  try {
    const address = root + path.split('/').map(encodeURIComponent).join('/')
    const entry = { address, bytes: await bytesOf(repo, oid, budget) }
    return await gatherWith(ctx, entry, fetch, signal)
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    return { code: 'PARSE_ERROR', message: error.message, again: false }
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
