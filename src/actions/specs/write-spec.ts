import { existsSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { openQuarantine } from '../../git/commits/quarantine.ts'
import { firstParents } from '../../git/history/history.ts'
import { readCommit, readCommits } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { createRepository } from '../../git/repositories/repository.ts'
import { checkPath } from '../../git/trees/tree-edit.ts'
import type { Commit } from '../../git/values/parse.ts'
import { crashPoint } from '../../lib/crash-points.ts'
import type { Oid } from '../../lib/oid.ts'
import { nextSource } from '../../store/openapi/sources.ts'
import { findSpec } from '../../store/openapi/specs.ts'
import { findVersion } from '../../store/openapi/versions.ts'
import type {
  OpenapiSourceRow,
  OpenapiSpecRow,
  OpenapiVersionRow,
  UserRow,
} from '../../store/tables/rows.ts'
import { publish } from '../journal/publish.ts'
import { authorOf, service, withTrailers } from '../repositories/commit-signatures.ts'
import { headOf } from '../repositories/head-of.ts'
import { specsKey } from '../repositories/repository-of.ts'
import { noBranch, specBranch } from '../repositories/specs-repository.ts'
import { looksLikeJson, type SpecFile } from './gather-spec.ts'
import { lockSpecs } from './open-specs.ts'

const trailer = 'Stemma-OpenAPI-Entry'
/** The most versions that are added to the rows at once. */
const mostAdopted = 10_000

/** A version of a spec that may not be on its branch yet, and the head of the branch. */
type WrittenVersion = { version: Oid; head: Oid | undefined }

type Files = { files: readonly SpecFile[]; entry: string }

/**
 * Writes the files of a spec, byte for byte, as a commit that follows the head of its branch.
 * Returns the head itself if it has the same files.
 */
export const writeSpec = (
  ctx: Context,
  spec: OpenapiSpecRow,
  files: Files,
  by: UserRow | undefined,
): Promise<WrittenVersion> =>
  lockSpecs(ctx, spec.organization_id, async repo => {
    if (!existsSync(repo.dir))
      await createRepository(ctx.processes, repo.dir, { defaultBranch: noBranch })
    const head = headOf(ctx, specsKey(spec.organization_id), specBranch(spec))
    return { version: await commit(ctx, repo, { spec, head, by, ...files }), head }
  })

async function commit(
  ctx: Context,
  repo: Repository,
  {
    spec,
    head,
    by,
    files,
    entry,
  }: Files & { spec: OpenapiSpecRow; head: Oid | undefined; by: UserRow | undefined },
): Promise<Oid> {
  const paths = pathsOf(files, entry)
  const quarantine = openQuarantine(repo)
  const changes = []

  for (const [at, { bytes }] of files.entries())
    changes.push({ path: paths[at]!, oid: await quarantine.writeBlob(bytes) })
  const tree = await quarantine.writeTree(null, changes)
  const entryPath = paths[files.findIndex(({ address }) => address === entry)]!
  const latest = head && (await readCommit(repo, head))
  if (latest?.tree === tree && entryOf(latest) === entryPath) return latest.oid

  const now = ctx.now()
  const oid = await quarantine.writeCommit({
    tree,
    parents: head ? [head] : [],
    author: by ? authorOf(by, now) : service(now),
    committer: service(now),
    message: withTrailers(`${head ? 'Update' : 'Create'} ${spec.slug}`, {
      'Stemma-OpenAPI': spec.id,
      [trailer]: entryPath,
    }),
  })

  await quarantine.flush()
  crashPoint('W1')

  return oid
}

/** A version, and the source that it was read from. */
type ReadVersion = WrittenVersion & {
  source: Pick<OpenapiSourceRow, 'seq' | 'created_by'>
  errors: OpenapiSpecRow['errors']
}

/**
 * Moves the branch of a spec to a version, and stores its rows. Changes nothing if the spec or the
 * source was deleted meanwhile. Throws GitError 'ref_moved' if the branch has moved.
 */
export const publishVersion = (
  ctx: Context,
  { id, organization_id, slug }: OpenapiSpecRow,
  { version, head, source, errors }: ReadVersion,
): Promise<void> =>
  lockSpecs(ctx, organization_id, async repo => {
    const rows = await unknownVersions(ctx, repo, id, version)
    await publish(ctx, repo, {
      key: specsKey(organization_id),
      kind: 'keep-openapi-version',
      userId: source.created_by,
      plan: () => {
        const spec = findSpec(ctx.store, id)
        if (!spec || nextSource(ctx.store, id)?.seq !== source.seq)
          return { moves: [], effects: [], result: undefined }
        return {
          moves: [{ ref: specBranch({ slug, id }), from: head ?? null, to: version }],
          effects: [
            {
              do: 'keep-openapi-version',
              specId: id,
              source: source.seq,
              userId: source.created_by,
              after: spec.last_version,
              version,
              rows,
              errors,
              at: ctx.now().toISOString(),
            },
          ],
          result: undefined,
        }
      },
    })
  })

/** Returns the versions of a line that have no row yet, oldest first. */
async function unknownVersions(
  ctx: Context,
  repo: Repository,
  specId: string,
  head: Oid,
): Promise<Omit<OpenapiVersionRow, 'seq'>[]> {
  if (findVersion(ctx.store, specId, head)) return []

  const line = [head, ...(await firstParents(repo, head, mostAdopted))]
  const known = line.findIndex(oid => findVersion(ctx.store, specId, oid))
  const unknown = known < 0 ? line : line.slice(0, known)
  const commits = await readCommits(repo, unknown)

  return unknown.reverse().flatMap(oid => {
    const commit = commits.get(oid)
    if (!commit) return []
    const created_at = new Date(commit.committer.at * 1000).toISOString()
    return [{ id: oid, spec_id: specId, entry: entryOf(commit), created_at }]
  })
}

const entryOf = ({ message }: Pick<Commit, 'message'>): string =>
  new RegExp(`^${trailer}: (.+)$`, 'm').exec(message)?.[1] ?? ''

/**
 * Returns the paths of the files in the tree: their addresses relative to the folder that they
 * share.
 */
function pathsOf(files: readonly SpecFile[], entry: string): string[] {
  const parts = files.map(({ address }) => new URL(address).pathname.slice(1).split('/'))
  const shortest = Math.min(...parts.map(path => path.length)) - 1
  let common = 0
  while (common < shortest && parts.every(path => path[common] === parts[0]![common])) common++
  const taken: Taken = { files: new Set(), folders: new Set() }

  return files.map((file, at) => {
    const own = parts[at]!.slice(common).map(safePart)
    const name = own.pop()!
    const isEntry = file.address === entry
    own.push(isEntry ? entryName(name, file.bytes) : name)
    return takePath(taken, own)
  })
}

/** The paths in use. An address can be a file and a folder at once, a path cannot. */
type Taken = { files: Set<string>; folders: Set<string> }

/** Reserves a path, or a similar free one beside it or at the top. */
function takePath(taken: Taken, parts: readonly string[]): string {
  const path = parts.join('/')
  const name = parts.at(-1)!.slice(0, 60)
  for (let count = 0; ; count++) {
    const found = (count === 0 ? [path] : [`${path}-${count}`, `${name}-${count}`]).find(each =>
      isFree(taken, each),
    )
    if (found === undefined) continue
    taken.files.add(found)
    for (const folder of foldersAbove(found)) taken.folders.add(folder)
    return found
  }
}

const isFree = ({ files, folders }: Taken, path: string): boolean =>
  isValidPath(path) &&
  !files.has(path) &&
  !folders.has(path) &&
  !foldersAbove(path).some(each => files.has(each))

function foldersAbove(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** Returns the name of the entry file: its own if that has a known extension. */
const entryName = (name: string, bytes: Uint8Array): string =>
  /\.(?:json|ya?ml)$/i.test(name) ? name : `openapi.${looksLikeJson(bytes) ? 'json' : 'yaml'}`

const safePart = (part: string): string => (isValidPath(part) ? part : 'file')

function isValidPath(path: string): boolean {
  try {
    checkPath(path)
    return true
  } catch {
    return false
  }
}
