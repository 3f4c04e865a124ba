import type { Way } from '../../access/guards/primary.ts'
import { isAncestor } from '../../git/commits/merge.ts'
import { readCommit } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { moveRefs, readRef } from '../../git/refs/refs.ts'
import { pushRemote } from '../../git/remotes/remotes.ts'
import { treeOf } from '../../git/trees/tree-files.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../git/values/oid.ts'
import type { GitSyncOperationRow } from '../../store/tables/rows.ts'
import { clearContent, unmoved } from '../clearance/clear-content.ts'
import { jumpTo } from '../heads/published-jump.ts'
import { primaryHead } from '../heads/reconcile-space.ts'
import { commitOperation } from '../journal/commit-operation.ts'
import { exportRef } from '../repositories/ref-names.ts'
import { adoptCommit } from './adopt-commit.ts'
import { checkMaySync } from './check-may-sync.ts'
import { combineTrees, winnerOf } from './combine-trees.ts'
import { countFiles, noFiles } from './count-files.ts'
import { exportDirectory } from './export-directory.ts'
import { fetchBranch, projectRef, remoteOf } from './fetch-branch.ts'
import { finishEffects } from './finish-git-sync.ts'
import { projectDirectory } from './project-directory.ts'
import type { Sync } from './queue-git-sync.ts'
import { rebasedCommit } from './rebased-commit.ts'
import { SyncFailure } from './sync-failure.ts'
import { writeExport } from './write-export.ts'

/** How often an export is built anew on what the remote has become meanwhile. */
const mostTries = 5

/**
 * Exports the primary content to a branch of a remote: one commit on top of what the remote has, pushed with a lease,
 * and then the primary content moves to it, so that both ends are the same commit. Throws what `syncFailureOf`
 * understands.
 */
export async function exportRepository(sync: Sync): Promise<void> {
  const run = projectDirectory(sync.request.repoProjectDirectory) ? exportDirectory : exportWhole
  for (let tries = 1; ; tries++) {
    try {
      return await run(sync)
    } catch (error) {
      // Somebody pushed between our look and our push: what they pushed is taken in, and we try again.
      if (tries >= mostTries || !isGitError(error, 'rejected')) throw error
    }
  }
}

async function exportWhole(order: Sync): Promise<void> {
  const { ctx, repo, space, operation, request, by, track, signal } = order
  track.stage('repo_fetch')
  const tip = await fetchBranch(ctx, repo, operation, { signal, track })
  track.stage('content_process')
  const { head } = await primaryHead(ctx, space)
  const pushed = exportRef(operation.id)
  const before = (await readRef(repo, pushed)) ?? null
  // It was pushed already, by us before we were interrupted; others may have gone on from there.
  if (tip && before && (await isAncestor(repo, before, tip))) return finish(order, before)
  if (tip && (await isAncestor(repo, head, tip)) && !(await replaces(order, head, tip)))
    return finishUnchanged(order, head)

  const commit = tip ? await exportCommit(order, head, tip) : head
  // The content moves to it once it is pushed: what may not come in must not go out first.
  await clearContent(ctx, repo, order, { head: commit, beside: [head] })
  if (tip) await noteExport(order, commit, head)
  // Written down before the push, so that a restart in between knows its own commit on the other end.
  await moveRefs(repo, [{ ref: pushed, from: before, to: commit }])
  track.stage('finalize')
  const remote = await remoteOf(ctx, operation)
  checkMaySync(ctx, operation, await wayOf(repo, commit, head))
  await pushRemote(repo, remote, { oid: commit, ref: operation.ref, expected: tip ?? null, signal })
  ctx.log.info({ space: space.id, operation: operation.id, force: request.force, by: by.id }, 'exported')
  return finish(order, commit)
}

/** Forgets the commit that an export which failed was about to push. */
export async function forgetExport(repo: Repository, operation: GitSyncOperationRow): Promise<void> {
  const ref = exportRef(operation.id)
  const from = await readRef(repo, ref)
  if (from) await moveRefs(repo, [{ ref, from, to: null }])
}

/** One commit with the remote's tip and our head as parents, so that the remote's first-parent line shows one commit an export. */
async function exportCommit(order: Sync, head: Oid, tip: Oid): Promise<Oid> {
  const { repo, operation, request } = order
  if (await isAncestor(repo, tip, head)) return writeExport(order, await treeOf(repo, head), [], [tip, head])
  const seen = await readRef(repo, projectRef(operation, request, ''))
  const theirs = await rebasedCommit(repo, { head, commit: tip, seen })
  const tree = await combineTrees(repo, head, theirs, winnerOf(request, 'ours'))
  return writeExport(order, tree, [], [tip, head])
}

/** Returns 'import' for the commit of an export that holds something of the remote which the exported head did not. */
async function wayOf(repo: Repository, commit: Oid, head: Oid): Promise<Way> {
  if (await isAncestor(repo, commit, head)) return 'export'
  const exported = (await readCommit(repo, commit))?.parents[1]
  return exported && (await treeOf(repo, exported)) === (await treeOf(repo, commit)) ? 'export' : 'import'
}

/** Whether the export is to take away what only the remote has, although the remote has all that was written here. */
const replaces = async ({ repo, request }: Sync, head: Oid, tip: Oid): Promise<boolean> =>
  request.replace === true && (await treeOf(repo, head)) !== (await treeOf(repo, tip))

/** The primary content moves to what was pushed; what was written here meanwhile is merged with it. */
async function finish({ ctx, repo, space, operation, by }: Sync, commit: Oid): Promise<void> {
  const pushed = exportRef(operation.id)
  // A commit that the space has already is its head: the remote had no such branch, and was given all of it.
  const { head } = await primaryHead(ctx, space)
  const way = await wayOf(repo, commit, head)
  const isMade = !(await isAncestor(repo, commit, head))
  const tip = isMade ? ((await readCommit(repo, commit))?.parents[0] ?? null) : null
  const counts = await countFiles(repo, tip, commit)
  await adoptCommit(ctx, space.id, {
    commit,
    ref: operation.ref,
    message: `Take in the export to ${operation.ref.slice('refs/heads/'.length)} of ${operation.url}`,
    by,
    winner: undefined,
    keepBranch: true,
    extraMoves: async () => {
      const from = await readRef(repo, pushed)
      return from ? [{ ref: pushed, from, to: null }] : []
    },
    effects: ({ at }) => finishEffects(ctx, operation, { revision: commit, at, counts, way }),
  })
}

/**
 * Notes that a commit is an export of `head`, before anybody else can have it: it is known then, even if it comes back by
 * an import because the server could not finish.
 */
async function noteExport({ ctx, repo, space, by }: Sync, oid: Oid, head: Oid): Promise<void> {
  await ctx.locks.run(space.id, async () => {
    const jump = await jumpTo(repo, { space_id: space.id, oid, previous: head }, ctx.now())
    await commitOperation(ctx, repo, {
      spaceId: space.id,
      kind: 'note-export',
      userId: by.id,
      clearance: unmoved,
      plan: () => ({
        moves: jump.moves,
        effects: [
          { do: 'note-service-commit', row: { space_id: space.id, oid, kind: 'export' } },
          ...jump.effects,
        ],
        result: undefined,
      }),
    })
  })
}

/** There was nothing to export: nothing was pushed, and nothing moves. */
async function finishUnchanged({ ctx, repo, space, operation, by }: Sync, head: Oid): Promise<void> {
  if (!(await readCommit(repo, head))) throw new SyncFailure('The space has no content to export.')
  await ctx.locks.run(space.id, () =>
    commitOperation(ctx, repo, {
      spaceId: space.id,
      kind: 'export-nothing',
      userId: by.id,
      clearance: unmoved,
      plan: () => ({
        moves: [],
        effects: finishEffects(ctx, operation, { revision: head, at: ctx.now(), counts: noFiles }),
        result: undefined,
      }),
    }),
  )
}
