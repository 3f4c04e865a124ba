import { missing } from '../../errors.ts'
import { asOid, type Oid } from '../../lib/oid.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import { rememberedSpace } from '../../store/spaces/spaces.ts'
import type { ChangeRequestRow, SpaceRow } from '../../store/tables/rows.ts'
import type { Access, Asker, Reader } from '../asker.ts'
import { needing } from './needing.ts'
import { type SpaceGrant, space } from './space.ts'

const toRead = { role: 'read', on: 'space' } as const

/**
 * The content of a space that is read: the primary content, that of a change request, or one
 * revision.
 */
type ContentScope =
  | { kind: 'space' }
  | { kind: 'change-request'; request: ChangeRequestRow }
  | { kind: 'revision'; oid: Oid }

export type ContentGrant = SpaceGrant & { scope: ContentScope; reader?: undefined }

/**
 * A reader of a published site, who may only read its content at the primary head, as far as
 * conditions allow.
 */
export type ReaderGrant = { space: SpaceRow; user?: undefined; reader: Reader; scope: ContentScope }

export type PublishedGrant = ContentGrant | ReaderGrant

const member = space('read')

/** Admits users with read access to the space of the path to its primary content. */
export const primaryContent: Access<{ spaceId: string }, ContentGrant> = needing(toRead, asker => ({
  ...member(asker),
  scope: { kind: 'space' },
}))

/**
 * Admits users with read access to the space of the path to the content of one of its change
 * requests, by id or number.
 */
export const changeRequestContent: Access<
  { spaceId: string; changeRequestId: string },
  ContentGrant
> = needing(toRead, asker => {
  const granted = member(asker)
  const { changeRequestId } = asker.params
  const request = findChangeRequest(asker.ctx.store, granted.space.id, changeRequestId)
  if (!request) throw missing('change request', changeRequestId)
  return { ...granted, scope: { kind: 'change-request', request } }
})

/**
 * Admits users with read access to the space of the path to one revision. Guards never read Git:
 * opening the content checks that the space has the revision.
 */
export const revisionContent: Access<{ spaceId: string; revisionId: string }, ContentGrant> =
  needing(toRead, asker => ({
    ...member(asker),
    scope: { kind: 'revision', oid: asOid(asker.params.revisionId) },
  }))

/** Admits the users that `primaryContent` admits, and readers of a site that shows the space. */
export const publishedContent: Access<{ spaceId: string }, PublishedGrant> = needing(
  toRead,
  asker => readerGrant(asker, { kind: 'space' }) ?? primaryContent(asker),
)

/**
 * Admits the users that `revisionContent` admits, and readers of a site that shows the space.
 * Opening the content checks that the revision is the published one.
 */
export const publishedRevision: Access<{ spaceId: string; revisionId: string }, PublishedGrant> =
  needing(
    toRead,
    asker =>
      readerGrant(asker, { kind: 'revision', oid: asOid(asker.params.revisionId) }) ??
      revisionContent(asker),
  )

/**
 * Returns the grant of a reader; undefined for other callers. Throws 'missing' for a space that the
 * reader is not shown.
 */
export function readerGrant(
  { ctx, actor, params }: Pick<Asker<{ spaceId: string }>, 'ctx' | 'actor' | 'params'>,
  scope: ContentScope,
): ReaderGrant | undefined {
  if (actor.type !== 'reader') return undefined
  const row = actor.spaceIds.has(params.spaceId)
    ? rememberedSpace(ctx.store, params.spaceId)
    : undefined
  if (!row || row.deleted_at !== null) throw missing('space', params.spaceId)
  return { space: row, reader: actor, scope }
}
