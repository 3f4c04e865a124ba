import type { Context } from '../../context.ts'
import { refsWithin } from '../../git/refs/containing.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import { digestId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import type { ChangeRequestRow, SpaceRow } from '../../store/tables/rows.ts'
import { headOf } from '../repositories/head-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { moveOf } from './move-of.ts'

/** The last import of a folder into a branch. */
type LastFolder = {
  /** The commit that the next import continues. */
  commit: Oid | undefined
  /** Returns the moves that remember a later one. Call with the space's lock held. */
  remember: (commit: Oid) => RefMove[]
}

const projectRef = (remote: string, project: string): string =>
  `refs/stemma/projects/${digestId('remote', remote)}/${project}`

/** The last import into the primary content. */
const folderRef = projectRef('folder', digestId('project', 'folder'))

/** The last imports into change requests, by number. */
const requestRefs = projectRef('folder in a change request', '')

/**
 * Returns the last import of a folder into the primary content or, with `changeRequest`, into its
 * branch; `head` is the branch. What a merged change request brought counts for the other one, so
 * that the next import continues it.
 */
export async function lastFolder(
  ctx: Context,
  { id, last_change_request }: SpaceRow,
  head: Oid,
  changeRequest?: Pick<ChangeRequestRow, 'number'>,
): Promise<LastFolder> {
  const ref = changeRequest ? `${requestRefs}${changeRequest.number}` : folderRef
  const own = headOf(ctx, id, ref)
  if (changeRequest && own) return { commit: own, remember: to => moveOf(ctx, id, ref, to) }

  const merged: ReadonlyMap<string, Oid> =
    last_change_request === 0
      ? new Map()
      : await refsWithin(spaceRepository(ctx, id), head, requestRefs)
  const [newest] = merged.values()
  const commit = newest ?? headOf(ctx, id, folderRef)

  // A change request only remembers what was sent into it.
  if (changeRequest)
    return { commit, remember: to => (to === commit ? [] : moveOf(ctx, id, ref, to)) }

  return {
    commit,
    remember: to => [
      ...[...merged].flatMap(([ref, from]) =>
        headOf(ctx, id, ref) === from ? [{ ref, from, to: null }] : [],
      ),
      ...moveOf(ctx, id, ref, to),
    ],
  }
}
