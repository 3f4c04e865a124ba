import { openQuarantine, type Quarantine } from '../../git/commits/quarantine.ts'
import { readCommit } from '../../git/objects/objects.ts'
import { pushRemote } from '../../git/remotes/remotes.ts'
import { findEntry, treeOf } from '../../git/trees/tree-files.ts'
import type { Oid } from '../../lib/oid.ts'
import { unmoved } from '../clearance/clear-content.ts'
import { lockSpace } from '../heads/open-space.ts'
import { primaryHead } from '../heads/primary-head.ts'
import { publish } from '../journal/publish.ts'
import { headOf } from '../repositories/head-of.ts'
import { checkMaySync } from './check-may-sync.ts'
import { combineTrees, winnerOf } from './combine-trees.ts'
import { countFiles, type FileCounts, noFiles } from './count-files.ts'
import { fetchBranch, projectRef, remoteOf } from './fetch-branch.ts'
import { commitOfDirectory, projectDirectory } from './project-directory.ts'
import { finishEffects } from './record-run.ts'
import type { Sync } from './sync-run.ts'
import { writeExport } from './write-export.ts'

/**
 * Exports the primary content into one folder of a remote's branch: one commit on the remote's tip
 * that replaces that folder and nothing else. Changes made there since the last sync are merged
 * first. The space remembers which of its commits the folder now has, but not if `standalone`.
 */
export async function exportDirectory(sync: Sync): Promise<void> {
  const { ctx, repo, space, run, request, track, signal } = sync
  const directory = projectDirectory(request.repoProjectDirectory)
  const project = projectRef(run, request, directory)
  track.stage('repo_fetch')
  const tip = await fetchBranch(ctx, repo, run, { signal, track })

  track.stage('content_process')
  const { head } = await primaryHead(ctx, space)
  const quarantine = openQuarantine(repo)
  const content = await contentToExport({ ...sync, quarantine }, head, tip, directory, project)
  const current = tip && (await folderTree(sync, tip, directory))
  let counts: FileCounts | undefined = noFiles

  if (current !== content) {
    const commit = await directoryCommit({ ...sync, quarantine }, tip, directory, content)
    counts = await countFiles(repo, tip ?? null, commit)
    track.stage('finalize')
    const remote = await remoteOf(ctx, run)
    checkMaySync(ctx, run, 'export')
    await pushRemote(repo, remote, { oid: commit, ref: run.ref, expected: tip ?? null, signal })
  }

  await finishDirectory(sync, head, { content, project, counts })
}

type Exporting = Sync & { quarantine: Quarantine }

/** Returns the tree of the space's content, merged with what the remote changed in the folder. */
async function contentToExport(
  { ctx, repo, space, quarantine, request }: Exporting,
  head: Oid,
  tip: Oid | undefined,
  directory: string,
  project: string,
): Promise<Oid> {
  const ours = await readCommit(repo, head)
  if (!ours) throw new Error(`The commit ${head} cannot be read.`)
  const known = headOf(ctx, space.id, project)
  if (!tip || !(await findEntry(repo, tip, directory))) return ours.tree
  const theirs = await commitOfDirectory(repo, tip, directory, known)
  if (known === theirs || request.replace) return ours.tree
  return combineTrees(repo, quarantine, head, theirs, winnerOf(request, 'ours'))
}

async function folderTree({ repo }: Sync, tip: Oid, directory: string): Promise<Oid | undefined> {
  const entry = await findEntry(repo, tip, directory)
  return entry?.mode === '040000' ? entry.oid : undefined
}

/**
 * Writes a commit on the remote's tip with `content` as the folder. Files whose names are not valid
 * text are exported too.
 */
async function directoryCommit(
  exporting: Exporting,
  tip: Oid | undefined,
  directory: string,
  content: Oid,
): Promise<Oid> {
  const { repo, quarantine } = exporting
  const base = tip ? await treeOf(repo, tip) : null
  const folder = { path: directory, oid: content, mode: '40000' }
  const commit = await writeExport(exporting, quarantine, base, [folder], tip ? [tip] : [])
  await quarantine.flush()
  return commit
}

/**
 * Ends the run. Remembers that the folder has our head; content merged from the remote arrives with
 * the next import.
 */
async function finishDirectory(
  sync: Sync,
  head: Oid,
  { content, project, counts }: { content: Oid; project: string; counts: FileCounts | undefined },
): Promise<void> {
  const { ctx, repo, space, request, by } = sync
  await lockSpace(ctx, space.id, async () => {
    const from = headOf(ctx, space.id, project) ?? null
    const same = (await readCommit(repo, head))?.tree === content
    const isKept = same && from !== head && !request.standalone
    const moves = isKept ? [{ ref: project, from, to: head }] : []
    await publish(ctx, repo, {
      key: space.id,
      kind: 'export-directory',
      userId: by.id,
      clearance: unmoved,
      plan: () => ({
        moves,
        effects: finishEffects(sync, { revision: head, at: ctx.now(), counts }),
        result: undefined,
      }),
    })
  })
}
