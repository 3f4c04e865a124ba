import type { Change } from '../../content/edit/changes.ts'
import type { EditSource, Snapshot } from '../../content/edit/draft.ts'
import { needsOf } from '../../content/edit/needs.ts'
import type { Link } from '../../content/links/find.ts'
import { inboundOf } from '../../content/links/inbound.ts'
import type { ContentTree } from '../../content/tree/build.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { Fault, invalid, missing } from '../../errors.ts'
import { streamBlobs } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { type Oid, parseOid } from '../../git/values/oid.ts'
import { pauses, type Steps } from '../../lib/slices.ts'
import { isRevision } from '../revisions/is-revision.ts'
import { readInput } from '../revisions/read-content.ts'
import { viewRevision } from '../revisions/view-revision.ts'

/** Larger files are neither edited nor compared, in bytes. */
const fileLimit = 20 * 1024 * 1024
/** The most bytes that one batch may read. */
const mostTogether = 256 * 1024 * 1024

export type SourceOptions = {
  spaceId: string
  view: RevisionView
  changes: readonly Change[]
  /** The revision that pages are reverted to by default; undefined: each change must name one. */
  origin: Oid | undefined
  /** The bytes of files that are not in the repository yet, by blob id. */
  fresh: ReadonlyMap<string, Uint8Array>
}

/** Reads what a batch needs of the revision that it changes and of those that it refers to, and nothing more. */
export async function readSource(
  ctx: Context,
  repo: Repository,
  { spaceId, view, changes, origin, fresh }: SourceOptions,
): Promise<EditSource> {
  const needs = needsOf(view.content, changes)
  const input = needs.structure ? await readInput(ctx, repo, spaceId, view) : undefined
  const oids = new Map(input?.files.map(file => [file.path, file.oid]))
  const oidOf = (path: string) => oids.get(path) ?? view.content.pageByFile.get(path)?.file?.oid
  const linking =
    needs.moving &&
    (await readLinking(
      repo,
      [...needs.linking].flatMap(path => oidOf(path) ?? []),
      needs.moving,
    ))
  const own = [...needs.paths].filter(path => !needs.linking.has(path))
  const read = await reader(repo, own, oidOf, new Map([...(linking?.blobs ?? []), ...fresh]))
  const snapshots = new Map<string, Snapshot>()
  for (const [name, pages] of needs.snapshots) {
    const snapshot = await readSnapshot(ctx, repo, spaceId, name === '' ? origin : name, pages)
    if (snapshot) snapshots.set(name, snapshot)
  }
  const links = linking && new Map([...linking.links, ...(await linksIn(needs.moving!, own, oidOf, read))])
  return { spaceId, tree: view.content, identity: view.identity, input, read, snapshots, links }
}

/**
 * Searches blobs for links to the files that move, and keeps the blobs that may have one. Streams, so that a space is
 * never in memory as a whole. Throws 'too_large' if the kept blobs exceed the limit.
 */
async function readLinking(repo: Repository, oids: readonly string[], moving: readonly string[]) {
  const blobs = new Map<string, Uint8Array>()
  const links = new Map<string, readonly Link[]>()
  const linksOf = inPauses(inboundOf(moving))
  let length = 0
  for await (const [oid, bytes] of streamBlobs(repo, oids as Oid[], fileLimit)) {
    const found = await linksOf(bytes)
    if (!found) continue
    length = checkLength(length + bytes.length)
    blobs.set(oid, bytes)
    links.set(oid, found)
  }
  return { blobs, links }
}

/** Returns the links to moving files in files that are read anyway. */
async function linksIn(
  moving: readonly string[],
  paths: readonly string[],
  oidOf: (path: string) => string | undefined,
  read: (path: string) => Uint8Array | undefined,
): Promise<Map<string, readonly Link[]>> {
  const links = new Map<string, readonly Link[]>()
  const linksOf = inPauses(inboundOf(moving))
  for (const path of paths) {
    const [oid, bytes] = [oidOf(path), read(path)]
    const found = oid !== undefined && bytes ? await linksOf(bytes) : undefined
    if (found) links.set(oid!, found)
  }
  return links
}

/** Wraps stepped work so that all its calls together yield to the event loop at regular intervals. */
function inPauses<Input, Result>(work: (input: Input) => Steps<Result>): (input: Input) => Promise<Result> {
  const pause = pauses()
  return async input => {
    const steps = work(input)
    for (let step = steps.next(); ; step = steps.next()) {
      const wait = pause()
      if (wait) await wait
      if (step.done) return step.value
    }
  }
}

function checkLength(length: number): number {
  if (length <= mostTogether) return length
  throw new Fault(
    'too_large',
    `The affected files exceed ${mostTogether / 1024 ** 2} MB in total. Change fewer at once, or use Git.`,
  )
}

async function readSnapshot(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  name: string | undefined,
  pages: ReadonlySet<string>,
): Promise<Snapshot | undefined> {
  if (name === undefined) return undefined
  const oid = parseOid(name)
  if (!oid) throw invalid(`"${name.slice(0, 60)}" is not a revision id: send its 40 hex digits.`)
  if (!(await isRevision(ctx, spaceId, oid))) throw missing('revision', name)
  const { content } = await viewRevision(ctx, spaceId, oid)
  const paths = [...pages].flatMap(id => content.pageById.get(id)?.file?.path ?? [])
  return { oid, tree: content, read: await reader(repo, paths, path => oidOf(content, path)) }
}

const oidOf = (tree: ContentTree, path: string): string | undefined => tree.pageByFile.get(path)?.file?.oid

/** Reads files in one stream. Returns a function that looks them up. */
async function reader(
  repo: Repository,
  paths: readonly string[],
  oidOf: (path: string) => string | undefined,
  fresh: ReadonlyMap<string, Uint8Array> = new Map(),
): Promise<(path: string) => Uint8Array | undefined> {
  const wanted = paths.flatMap(path => oidOf(path) ?? []) as Oid[]
  const blobs = new Map<string, Uint8Array>()
  let length = 0
  for await (const [oid, bytes] of streamBlobs(
    repo,
    wanted.filter(oid => !fresh.has(oid)),
    fileLimit,
  )) {
    length = checkLength(length + bytes.length)
    blobs.set(oid, bytes)
  }
  return path => {
    const oid = oidOf(path)
    return oid === undefined ? undefined : (fresh.get(oid) ?? blobs.get(oid))
  }
}
