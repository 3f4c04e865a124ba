import { readCommit } from '../../git/objects/objects.ts'
import { readRef } from '../../git/refs/refs.ts'
import { pushRemote } from '../../git/remotes/remotes.ts'
import { findEntry, treeOf } from '../../git/trees/tree-files.ts'
import type { Oid } from '../../git/values/oid.ts'
import { unmoved } from '../clearance/clear-content.ts'
import { primaryHead } from '../heads/reconcile-space.ts'
import { commitOperation } from '../journal/commit-operation.ts'
import { checkMaySync } from './check-may-sync.ts'
import { combineTrees, winnerOf } from './combine-trees.ts'
import { countFiles, type FileCounts, noFiles } from './count-files.ts'
import { fetchBranch, projectRef, remoteOf } from './fetch-branch.ts'
import { finishEffects } from './finish-git-sync.ts'
import { commitOfDirectory, projectDirectory } from './project-directory.ts'
import type { Sync } from './queue-git-sync.ts'
import { writeExport } from './write-export.ts'

/**
 * Exports the primary content into one folder of a remote's branch: one commit on the remote's tip in which that folder
 * is the space's content and everything else is as it was. What the remote changed in the folder since the last sync
 * is merged first. The space remembers which of its commits stands for the folder now.
 */
export async function exportDirectory(order: Sync): Promise<void> {
  const { ctx, repo, space, operation, request, track, signal } = order
  const directory = projectDirectory(request.repoProjectDirectory)
  const project = projectRef(operation, request, directory)
  track.stage('repo_fetch')
  const tip = await fetchBranch(ctx, repo, operation, { signal, track })
  track.stage('content_process')
  const { head } = await primaryHead(ctx, space)
  const content = await contentToExport(order, head, tip, directory, project)
  const there = tip && (await folderTree(order, tip, directory))
  let counts: FileCounts | undefined = noFiles
  if (there !== content) {
    const commit = await directoryCommit(order, tip, directory, content)
    counts = await countFiles(repo, tip ?? null, commit)
    track.stage('finalize')
    const remote = await remoteOf(ctx, operation)
    checkMaySync(ctx, operation, 'export')
    await pushRemote(repo, remote, { oid: commit, ref: operation.ref, expected: tip ?? null, signal })
  }
  await finishDirectory(order, head, { content, project, counts })
}

/** The tree of the space's content with what the remote changed in the folder merged in. */
async function contentToExport(
  { repo, request }: Sync,
  head: Oid,
  tip: Oid | undefined,
  directory: string,
  project: string,
): Promise<Oid> {
  const ours = await readCommit(repo, head)
  if (!ours) throw new Error(`The commit ${head} cannot be read.`)
  const known = await readRef(repo, project)
  if (!tip || !(await findEntry(repo, tip, directory))) return ours.tree
  const theirs = await commitOfDirectory(repo, tip, directory, project)
  if (known === theirs || request.replace) return ours.tree
  return combineTrees(repo, head, theirs, winnerOf(request, 'ours'))
}

async function folderTree({ repo }: Sync, tip: Oid, directory: string): Promise<Oid | undefined> {
  const entry = await findEntry(repo, tip, directory)
  return entry?.mode === '040000' ? entry.oid : undefined
}

/** A commit on the remote's tip in which the folder is `content`, as it is: also what no text can name goes out. */
async function directoryCommit(
  order: Sync,
  tip: Oid | undefined,
  directory: string,
  content: Oid,
): Promise<Oid> {
  const base = tip ? await treeOf(order.repo, tip) : null
  const folder = { path: directory, oid: content, mode: '40000' }
  return writeExport(order, base, [folder], tip ? [tip] : [])
}

/** Remembers that the folder now holds our head; what was merged in from the remote comes with the next import. */
async function finishDirectory(
  { ctx, repo, space, operation, by }: Sync,
  head: Oid,
  { content, project, counts }: { content: Oid; project: string; counts: FileCounts | undefined },
): Promise<void> {
  await ctx.locks.run(space.id, async () => {
    const from = (await readRef(repo, project)) ?? null
    const same = (await readCommit(repo, head))?.tree === content
    const moves = same && from !== head ? [{ ref: project, from, to: head }] : []
    await commitOperation(ctx, repo, {
      spaceId: space.id,
      kind: 'export-directory',
      userId: by.id,
      clearance: unmoved,
      plan: () => ({
        moves,
        effects: finishEffects(ctx, operation, { revision: head, at: ctx.now(), counts }),
        result: undefined,
      }),
    })
  })
}
