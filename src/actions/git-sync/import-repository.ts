import type { Context } from '../../context.ts'
import { isAncestor } from '../../git/commits/merge.ts'
import { readCommit } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { defaultBranch } from '../../git/refs/default-branch.ts'
import { type RefMove, readRef } from '../../git/refs/refs.ts'
import type { Oid } from '../../git/values/oid.ts'
import { clearContent } from '../clearance/clear-content.ts'
import { isJump } from '../heads/published-jump.ts'
import { primaryHead } from '../heads/reconcile-space.ts'
import { commitOperation } from '../journal/commit-operation.ts'
import type { Effect } from '../journal/effects.ts'
import { checkRoom } from '../repositories/check-quota.ts'
import { keepRef } from '../repositories/ref-names.ts'
import { readUnindexed, type Unindexed } from '../revisions/index-history.ts'
import { readContent } from '../revisions/read-content.ts'
import { viewRevision } from '../revisions/view-revision.ts'
import { adoptCommit } from './adopt-commit.ts'
import { winnerOf } from './combine-trees.ts'
import { fetchBranch, projectRef } from './fetch-branch.ts'
import { finishEffects } from './finish-git-sync.ts'
import { commitOfDirectory, projectDirectory } from './project-directory.ts'
import type { Sync } from './queue-git-sync.ts'
import { SyncFailure } from './sync-failure.ts'

/**
 * Imports a branch of a remote: fetched into staging, checked, made this space's (the whole repository, or one folder of
 * it), and merged into the primary content or, `standalone`, kept beside it. Throws what `syncFailureOf` understands.
 */
export async function importRepository(sync: Sync): Promise<void> {
  const { ctx, repo, space, operation, request, by, track, signal } = sync
  track.stage('repo_fetch')
  await checkRoom(ctx, operation.space_id)
  const fetched = await fetchBranch(ctx, repo, operation, { signal, track })
  if (!fetched)
    throw new SyncFailure(`The repository has no branch "${operation.ref.slice('refs/heads/'.length)}".`)

  track.stage('config_check')
  const directory = projectDirectory(request.repoProjectDirectory)
  const project = projectRef(operation, request, directory)
  const commit = directory ? await commitOfDirectory(repo, fetched, directory, project) : fetched

  track.stage('content_process')
  // Not waited for: what cannot be read ahead is read when it is due, and told then.
  const unindexed = readHistoryAhead(sync, commit).catch(() => undefined)
  await readAhead(ctx, repo, space.id, commit)

  track.stage('finalize')
  const head = request.standalone
    ? await keepBeside(sync, commit, directory !== '')
    : await adoptCommit(ctx, space.id, {
        commit,
        ref: operation.ref,
        message: `Import ${operation.ref.slice('refs/heads/'.length)} of ${operation.url}`,
        by,
        winner: winnerOf(request, 'theirs'),
        unindexed,
        seen: directory ? undefined : await readRef(repo, project),
        // A commit that we have says nothing new: an export of ours, of which nobody may drop what was written here.
        extraMoves: async taken => (taken || directory ? projectMove(repo, project, commit) : []),
        effects: ({ head, at, taken, counts }) => [
          ...(taken && directory ? [noteFolder(space.id, commit)] : []),
          ...finishEffects(ctx, operation, { revision: head, at, counts }),
        ],
      })
  await viewRevision(ctx, space.id, head)
}

/** The commit that stands for a folder of the remote is made here. */
const noteFolder = (spaceId: string, oid: Oid): Effect => ({
  do: 'note-service-commit',
  row: { space_id: spaceId, oid, kind: 'import' },
})

/** Reads what the revision will need, before anything moves: its pages' facts, once, and its limits. */
async function readAhead(ctx: Context, repo: Repository, spaceId: string, oid: Oid): Promise<void> {
  const commit = await readCommit(repo, oid)
  if (commit) await readContent(ctx, repo, spaceId, commit.tree)
}

/**
 * Reads the history that the commit brings, while its pages are read: then only rows are left to be written when it is
 * published, and the first who asks for revisions hardly waits. Undefined where it will be behind a merge.
 */
async function readHistoryAhead(
  { ctx, repo, space, request }: Sync,
  commit: Oid,
): Promise<Unindexed | undefined> {
  if (request.standalone) return undefined
  const head = await readRef(repo, defaultBranch(repo))
  if (!space.pristine) {
    if (!head || !(await isAncestor(repo, head, commit))) return undefined
    // Behind a jump the line is another one than Git's own, and the jump is noted only when it is published.
    if (await isJump(ctx, repo, space.id, head, commit)) return undefined
  }
  return readUnindexed(ctx, repo, space.id, commit)
}

/** Remembers which commit stands for the remote's branch or folder, so that the next import goes on from it. */
async function projectMove(repo: Repository, ref: string, to: Oid): Promise<RefMove[]> {
  const from = (await readRef(repo, ref)) ?? null
  return from === to ? [] : [{ ref, from, to }]
}

async function keepBeside(
  { ctx, repo, space, operation, by }: Sync,
  commit: Oid,
  isFolder: boolean,
): Promise<Oid> {
  const { head } = await primaryHead(ctx, space)
  const clearance = await clearContent(ctx, repo, { space, by }, { head: commit, beside: [head] })
  return ctx.locks.run(space.id, async () => {
    const ref = keepRef(commit)
    const from = (await readRef(repo, ref)) ?? null
    return commitOperation(ctx, repo, {
      spaceId: space.id,
      kind: 'keep-import',
      userId: by.id,
      clearance,
      plan: () => ({
        moves: [{ ref, from, to: commit }],
        effects: [
          ...(isFolder ? [noteFolder(space.id, commit)] : []),
          ...finishEffects(ctx, operation, { revision: commit, at: ctx.now(), counts: undefined }),
        ],
        result: commit,
      }),
    })
  })
}
