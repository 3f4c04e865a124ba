import { openQuarantine } from '../../git/commits/quarantine.ts'
import type { TreeChangeRequest } from '../../git/trees/tree-edit.ts'
import type { Oid } from '../../git/values/oid.ts'
import { authorOf, service, withTrailers } from '../repositories/commit-signatures.ts'
import type { Sync } from './sync-run.ts'

/** Writes the commit that an export pushes: the tree `base` (null: the empty one) with `changes` applied. */
export async function writeExport(
  { ctx, repo, space, request, by }: Sync,
  base: Oid | null,
  changes: readonly TreeChangeRequest[],
  parents: readonly Oid[],
): Promise<Oid> {
  const at = ctx.now()
  const quarantine = openQuarantine(repo)
  const commit = await quarantine.writeCommit({
    tree: changes.length > 0 || !base ? await quarantine.writeTree(base, changes) : base,
    parents,
    author: authorOf(by, at),
    committer: service(at),
    message: withTrailers(request.commitMessage ?? 'Export', {
      'Stemma-Space': space.id,
      'Stemma-Operation': 'export',
    }),
  })
  await quarantine.flush()
  return commit
}
