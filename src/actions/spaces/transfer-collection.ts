import { effectiveRole } from '../../access/roles.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { queueSearchAfterTransfer } from '../../queue/search.ts'
import { deleteForeignReviewers } from '../../store/discussions/requested-reviewers.ts'
import { deleteForeignPermissions } from '../../store/people/permissions.ts'
import { findStandings } from '../../store/people/roles-of-user.ts'
import {
  findCollection,
  listCollectionsBelow,
  listSpacesBelow,
  updateCollection,
} from '../../store/spaces/collections.ts'
import { nextPosition } from '../../store/spaces/siblings.ts'
import { updateSpace } from '../../store/spaces/spaces.ts'
import type { CollectionRow, SpaceRow } from '../../store/tables/rows.ts'
import type { EventActor } from '../events/audit-event.ts'
import { recordOnCollection, recordOnSpace } from '../events/record-event.ts'
import { checkNotShown } from '../sites/check-not-shown.ts'
import { forgetSpace } from '../sites/structure/forget-space.ts'

/**
 * Transfers a collection with its contents to another organization, last at its top level. Removes
 * the permissions of teams and of users who are not members of the new organization, and removes
 * those users as requested reviewers. Throws 'unmet' if the user is not an admin of everything in
 * the collection, 'conflict' while a site shows a space in it.
 */
export const transferCollection = (
  ctx: Context,
  collection: CollectionRow,
  organizationId: string,
  by: EventActor & { userId: string },
): CollectionRow =>
  ctx.store.transact(() => {
    const row = findCollection(ctx.store, collection.id)
    if (!row) throw missing('collection', collection.id)
    const collections = listCollectionsBelow(ctx.store, row.id)
    const rows = listSpacesBelow(ctx.store, row.id)
    const spaces = rows.map(space => space.id)

    for (const [kind, ids] of [
      ['collection', collections],
      ['space', spaces],
    ] as const) {
      const standings = findStandings(ctx.store, row.organization_id, by.userId, kind, ids)
      if ([...standings.values()].some(standing => effectiveRole(standing) !== 'admin')) {
        throw new Fault(
          'contents_role_required',
          `This needs the role "admin" on every ${kind} in the collection.`,
        )
      }
    }

    leaveSites(ctx, rows, by.userId)
    const now = ctx.now()
    const at = now.toISOString()
    const position = nextPosition(ctx.store, organizationId, null)
    const moved = { organization_id: organizationId, updated_at: at }

    for (const id of collections) {
      deleteForeignPermissions(ctx.store, { kind: 'collection', id }, organizationId)
      updateCollection(ctx.store, id, moved)
    }

    for (const id of spaces) {
      deleteForeignPermissions(ctx.store, { kind: 'space', id }, organizationId)
      deleteForeignReviewers(ctx.store, id, organizationId)
      updateSpace(ctx.store, id, moved)
      queueSearchAfterTransfer(ctx.store, id, now)
    }

    const organization = { from: row.organization_id, to: organizationId }
    const happened = [by, { organization }, at] as const

    // The event is recorded in both organizations.
    for (const organization_id of [organization.from, organization.to]) {
      const collection = { id: row.id, organization_id }
      recordOnCollection(ctx, collection, 'collection.transferred', ...happened)
      for (const id of spaces)
        recordOnSpace(ctx, { id, organization_id }, 'space.transferred', ...happened)
    }

    return updateCollection(ctx.store, row.id, { parent_id: null, position }) as CollectionRow
  })

/**
 * Removes deleted spaces from sites: restored in the other organization, they would be on sites of
 * this one.
 */
function leaveSites(ctx: Context, spaces: readonly SpaceRow[], userId: string): void {
  const live = spaces.filter(({ deleted_at }) => deleted_at === null)
  checkNotShown(
    ctx,
    'collection',
    live.map(({ id }) => id),
    userId,
  )
  for (const { id, deleted_at } of spaces) if (deleted_at !== null) forgetSpace(ctx, id)
}
