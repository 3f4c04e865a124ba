import type { Change } from '../../content/edit/changes.ts'
import type { Context } from '../../context.ts'
import type { Quarantine } from '../../git/commits/quarantine.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import type { Oid } from '../../lib/oid.ts'
import type { SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { service } from '../repositories/commit-signatures.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { writeIdentityNotes } from '../revisions/identity.ts'
import { viewRevision } from '../revisions/view-revision.ts'
import { applyToRevision } from './apply-to-revision.ts'
import { writeRevision } from './write-revision.ts'

type FirstEdit = {
  space: SpaceRow
  /** The number of the new change request. */
  number: number
  by: UserRow
  at: Date
  head: Oid
  changes: readonly Change[]
  /** The first line of its message; undefined: what the changes do. */
  message?: string | undefined
}

/**
 * Writes into a quarantine the commit that a new change request begins with, on top of the primary
 * head; undefined for changes that change nothing. `note` writes the ids of its pages, once the
 * quarantine is flushed; the moves it returns belong to that of the branch. Throws like
 * `applyToRevision`. Hold the space's lock.
 */
export async function writeFirstEdit(
  ctx: Context,
  quarantine: Quarantine,
  { space, number, by, at, head, changes, message }: FirstEdit,
): Promise<{ commit: Oid; note: () => Promise<RefMove[]> } | undefined> {
  const repo = spaceRepository(ctx, space.id)
  const view = await viewRevision(ctx, space.id, head)
  const edits = await applyToRevision(ctx, repo, {
    spaceId: space.id,
    view,
    changes,
    origin: undefined,
  })
  const changeRequest = { number }
  const written = await writeRevision(quarantine, {
    space,
    changeRequest,
    by,
    at,
    view,
    changes,
    edits,
    message,
  })
  if (!written) return undefined

  const { commit } = written
  const note = () =>
    writeIdentityNotes(ctx, repo, space.id, [{ commit, identity: edits.identity }], service(at))

  return { commit, note }
}
