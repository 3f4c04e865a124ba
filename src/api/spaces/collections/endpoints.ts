import { collection, roleOnCollection } from '../../../access/guards/collection.ts'
import { organization } from '../../../access/guards/organization.ts'
import { checkBeside, moveWithoutGain, placeToCreate } from '../../../access/guards/placement.ts'
import { withoutGain } from '../../../access/without-gain.ts'
import { changedFields } from '../../../actions/events/changed-fields.ts'
import { recordOnCollection } from '../../../actions/events/record-event.ts'
import { checkDepth, moveCollection as move } from '../../../actions/spaces/move-collection.ts'
import { transferCollection as transfer } from '../../../actions/spaces/transfer-collection.ts'
import type { Context } from '../../../context.ts'
import { Fault } from '../../../errors.ts'
import { created, endpoint, inTransaction } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { removal } from '../../../http/removal.ts'
import { randomId } from '../../../lib/digest.ts'
import {
  deleteCollection,
  findCollections,
  insertCollection,
  listCollections,
  updateCollection,
} from '../../../store/spaces/collections.ts'
import { nextPosition } from '../../../store/spaces/siblings.ts'
import { findSpaces, listSpaces } from '../../../store/spaces/spaces.ts'
import { listThingsBelow } from '../../../store/spaces/things.ts'
import type { CollectionRow } from '../../../store/tables/rows.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { loadSpaces } from '../load.ts'
import { MoveBody, TransferBody } from '../move-schema.ts'
import { Space } from '../schema.ts'
import { visibleList } from '../visible-list.ts'
import { presentCollection } from './present.ts'
import {
  Collection,
  CollectionBody,
  CollectionPatch,
  CollectionPath,
  CollectionsQuery,
} from './schema.ts'

export const listCollectionsInOrganizationById = listing({
  operationId: 'listCollectionsInOrganizationById',
  summary: 'List the collections of an organization',
  description:
    'Returns the collections that you can see. Collections with the same parent are in their order.',
  params: OrganizationPath,
  query: CollectionsQuery,
  item: Collection,
  access: organization('guest'),
  list: ({ ctx, organization: { id: organizationId }, user, query: { nested = true } }) =>
    visibleList(
      ctx,
      `collections ${organizationId} ${nested}`,
      { organizationId, userId: user.id, kind: 'collection' },
      {
        read: (limit, after) =>
          listCollections(ctx.store, organizationId, { nested }, limit, after),
        find: ids => findCollections(ctx.store, ids),
        show: rows => rows.map(({ row, role }) => presentCollection(row, role, ctx.publicUrl())),
      },
    ),
})

export const createCollection = endpoint({
  operationId: 'createCollection',
  summary: 'Create a collection',
  description:
    'Creates a collection at the end of its parent. Requires the role "create" in the organization, or on the parent collection.',
  params: OrganizationPath,
  body: CollectionBody,
  bodyOptional: true,
  reply: Collection,
  status: 201,
  access: organization('guest'),
  handle: ({ ctx, organization: { id: organizationId }, user, body, by }) => {
    const parentId = body.parent ?? null
    return inTransaction(() => {
      placeToCreate(ctx, organizationId, parentId, user.id)
      checkDepth(ctx, parentId, 1)
      const at = ctx.now().toISOString()
      const row = insertCollection(ctx.store, {
        id: randomId(),
        organization_id: organizationId,
        parent_id: parentId,
        title: body.title ?? 'Untitled',
        position: nextPosition(ctx.store, organizationId, parentId),
        created_at: at,
      })

      recordOnCollection(ctx, row, 'collection.created', by, {
        ...(parentId !== null && { parent: parentId }),
      })

      const shown = presentCollection(
        row,
        roleOnCollection(ctx, row, user.id) ?? 'read',
        ctx.publicUrl(),
      )

      return created(shown)
    })
  },
})

export const getCollectionById = endpoint({
  operationId: 'getCollectionById',
  summary: 'Get a collection',
  description:
    'Returns the collection; `permissions` says what you may do with it. `GET …/spaces` returns its spaces.',
  params: CollectionPath,
  reply: Collection,
  access: collection('read'),
  handle: ({ ctx, collection: row, role }) => presentCollection(row, role, ctx.publicUrl()),
})

export const updateCollectionById = endpoint({
  operationId: 'updateCollectionById',
  summary: 'Update a collection',
  description:
    'Properties that are left out stay unchanged. Requires the role "admin" on the collection.',
  params: CollectionPath,
  body: CollectionPatch,
  reply: Collection,
  access: collection('admin'),
  write: ({ ctx, collection: before, user, body, by }) => {
    const at = ctx.now().toISOString()
    const set = {
      ...(body.title !== undefined && { title: body.title }),
      ...(body.description !== undefined && { description: body.description || null }),
      ...(body.defaultLevel !== undefined && { default_level: body.defaultLevel }),
      updated_at: at,
    }
    const row = change(ctx, before, user.id, set)
    const details = changedFields(before, row, ['default_level'])

    if (details) recordOnCollection(ctx, before, 'collection.updated', by, details)

    return presentCollection(row, roleOnCollection(ctx, row, user.id) ?? 'read', ctx.publicUrl())
  },
})

export const deleteCollectionById = removal({
  operationId: 'deleteCollectionById',
  summary: 'Delete a collection',
  description:
    'Deletes an empty collection: one with spaces or collections in it is refused. Deleted spaces that can still be restored move to the parent. Requires the role "admin" on the collection. The operation also succeeds when the collection does not exist.',
  params: CollectionPath,
  access: collection('admin'),
  remove: ({ ctx, collection: row, user, by }) => {
    const at = ctx.now().toISOString()
    if (!deleteWithoutGain(ctx, row, user.id, at)) {
      throw new Fault(
        'not_empty',
        'The collection is not empty. Move or delete its spaces and collections first.',
      )
    }

    recordOnCollection(ctx, row, 'collection.deleted', by)
  },
})

export const listSpacesInCollectionById = listing({
  operationId: 'listSpacesInCollectionById',
  summary: 'List the spaces of a collection',
  description: 'Returns the spaces directly in the collection that you can see, in their order.',
  params: CollectionPath,
  item: Space,
  access: collection('read'),
  list: ({ ctx, collection: row, user }) =>
    visibleList(
      ctx,
      `spaces of collection ${row.id}`,
      { organizationId: row.organization_id, userId: user.id, kind: 'space' },
      {
        read: (limit, after, among) =>
          listSpaces(ctx.store, { collectionId: row.id }, limit, after, among),
        find: ids => findSpaces(ctx.store, ids),
        show: rows => loadSpaces(ctx, rows, user.id),
      },
    ),
})

export const moveCollection = endpoint({
  operationId: 'moveCollection',
  summary: 'Move a collection',
  description:
    'Moves the collection with its content into another collection of the organization, or to the top level. Requires the role "create" on the collection and at the destination. If a user would gain a stronger role on a moved space or collection, also through a default level or a grant, you need "admin" on it.',
  params: CollectionPath,
  body: MoveBody,
  reply: Collection,
  access: collection('create'),
  handle: ({ ctx, body, by }) => {
    const check = body.parent === undefined ? checkBeside : placeToCreate
    return inTransaction(({ collection: row, user }) => {
      const from = row.parent_id
      const parentId = body.parent === undefined ? from : body.parent
      check(ctx, row.organization_id, parentId, user.id)
      const place = { parentId, position: body.position ?? {} }
      const item = { organizationId: row.organization_id, from, to: parentId }
      const moved = moveWithoutGain(ctx, { kind: 'collection', id: row.id, ...item }, user.id, () =>
        move(ctx, row, place, by),
      )

      return presentCollection(
        moved,
        roleOnCollection(ctx, moved, user.id) ?? 'read',
        ctx.publicUrl(),
      )
    })
  },
})

export const transferCollection = endpoint({
  operationId: 'transferCollection',
  summary: 'Transfer a collection to another organization',
  description:
    'Moves the collection with its content to another organization, to the end of its top level. Grants to teams, and to users who do not belong to the other organization, are removed. Requires the role "admin" on the collection and on everything in it, and "create" in the other organization.',
  params: CollectionPath,
  body: TransferBody,
  reply: Collection,
  access: collection('admin'),
  write: ({ ctx, collection: row, user, body, by }) => {
    placeToCreate(ctx, body.organization, null, user.id)
    if (body.organization === row.organization_id)
      throw new Fault('already_there', 'The collection already belongs to this organization.')
    const moved = transfer(ctx, row, body.organization, by)

    return presentCollection(
      moved,
      roleOnCollection(ctx, moved, user.id) ?? 'read',
      ctx.publicUrl(),
    )
  },
})

/**
 * Updates a collection. Throws 'forbidden' when a new default level widens access to items that the
 * caller does not administer.
 */
function change(
  ctx: Context,
  { id, organization_id: organizationId }: CollectionRow,
  userId: string,
  set: Parameters<typeof updateCollection>[2],
): CollectionRow {
  const update = () => updateCollection(ctx.store, id, set) as CollectionRow
  if (set.default_level === undefined) return update()
  const things = listThingsBelow(ctx.store, { kind: 'collection', id })
  return withoutGain(ctx, { organizationId, userId, things, watched: 'everybody' }, update)
}

/**
 * Deletes a collection; returns false when it contains more than deleted spaces. Throws 'forbidden'
 * when a user would have a stronger role on one of these once it is restored, and the caller does
 * not administer it.
 */
function deleteWithoutGain(ctx: Context, row: CollectionRow, userId: string, at: string): boolean {
  const { id, organization_id: organizationId } = row
  const { space } = listThingsBelow(ctx.store, { kind: 'collection', id })
  const things = { space, collection: [] }
  return withoutGain(ctx, { organizationId, userId, things, watched: 'everybody' }, () =>
    deleteCollection(ctx.store, row, at),
  )
}
