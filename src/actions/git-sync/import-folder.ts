import type { Origin } from '../../access/asker.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { openQuarantine, type Person, type Quarantine } from '../../git/commits/quarantine.ts'
import { readCommit } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import { listFiles, treeOf } from '../../git/trees/tree-files.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { clearContent } from '../clearance/clear-content.ts'
import { checkMayEdit } from '../edit/check-may-edit.ts'
import { currentChangeRequest } from '../heads/current-change-request.ts'
import { primaryHead } from '../heads/primary-head.ts'
import type { Head } from '../heads/read-heads.ts'
import { checkRoom } from '../repositories/check-quota.ts'
import { authorOf, service, withTrailers } from '../repositories/commit-signatures.ts'
import { changeRequestRef } from '../repositories/ref-names.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { readContent } from '../revisions/read-content.ts'
import { adoptCommit } from './adopt-commit.ts'
import { winnerOf } from './combine-trees.ts'
import type { FileCounts } from './count-files.ts'
import { lastFolder } from './last-folder.ts'
import { proposeCommit } from './propose-commit.ts'
import { type FolderHistory, recordChanges } from './record-changes.ts'
import { SyncFailure, syncFailureOf } from './sync-failure.ts'

/** A file of a folder: its Git mode and the id of its blob. */
export type FolderFile = { mode: string; oid: Oid }

export type FolderOrder = {
  space: SpaceRow
  /** The change request whose branch takes the files; undefined: the primary content does. */
  changeRequest?: ChangeRequestRow | undefined
  by: UserRow
  /** By path. */
  files: ReadonlyMap<string, FolderFile>
  /** The contents of the files that the space does not have yet, in any order. */
  contents: readonly Uint8Array[]
  message: string
  history?: FolderHistory | undefined
  /** Leaves the files of the previous import that `files` does not name as they are. */
  keep?: boolean | undefined
  force?: boolean | undefined
  replace?: boolean | undefined
  /** By default the user. */
  author?: Person
  origin?: Origin | null | undefined
}

/**
 * The result of an import of a folder. With `missing`, nothing was changed: these are the ids of
 * the blobs that the space lacks and the order did not contain. `counts` is undefined if too many
 * files changed to count them.
 */
export type FolderOutcome = { missing: Oid[] } | { revision: Oid; counts: FileCounts | undefined }

/**
 * Imports the files of a folder into the primary content or a change request, as one commit on top
 * of the previous import, merged with what was changed there since. Without changes, no commit is
 * made. Throws 'conflict' if both sides changed the same lines, or if the content of the space did
 * not come from a folder, unless `force` lets the folder win or `replace` takes its files only;
 * 'conflict' for a change request that is archived or merged; 'invalid' for a path that Git
 * rejects; the faults of `checkRoom`.
 */
export async function importFolder(ctx: Context, order: FolderOrder): Promise<FolderOutcome> {
  const { space } = order
  await checkRoom(ctx, space.id)
  const repo = spaceRepository(ctx, space.id)
  const branch = await branchOf(ctx, order)
  const { head } = branch
  const { commit: previous, remember } = await lastFolder(ctx, space, head, order.changeRequest)
  const parent = parentOf(order, head, previous)
  const quarantine = openQuarantine(repo)
  const sent = new Set<Oid>()

  for (const bytes of order.contents) sent.add(await quarantine.writeBlob(bytes))
  const missing = await missingBlobs(repo, order, {
    sent,
    trees: previous ? [head, previous] : [head],
  })
  if (missing.length > 0) return { missing }

  try {
    const commit = await writeFolder(ctx, quarantine, order, { repo, head, parent, previous })
    const extraMoves = () => remember(commit)
    const outcome = await adopt(ctx, order, { ref: branch.ref, commit, extraMoves })
    // After the move: a refused import changes no dates. Repeating a lost one records them.
    await recordChanges(ctx, order)
    return outcome
  } catch (error) {
    throw faultOf(error, order)
  }
}

/** Returns the branch that takes the files. Throws unless the user may edit the change request. */
async function branchOf(ctx: Context, { space, changeRequest, by }: FolderOrder): Promise<Head> {
  if (!changeRequest) return primaryHead(ctx, space)
  const row = await currentChangeRequest(ctx, changeRequest)
  checkMayEdit(ctx, { space, changeRequest: row, by }, row.revision)
  return { ref: changeRequestRef(row.number), head: row.revision }
}

/**
 * Returns the commit that the import continues; undefined for unrelated content. Throws 'conflict'
 * unless that is wanted.
 */
function parentOf(
  { space, force, replace }: FolderOrder,
  head: Oid,
  previous: Oid | undefined,
): Oid | undefined {
  const parent = previous ?? (space.pristine || replace ? head : undefined)
  if (parent || force) return parent
  throw new Fault(
    'content_not_from_folder',
    'The content of the space does not come from a folder. Use "force" to add the files of the folder to it, or "replace" to take the files of the folder and no others.',
  )
}

/** Returns the ids that are neither among the sent contents nor files of the trees. */
async function missingBlobs(
  repo: Repository,
  { files }: FolderOrder,
  { sent, trees }: { sent: ReadonlySet<Oid>; trees: readonly Oid[] },
): Promise<Oid[]> {
  const known = new Set(sent)
  // Only blobs of these revisions: the repository may hold others that the caller may not read.
  for (const tree of trees)
    for (const { oid } of (await listFiles(repo, tree)).files) known.add(oid)
  return [...new Set([...files.values()].map(({ oid }) => oid))].filter(oid => !known.has(oid))
}

type Base = { repo: Repository; head: Oid; parent: Oid | undefined; previous: Oid | undefined }

/** Writes the commit of a folder, or returns the previous one if it has the same files. */
async function writeFolder(
  ctx: Context,
  quarantine: Quarantine,
  { space, changeRequest, by, files, message, keep, author, history }: FolderOrder,
  { repo, head, parent, previous }: Base,
): Promise<Oid> {
  const from = keep && parent ? await treeOf(repo, parent) : null
  const changes = [...files].map(([path, { mode, oid }]) => ({ path, oid, mode }))
  const tree = await quarantine.writeTree(from, changes)
  if (previous && (await readCommit(repo, previous))?.tree === tree) return previous

  const at = ctx.now()
  const commit = await quarantine.writeCommit({
    tree,
    parents: parent ? [parent] : [],
    author: author ?? authorOf(by, at),
    committer: service(at),
    message: withTrailers(message, {
      'Published-Commit': history?.commit,
      'Stemma-Space': space.id,
      'Stemma-Change-Request': changeRequest?.number,
      'Stemma-Operation': 'import',
    }),
  })

  await clearContent(ctx, repo, { space, by, quarantine }, { head: commit, beside: [head] })
  await quarantine.flush()

  // Checks the limits of content before anything moves.
  await readContent(ctx, repo, space.id, tree)

  return commit
}

type Written = { ref: string; commit: Oid; extraMoves: () => RefMove[] }

async function adopt(
  ctx: Context,
  { space, changeRequest, by, force, replace, message, origin = null }: FolderOrder,
  { ref, commit, extraMoves }: Written,
): Promise<FolderOutcome> {
  const winner = winnerOf({ force, replace }, 'theirs')
  const brought = { commit, message, by, winner }
  if (changeRequest)
    return proposeCommit(ctx, { ...brought, space, changeRequest, origin, extraMoves })

  let counts: FileCounts | undefined
  const revision = await adoptCommit(ctx, space.id, {
    ...brought,
    ref,
    way: 'import',
    keepBranch: true,
    extraMoves: async () => extraMoves(),
    effects: adopted => {
      counts = adopted.counts
      return adopted.taken
        ? [{ do: 'note-service-commit', row: { space_id: space.id, oid: commit, kind: 'import' } }]
        : []
    },
  })

  return { revision, counts }
}

/** Returns the fault for an error that the caller can act on; any other error unchanged. */
function faultOf(error: unknown, { changeRequest }: FolderOrder): unknown {
  if (isGitError(error, 'path_conflict') || isGitError(error, 'path_invalid'))
    return new Fault(
      'path_not_allowed',
      `${JSON.stringify(String(error.detail.path))} cannot be the path of a file.`,
    )

  if (error instanceof SyncFailure && error.conflicts) {
    const paths = error.conflicts.map(({ path }) => path)
    const more = paths.length > 5 ? ` and ${paths.length - 5} more` : ''
    const other = changeRequest ? `change request #${changeRequest.number}` : 'the space'
    return new Fault(
      'merge_conflict',
      `The folder and ${other} both changed ${paths.slice(0, 5).join(', ')}${more}. Bring the changes of ${other} into the folder, or use "force" to let the folder win.`,
      { conflicts: error.conflicts },
    )
  }

  const failure = error instanceof Fault ? undefined : syncFailureOf(error)
  return failure ? new Fault('git_failed', failure.message) : error
}
