import type { Context } from '../../context.ts'
import { isAncestor } from '../../git/commits/merge.ts'
import { readCommit } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'
import { clearContent } from '../clearance/clear-content.ts'
import { lockSpace } from '../heads/open-space.ts'
import { primaryHead } from '../heads/primary-head.ts'
import { isJump } from '../heads/published-jump.ts'
import type { Effect } from '../journal/effects.ts'
import { publish } from '../journal/publish.ts'
import { checkRoom } from '../repositories/check-quota.ts'
import { headOf, primaryRef } from '../repositories/head-of.ts'
import { keepRef } from '../repositories/ref-names.ts'
import { readUnindexed, type Unindexed } from '../revisions/index-history.ts'
import { readContent } from '../revisions/read-content.ts'
import { viewRevision } from '../revisions/view-revision.ts'
import { adoptCommit } from './adopt-commit.ts'
import { winnerOf } from './combine-trees.ts'
import { fetchBranch, projectRef } from './fetch-branch.ts'
import { moveOf } from './move-of.ts'
import { commitOfDirectory, projectDirectory } from './project-directory.ts'
import { finishEffects } from './record-run.ts'
import { SyncFailure } from './sync-failure.ts'
import type { Sync } from './sync-run.ts'

/**
 * Imports a branch of a remote: fetched into staging, checked, reduced to a folder if one is given,
 * and merged into the primary content or, if `standalone`, kept beside it. Throws what
 * `syncFailureOf` understands.
 */
export async function importRepository(sync: Sync): Promise<void> {
  const { ctx, repo, space, run, request, by, track, signal } = sync
  track.stage('repo_fetch')
  await checkRoom(ctx, run.space_id)
  const fetched = await fetchBranch(ctx, repo, run, { signal, track })
  if (!fetched)
    throw new SyncFailure(`The repository has no branch "${run.ref.slice('refs/heads/'.length)}".`)

  track.stage('config_check')
  const directory = projectDirectory(request.repoProjectDirectory)
  const project = projectRef(run, request, directory)
  const commit = directory
    ? await commitOfDirectory(repo, fetched, directory, headOf(ctx, space.id, project))
    : fetched

  track.stage('content_process')

  // Not awaited; on failure the history is read again when it is indexed, which reports the error.
  const unindexed = readHistoryAhead(sync, commit).catch(() => undefined)

  await readAhead(ctx, repo, space.id, commit)

  track.stage('finalize')
  const head = request.standalone
    ? await keepBeside(sync, commit, directory !== '')
    : await adoptCommit(ctx, space.id, {
        commit,
        ref: run.ref,
        message: `Import ${run.ref.slice('refs/heads/'.length)} of ${run.url}`,
        by,
        way: 'import',
        winner: winnerOf(request, 'theirs'),
        unindexed,
        seen: directory ? undefined : headOf(ctx, space.id, project),
        // Keep the last adopted commit if nothing was taken: the import of our own export must not
        // count content written here as dropped by the remote.
        extraMoves: async taken =>
          taken || directory ? moveOf(ctx, space.id, project, commit) : [],
        effects: ({ head, at, taken, counts }) => [
          ...(taken && directory ? [folderCommitEffect(space.id, commit)] : []),
          ...finishEffects(sync, { revision: head, at, counts }),
        ],
      })

  await viewRevision(ctx, space.id, head)
}

/** Returns the effect that marks the commit made from a remote folder. */
const folderCommitEffect = (spaceId: string, oid: Oid): Effect => ({
  do: 'note-service-commit',
  row: { space_id: spaceId, oid, kind: 'import' },
})

/** Reads the content before anything moves: checks its limits and stores the facts of its pages. */
async function readAhead(ctx: Context, repo: Repository, spaceId: string, oid: Oid): Promise<void> {
  const commit = await readCommit(repo, oid)
  if (commit) await readContent(ctx, repo, spaceId, commit.tree)
}

/**
 * Reads the history that the commit brings, concurrently with its pages, so that only rows are left
 * to write when it is published. Returns undefined if the commit will be merged.
 */
async function readHistoryAhead(
  { ctx, repo, space, request }: Sync,
  commit: Oid,
): Promise<Unindexed | undefined> {
  if (request.standalone) return undefined
  const head = headOf(ctx, space.id, primaryRef(ctx, space.id))
  if (!space.pristine) {
    if (!head || !(await isAncestor(repo, head, commit))) return undefined
    // Behind a jump the published line differs from Git's, and the jump is only recorded on
    // publishing.
    if (await isJump(ctx, repo, space.id, head, commit)) return undefined
  }

  return readUnindexed(ctx, repo, space.id, commit)
}

async function keepBeside(sync: Sync, commit: Oid, isFolder: boolean): Promise<Oid> {
  const { ctx, repo, space, by } = sync
  const { head } = await primaryHead(ctx, space)
  const clearance = await clearContent(ctx, repo, { space, by }, { head: commit, beside: [head] })
  return lockSpace(ctx, space.id, async () => {
    const ref = keepRef(commit)
    const from = headOf(ctx, space.id, ref) ?? null
    return publish(ctx, repo, {
      key: space.id,
      kind: 'keep-import',
      userId: by.id,
      clearance,
      plan: () => ({
        moves: [{ ref, from, to: commit }],
        effects: [
          ...(isFolder ? [folderCommitEffect(space.id, commit)] : []),
          ...finishEffects(sync, { revision: commit, at: ctx.now(), counts: undefined }),
        ],
        result: commit,
      }),
    })
  })
}
