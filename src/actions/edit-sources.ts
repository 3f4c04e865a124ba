import type { Change } from '../content/edit-changes.ts'
import type { EditSource, Snapshot } from '../content/edit-draft.ts'
import { inboundSteps } from '../content/edit-linking.ts'
import { needsOf } from '../content/edit-needs.ts'
import type { ContentTree } from '../content/tree.ts'
import type { RevisionView } from '../content/view.ts'
import type { Context } from '../context.ts'
import { invalid, missing } from '../errors.ts'
import { readBlobs } from '../git/objects.ts'
import { type Oid, parseOid } from '../git/oid.ts'
import type { Repository } from '../git/repository.ts'
import { inSlices } from '../lib/slices.ts'
import { isRevision } from './find-reachable.ts'
import { readInput } from './read-content.ts'
import { viewRevision } from './view-revision.ts'

/** Larger files are not edited, and not compared. */
const fileLimit = 20 * 1024 * 1024

export type SourceOptions = {
  spaceId: string
  view: RevisionView
  changes: readonly Change[]
  /** The revision that pages are reverted to when the change does not say; undefined: it has to say. */
  origin: Oid | undefined
  /** The bytes of files that are not in the repository yet, by id. */
  fresh: ReadonlyMap<string, Uint8Array>
}

/** Reads what a batch needs of the revision that it changes and of those that it refers to: nothing more. */
export async function readSource(
  ctx: Context,
  repo: Repository,
  { spaceId, view, changes, origin, fresh }: SourceOptions,
): Promise<EditSource> {
  const needs = needsOf(view.content, changes)
  const input = needs.structure ? await readInput(ctx, repo, spaceId, view) : undefined
  const oids = new Map(input?.files.map(file => [file.path, file.oid]))
  const read = await reader(
    repo,
    [...needs.paths],
    path => oids.get(path) ?? view.content.pageByFile.get(path)?.file?.oid,
    fresh,
  )
  const snapshots = new Map<string, Snapshot>()
  for (const [name, pages] of needs.snapshots) {
    const snapshot = await readSnapshot(ctx, repo, spaceId, name === '' ? origin : name, pages)
    if (snapshot) snapshots.set(name, snapshot)
  }
  const links = needs.moving && (await inSlices(inboundSteps(blobsOf(needs.paths, oids, read), needs.moving)))
  return { spaceId, tree: view.content, identity: view.identity, input, read, snapshots, links }
}

/** The blobs that were read, each once. */
const blobsOf = (
  paths: Iterable<string>,
  oids: ReadonlyMap<string, string>,
  read: (path: string) => Uint8Array | undefined,
): Map<string, Uint8Array> =>
  new Map(
    [...paths].flatMap(path => {
      const [oid, bytes] = [oids.get(path), read(path)]
      return oid !== undefined && bytes ? [[oid, bytes] as const] : []
    }),
  )

async function readSnapshot(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  name: string | undefined,
  pages: ReadonlySet<string>,
): Promise<Snapshot | undefined> {
  if (name === undefined) return undefined
  const oid = parseOid(name)
  if (!oid) throw invalid(`"${name.slice(0, 60)}" is no revision: send the 40 hex digits of one.`)
  if (!(await isRevision(ctx, spaceId, oid))) throw missing('revision', name)
  const { content } = await viewRevision(ctx, spaceId, oid)
  const paths = [...pages].flatMap(id => content.pageById.get(id)?.file?.path ?? [])
  return { oid, tree: content, read: await reader(repo, paths, path => oidOf(content, path)) }
}

const oidOf = (tree: ContentTree, path: string): string | undefined => tree.pageByFile.get(path)?.file?.oid

/** Reads files at once; gives what looks them up. */
async function reader(
  repo: Repository,
  paths: readonly string[],
  oidOf: (path: string) => string | undefined,
  fresh: ReadonlyMap<string, Uint8Array> = new Map(),
): Promise<(path: string) => Uint8Array | undefined> {
  const wanted = paths.flatMap(path => oidOf(path) ?? []) as Oid[]
  const blobs = await readBlobs(
    repo,
    wanted.filter(oid => !fresh.has(oid)),
    fileLimit,
  )
  return path => {
    const oid = oidOf(path)
    return oid === undefined ? undefined : (fresh.get(oid) ?? blobs.get(oid as Oid))
  }
}
