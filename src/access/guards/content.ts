import { missing } from '../../errors.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { type SpaceGrant, space } from './space.ts'

/** The content of a space that is read: the primary content, that of a change request, or one revision. */
export type ContentScope =
  | { kind: 'space' }
  | { kind: 'change-request'; request: ChangeRequestRow }
  | { kind: 'revision'; oid: string }

export type ContentGrant = SpaceGrant & { scope: ContentScope }

const reader = space('read')

/** Admits readers of the space of the path to its primary content. */
export const primaryContent: Access<{ spaceId: string }, ContentGrant> = async asker => ({
  ...(await reader(asker)),
  scope: { kind: 'space' },
})

/** Admits readers of the space of the path to the content of one of its change requests, by id or number. */
export const changeRequestContent: Access<
  { spaceId: string; changeRequestId: string },
  ContentGrant
> = async asker => {
  const granted = await reader(asker)
  const { changeRequestId } = asker.params
  const request = findChangeRequest(asker.ctx.store, granted.space.id, changeRequestId)
  if (!request) throw missing('change request', changeRequestId)
  return { ...granted, scope: { kind: 'change-request', request } }
}

/**
 * Admits readers of the space of the path to one revision. Guards never read Git: opening the content checks that the
 * space has the revision.
 */
export const revisionContent: Access<
  { spaceId: string; revisionId: string },
  ContentGrant
> = async asker => ({
  ...(await reader(asker)),
  scope: { kind: 'revision', oid: asker.params.revisionId },
})
