import type { Oid } from '../../lib/oid.ts'
import type { ObjectAnswer, ObjectType } from '../process/cat-file.ts'
import type { Repository } from '../process/processes.ts'
import { GitError } from '../values/errors.ts'
import { type Commit, parseCommit, parseTag, parseTree, type TreeEntry } from '../values/parse.ts'

export type { ObjectType } from '../process/cat-file.ts'

/**
 * An object to be written. `whole` returns its bytes as `wholeObject` does. `file` returns the
 * content of its loose file where that is already encoded.
 */
export type NewObject = {
  oid: Oid
  whole: () => Buffer | Promise<Buffer>
  file?: () => Promise<Buffer>
}

/**
 * Returns the bytes that the id of an object is the hash of: `type size`, a zero byte, and the
 * content.
 */
export const wholeObject = ({ type, content }: { type: ObjectType; content: Uint8Array }): Buffer =>
  Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])

/**
 * Larger contents are refused unless the caller sets a limit of its own: all requests share the
 * memory.
 */
const defaultMaxBytes = 64 * 1024 * 1024
/**
 * Ids requested at once and bytes held at once when many objects are read: the process is shared.
 */
const batchIds = 500
const batchBytes = 8 * 1024 * 1024
/** A tree of 100,000 entries with long names; larger ones are refused anyway. */
const maxTreeBytes = 32 * 1024 * 1024

/**
 * Returns the type and content of an object, undefined when it does not exist. Throws GitError
 * 'too_large'.
 */
export async function readObject(
  repo: Repository,
  oid: Oid,
  maxBytes = defaultMaxBytes,
): Promise<{ type: ObjectType; content: Buffer } | undefined> {
  const answer = await repo.processes.ask(repo.dir, oid, maxBytes)
  return answer && { type: answer.type, content: contentOf(answer, maxBytes) }
}

/**
 * Returns the bytes of a blob, undefined when there is no such blob. With `maxBytes` the size is
 * checked first, so a larger blob is not even unpacked: GitError 'too_large', with `size`.
 */
export async function readBlob(
  repo: Repository,
  oid: Oid,
  maxBytes?: number,
): Promise<Buffer | undefined> {
  if (maxBytes !== undefined) {
    const info = await repo.processes.ask(repo.dir, oid, -1)
    if (info && info.size > maxBytes) throw tooLarge(info, maxBytes)
  }
  const object = await readObject(repo, oid, maxBytes)
  return object?.type === 'blob' ? object.content : undefined
}

/**
 * Yields many blobs in the given order, reading a few megabytes at a time. Ids that are not blobs
 * of this repository, and blobs over `maxBytes`, are skipped.
 */
export async function* streamBlobs(
  repo: Repository,
  oids: Iterable<Oid>,
  maxBytes = defaultMaxBytes,
): AsyncGenerator<[Oid, Buffer], void, undefined> {
  const wanted = [...new Set(oids)]
  const infos = await objectInfo(repo, wanted)
  let batch: Oid[] = []
  let bytes = 0

  for (const [index, oid] of wanted.entries()) {
    const info = infos.get(oid)
    if (info?.type === 'blob' && info.size <= maxBytes) {
      batch.push(oid)
      bytes += info.size
    }

    if (batch.length < batchIds && bytes < batchBytes && index < wanted.length - 1) continue

    const objects = await Promise.all(batch.map(id => readObject(repo, id, maxBytes)))

    for (const [i, object] of objects.entries()) if (object) yield [batch[i]!, object.content]
    batch = []
    bytes = 0
  }
}

/**
 * Returns the bytes of many blobs by id. Ids that are not blobs of this repository, and blobs over
 * `maxBytes`, are skipped.
 */
export async function readBlobs(
  repo: Repository,
  oids: Iterable<Oid>,
  maxBytes?: number,
): Promise<Map<Oid, Buffer>> {
  const found = new Map<Oid, Buffer>()
  for await (const [oid, content] of streamBlobs(repo, oids, maxBytes)) found.set(oid, content)
  return found
}

/** What is known of an object without its content. */
type Info = { type: ObjectType; size: number }

/** Returns the type and the size in bytes of the objects that exist, by id. */
export const objectInfo = (
  { dir, processes }: Repository,
  oids: readonly Oid[],
): Promise<Map<Oid, Info>> => infoFrom(oids, oid => processes.ask(dir, oid, -1))

/**
 * Returns what `objectInfo` does, of the objects that the folder has now: it is not refreshed for
 * others.
 */
export const infoInFolder = (
  { dir, processes }: Repository,
  oids: readonly Oid[],
): Promise<Map<Oid, Info>> => infoFrom(oids, oid => processes.askFolder(dir, oid, -1))

async function infoFrom(
  oids: readonly Oid[],
  ask: (oid: Oid) => Promise<ObjectAnswer | undefined>,
): Promise<Map<Oid, Info>> {
  const found = new Map<Oid, Info>()
  for (let at = 0; at < oids.length; at += batchIds) {
    const answers = await Promise.all(oids.slice(at, at + batchIds).map(ask))
    for (const answer of answers)
      if (answer) found.set(answer.oid, { type: answer.type, size: answer.size })
  }
  return found
}

/**
 * Returns the commit, undefined when there is none with that id. An annotated tag is followed to
 * its commit. Throws GitError 'object_unreadable' for an invalid commit, 'too_large' beyond 4 MiB.
 */
export async function readCommit(repo: Repository, oid: Oid): Promise<Commit | undefined> {
  let at = oid
  for (let hops = 0; hops < 5; hops++) {
    const object = await readObject(repo, at, 4 * 1024 * 1024)
    if (object?.type === 'commit') return parsed(at, () => parseCommit(at, object.content))
    if (object?.type !== 'tag') return undefined
    at = parsed(at, () => parseTag(object.content).object)
  }
  return undefined
}

/** Returns many commits by id; ids that are not commits are skipped. */
export async function readCommits(
  repo: Repository,
  oids: readonly Oid[],
): Promise<Map<Oid, Commit>> {
  const found = new Map<Oid, Commit>()
  for (let at = 0; at < oids.length; at += batchIds) {
    const commits = await Promise.all(
      oids.slice(at, at + batchIds).map(oid => readCommit(repo, oid)),
    )
    for (const [i, commit] of commits.entries()) if (commit) found.set(oids[at + i]!, commit)
  }
  return found
}

/**
 * Returns the entries of a tree. Throws GitError 'object_unreadable' when there is no such tree:
 * callers have its id from another object of this repository.
 */
export async function readTree(repo: Repository, oid: Oid): Promise<readonly TreeEntry[]> {
  const { trees } = repo.processes
  const cached = trees.get(oid)
  if (cached) return cached
  const object = await readObject(repo, oid, maxTreeBytes)
  if (object?.type !== 'tree') throw unreadable(oid)
  const entries = parsed(oid, () => parseTree(object.content))
  trees.set(oid, entries, object.content.length)
  return entries
}

/** Returns the error for an object that is required but missing or broken. */
export const unreadable = (oid: Oid): GitError =>
  new GitError('object_unreadable', 'An object of the repository cannot be read.', { oid })

function parsed<T>(oid: Oid, parse: () => T): T {
  try {
    return parse()
  } catch {
    throw unreadable(oid)
  }
}

function contentOf(answer: ObjectAnswer, maxBytes: number): Buffer {
  if (!answer.content) throw tooLarge(answer, maxBytes)
  return answer.content
}

const tooLarge = ({ oid, size }: ObjectAnswer, maxBytes: number) =>
  new GitError('too_large', 'The object is too large to read.', { oid, size, maxBytes })
