import type { Way } from '../../access/guards/primary.ts'
import type { Context } from '../../context.ts'
import { isAncestor } from '../../git/commits/merge.ts'
import { openQuarantine, type Quarantine } from '../../git/commits/quarantine.ts'
import { readCommit } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { pushRemote } from '../../git/remotes/remotes.ts'
import { treeOf } from '../../git/trees/tree-files.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import type { GitSyncRunRow } from '../../store/tables/rows.ts'
import { clearContent, unmoved } from '../clearance/clear-content.ts'
import { lockSpace } from '../heads/open-space.ts'
import { primaryHead } from '../heads/primary-head.ts'
import { jumpTo } from '../heads/published-jump.ts'
import { publish } from '../journal/publish.ts'
import { headOf } from '../repositories/head-of.ts'
import { exportRef } from '../repositories/ref-names.ts'
import { adoptCommit } from './adopt-commit.ts'
import { checkMaySync } from './check-may-sync.ts'
import { combineTrees, winnerOf } from './combine-trees.ts'
import { countFiles, type FileCounts, noFiles } from './count-files.ts'
import { exportDirectory } from './export-directory.ts'
import { fetchBranch, projectRef, remoteOf } from './fetch-branch.ts'
import { projectDirectory } from './project-directory.ts'
import { rebasedCommit } from './rebased-commit.ts'
import { finishEffects } from './record-run.ts'
import { SyncFailure } from './sync-failure.ts'
import type { Sync } from './sync-run.ts'
import { writeExport } from './write-export.ts'

/** How often an export is rebuilt on a remote that has moved meanwhile. */
const mostTries = 5

/**
 * Exports the primary content to a branch of a remote: one commit on top of the remote's tip,
 * pushed with a lease; then the primary content moves to it, so that both ends have the same
 * commit, but not if `standalone`. Throws what `syncFailureOf` understands.
 */
export async function exportRepository(sync: Sync): Promise<void> {
  const exportOnce = projectDirectory(sync.request.repoProjectDirectory)
    ? exportDirectory
    : exportWhole
  for (let tries = 1; ; tries++) {
    try {
      return await exportOnce(sync)
    } catch (error) {
      // The remote moved between fetch and push: merge and retry.
      if (tries >= mostTries || !isGitError(error, 'rejected')) throw error
    }
  }
}

async function exportWhole(sync: Sync): Promise<void> {
  const { ctx, repo, space, run, request, by, track, signal } = sync
  track.stage('repo_fetch')
  const tip = await fetchBranch(ctx, repo, run, { signal, track })
  track.stage('content_process')
  const { head } = await primaryHead(ctx, space)
  const before = headOf(ctx, space.id, exportRef(run.id))

  // An interrupted try has pushed it already; the remote may have moved on from there.
  if (tip && before && (await isAncestor(repo, before, tip))) return finish(sync, before)
  if (tip && (await isAncestor(repo, head, tip)) && !(await replaces(sync, head, tip)))
    return finishUnchanged(sync, head)

  const quarantine = openQuarantine(repo)
  const commit = tip ? await exportCommit(sync, quarantine, head, tip) : head

  // The primary content will move to this commit: check it before it leaves the server.
  const writer = { space, by, ...(tip && { quarantine }) }

  await clearContent(ctx, repo, writer, { head: commit, beside: [head] })
  if (tip) await quarantine.flush()
  await recordExport(sync, { commit, exported: head, isNew: tip !== undefined })
  track.stage('finalize')
  const remote = await remoteOf(ctx, run)

  checkMaySync(ctx, run, request.standalone ? 'export' : await wayOf(repo, commit, head))
  await pushRemote(repo, remote, { oid: commit, ref: run.ref, expected: tip ?? null, signal })
  ctx.log.info({ space: space.id, run: run.id, force: request.force, by: by.id }, 'exported')

  return finish(sync, commit)
}

/** Drops the commit that a failed export was about to push. */
export async function forgetExport(
  ctx: Context,
  repo: Repository,
  run: GitSyncRunRow,
): Promise<void> {
  const { space_id: spaceId, created_by: userId } = run
  const ref = exportRef(run.id)
  await lockSpace(ctx, spaceId, async () => {
    const from = headOf(ctx, spaceId, ref)
    if (!from) return
    await publish(ctx, repo, {
      key: spaceId,
      kind: 'forget-export',
      userId,
      clearance: unmoved,
      plan: () => ({ moves: [{ ref, from, to: null }], effects: [], result: undefined }),
    })
  })
}

/**
 * Writes a commit with the remote's tip as first and our head as second parent, so that the
 * remote's first-parent line has one commit per export.
 */
async function exportCommit(sync: Sync, quarantine: Quarantine, head: Oid, tip: Oid): Promise<Oid> {
  const { ctx, repo, space, run, request } = sync
  if (await isAncestor(repo, tip, head))
    return writeExport(sync, quarantine, await treeOf(repo, head), [], [tip, head])
  const seen = headOf(ctx, space.id, projectRef(run, request, ''))
  const theirs = await rebasedCommit(repo, { head, commit: tip, seen })
  const tree = await combineTrees(repo, quarantine, head, theirs, winnerOf(request, 'ours'))
  return writeExport(sync, quarantine, tree, [], [tip, head])
}

/**
 * Returns 'import' if the export's commit contains remote content that the exported head lacks,
 * else 'export'.
 */
async function wayOf(repo: Repository, commit: Oid, head: Oid): Promise<Way> {
  if (await isAncestor(repo, commit, head)) return 'export'
  const exported = (await readCommit(repo, commit))?.parents[1]
  return exported && (await treeOf(repo, exported)) === (await treeOf(repo, commit))
    ? 'export'
    : 'import'
}

/**
 * Returns whether the export has to delete what only the remote has, although the remote contains
 * our head.
 */
const replaces = async ({ repo, request }: Sync, head: Oid, tip: Oid): Promise<boolean> =>
  request.replace === true && (await treeOf(repo, head)) !== (await treeOf(repo, tip))

/**
 * Moves the primary content to what was pushed, merging what was written here meanwhile. A
 * standalone export only ends.
 */
async function finish(sync: Sync, commit: Oid): Promise<void> {
  const { ctx, repo, space, run, request, by } = sync
  const pushed = exportRef(run.id)
  // If the head contains the commit, it is the head itself: the remote had no such branch and got
  // all of it.
  const { head } = await primaryHead(ctx, space)
  const isNew = !(await isAncestor(repo, commit, head))
  const [tip = null, exported = commit] = isNew
    ? ((await readCommit(repo, commit))?.parents ?? [])
    : []
  const counts = await countFiles(repo, tip, commit)
  if (request.standalone) return end(sync, 'export-standalone', { revision: exported, counts })

  const way = await wayOf(repo, commit, head)
  await adoptCommit(ctx, space.id, {
    commit,
    ref: run.ref,
    message: `Take in the export to ${run.ref.slice('refs/heads/'.length)} of ${run.url}`,
    by,
    way,
    winner: undefined,
    keepBranch: true,
    extraMoves: async () => {
      const from = headOf(ctx, space.id, pushed)
      return from ? [{ ref: pushed, from, to: null }] : []
    },
    effects: ({ at }) => finishEffects(sync, { revision: commit, at, counts, way }),
  })
}

/**
 * Records a commit before the remote gets it, so that it is recognised there after a restart; a new
 * one also as an export of our head, so that it is recognised even if it returns by an import
 * because the export could not finish.
 */
async function recordExport(
  { ctx, repo, space, run, by }: Sync,
  { commit, exported, isNew }: { commit: Oid; exported: Oid; isNew: boolean },
): Promise<void> {
  await lockSpace(ctx, space.id, async () => {
    const row = { space_id: space.id, oid: commit }
    const jump = isNew
      ? await jumpTo(ctx, repo, { ...row, previous: exported }, ctx.now())
      : { moves: [], effects: [] }
    const ref = exportRef(run.id)
    const from = headOf(ctx, space.id, ref) ?? null
    await publish(ctx, repo, {
      key: space.id,
      kind: 'note-export',
      userId: by.id,
      clearance: unmoved,
      plan: () => ({
        moves: [...jump.moves, { ref, from, to: commit }],
        effects: [
          ...(isNew
            ? [{ do: 'note-service-commit', row: { ...row, kind: 'export' } } as const]
            : []),
          ...jump.effects,
        ],
        result: undefined,
      }),
    })
  })
}

/** Ends an export that had nothing to push. */
async function finishUnchanged(sync: Sync, head: Oid): Promise<void> {
  if (!(await readCommit(sync.repo, head)))
    throw new SyncFailure('The space has no content to export.')
  await end(sync, 'export-nothing', { revision: head, counts: noFiles })
}

/** Ends an export that leaves the primary content as it is. */
async function end(
  sync: Sync,
  kind: string,
  { revision, counts }: { revision: Oid; counts: FileCounts | undefined },
): Promise<void> {
  const { ctx, repo, space, run, by } = sync
  const pushed = exportRef(run.id)
  await lockSpace(ctx, space.id, async () => {
    const from = headOf(ctx, space.id, pushed)
    await publish(ctx, repo, {
      key: space.id,
      kind,
      userId: by.id,
      clearance: unmoved,
      plan: () => ({
        moves: from ? [{ ref: pushed, from, to: null }] : [],
        effects: finishEffects(sync, { revision, at: ctx.now(), counts }),
        result: undefined,
      }),
    })
  })
}
