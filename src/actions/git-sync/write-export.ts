import type { Quarantine } from '../../git/commits/quarantine.ts'
import type { TreeChangeRequest } from '../../git/trees/tree-edit.ts'
import type { Oid } from '../../lib/oid.ts'
import { authorOf, service, withTrailers } from '../repositories/commit-signatures.ts'
import type { Sync } from './sync-run.ts'

/**
 * Writes the commit that an export pushes into the quarantine: the tree `base` (null: the empty
 * one) with `changes` applied.
 */
export async function writeExport(
  { ctx, space, request, by }: Sync,
  quarantine: Quarantine,
  base: Oid | null,
  changes: readonly TreeChangeRequest[],
  parents: readonly Oid[],
): Promise<Oid> {
  const at = ctx.now()
  return quarantine.writeCommit({
    tree: changes.length > 0 || !base ? await quarantine.writeTree(base, changes) : base,
    parents,
    author: authorOf(by, at),
    committer: service(at),
    message: withTrailers(request.commitMessage ?? 'Export from Stemma', {
      'Stemma-Space': space.id,
      'Stemma-Operation': 'export',
    }),
  })
}
