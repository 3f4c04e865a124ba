import { organization } from '../../access/guards/organization.ts'
import { checkBeside, moveWithoutGain, placeToCreate } from '../../access/guards/placement.ts'
import { readSpace } from '../../access/guards/reading.ts'
import { type SpaceGrant, space } from '../../access/guards/space.ts'
import { roleOnSpace } from '../../access/space-role.ts'
import { primaryHead } from '../../actions/heads/primary-head.ts'
import { createSpace as create } from '../../actions/spaces/create-space.ts'
import { deleteSpace, restoreSpace as restore } from '../../actions/spaces/delete-space.ts'
import { duplicateSpace as duplicate } from '../../actions/spaces/duplicate-space.ts'
import { moveSpace as move } from '../../actions/spaces/move-space.ts'
import { readTemplate } from '../../actions/spaces/read-templates.ts'
import { transferSpace as transfer } from '../../actions/spaces/transfer-space.ts'
import type { Context } from '../../context.ts'
import { Fault, invalid } from '../../errors.ts'
import { created, endpoint, inTransaction } from '../../http/endpoint.ts'
import { listing } from '../../http/list.ts'
import { removal } from '../../http/removal.ts'
import {
  type AfterDeletion,
  findSpaces,
  listDeletedSpaces as listDeleted,
  listSpaces,
} from '../../store/spaces/spaces.ts'
import type { SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { OrganizationPath } from '../base/organizations/schema.ts'
import { SpacePath } from '../base/paths-schema.ts'
import { changeSettings } from './change-settings.ts'
import { loadSpace, loadSpaceForReader, loadSpaces, showSpace, type Viewer } from './load.ts'
import { MoveBody, TransferBody } from './move-schema.ts'
import { Space, SpaceBody, SpacePatch, SpaceQuery } from './schema.ts'
import { visibleList } from './visible-list.ts'

export const listSpacesInOrganizationById = listing({
  operationId: 'listSpacesInOrganizationById',
  summary: 'List the spaces of an organization',
  description:
    'Returns the spaces that you can see, without deleted ones. Spaces of one collection are in their order. `revision` is the newest revision that the server has recorded.',
  params: OrganizationPath,
  item: Space,
  access: organization('guest'),
  list: ({ ctx, organization: { id: organizationId }, user }) =>
    visibleList(
      ctx,
      `spaces ${organizationId}`,
      { organizationId, userId: user.id, kind: 'space' },
      {
        read: (limit, after, among) =>
          listSpaces(ctx.store, { organizationId }, limit, after, among),
        find: ids => findSpaces(ctx.store, ids),
        show: rows => loadSpaces(ctx, rows, user.id),
      },
    ),
})

export const listDeletedSpaces = listing({
  operationId: 'listDeletedSpaces',
  summary: 'List the deleted spaces of an organization',
  description:
    'Returns the deleted spaces that can be restored, the last deleted first. A deleted space is kept for seven days. Requires an admin of the organization.',
  params: OrganizationPath,
  item: Space,
  access: organization('admin'),
  list: ({ ctx, organization: { id }, user }) => ({
    name: `deleted spaces ${id}`,
    rows: (limit, after: AfterDeletion | undefined) => listDeleted(ctx.store, id, limit, after),
    key: ({ deleted_at, seq }): AfterDeletion => [deleted_at ?? '', seq],
    show: rows =>
      loadSpaces(
        ctx,
        rows.map(row => ({ row, role: 'admin' as const })),
        user.id,
      ),
  }),
})

export const createSpace = endpoint({
  operationId: 'createSpace',
  summary: 'Create a space',
  description:
    'Creates a space with one empty page that has the same title. With `template`, it starts with the files of the template instead; with `empty`, without a page. A site that shows the space makes it readable outside the organization. Requires the role "create" in the organization, or on the collection in `parent`.',
  params: OrganizationPath,
  body: SpaceBody,
  bodyOptional: true,
  reply: Space,
  status: 201,
  access: organization('guest'),
  handle: async ({ ctx, organization: { id }, user, body, request }) => {
    if (body.computedSource !== undefined)
      throw invalid(
        '"computedSource" in the body: is not supported yet. Leave it out, and import or write the content.',
      )

    const parent = placeToCreate(ctx, id, body.parent ?? null, user.id)
    const { id: templateId, params } = body.template ?? {}
    const template = templateId === undefined ? undefined : await readTemplate(ctx, templateId)
    const row = await create(
      ctx,
      {
        organization_id: id,
        collection_id: parent?.id ?? null,
        title: body.title ?? 'Untitled',
        ...(body.emoji !== undefined && { emoji: body.emoji }),
        ...(body.language !== undefined && { language: body.language }),
        ...(body.editMode !== undefined && { edit_mode: body.editMode }),
        ...(body.empty !== undefined && { empty: body.empty }),
        ...(template && {
          template: { operation: 'apply_template', template, refs: params?.contentRefs ?? {} },
        }),
      },
      user,
      request.idempotency,
      request.origin,
    )

    return created(await shownTo(ctx, row, user))
  },
})

export const getSpaceById = endpoint({
  operationId: 'getSpaceById',
  summary: 'Get a space',
  description:
    'Returns the space with its settings and the id of its current revision. Admins can also read a deleted space that can be restored.',
  params: SpacePath,
  query: SpaceQuery,
  reply: Space,
  readers: true,
  access: readSpace({ deleted: true }),
  handle: ({ ctx, space: row, reader, user, role, query: { shareKey } }) =>
    reader
      ? loadSpaceForReader(ctx, row, reader, shareKey)
      : loadSpace(ctx, row, { userId: user.id, role }, shareKey),
})

export const updateSpaceById = endpoint({
  operationId: 'updateSpaceById',
  summary: 'Update the settings of a space',
  description:
    'Properties that are left out stay unchanged. A space has an emoji or an icon: setting one removes the other. Requires the role "admin" in the space.',
  params: SpacePath,
  body: SpacePatch,
  reply: Space,
  access: space('admin'),
  handle: ({ ctx, space: row, body, by }) =>
    changedInTransaction(ctx, row, ({ space }) => changeSettings(ctx, space, body, by)),
})

export const deleteSpaceById = removal({
  operationId: 'deleteSpaceById',
  summary: 'Delete a space',
  description:
    'Deletes the space. For seven days it can be restored; then it is removed permanently. Requires the role "admin" in the space. The operation also succeeds when the space does not exist.',
  params: SpacePath,
  access: space('admin'),
  remove: ({ ctx, space: row, by }) => deleteSpace(ctx, row, by),
})

export const duplicateSpace = endpoint({
  operationId: 'duplicateSpace',
  summary: 'Duplicate a space',
  description:
    'Creates a copy of the space next to it, with the same content, history, settings and permissions. Change requests, comments and the Git sync are not copied. Requires the role "create" in the organization, or on the parent collection.',
  params: SpacePath,
  reply: Space,
  status: 201,
  access: space('read'),
  handle: async ({ ctx, space: row, user, request }) => {
    checkBeside(ctx, row.organization_id, row.collection_id, user.id)
    return created(
      await shownTo(
        ctx,
        await duplicate(ctx, row, user, request.idempotency, request.origin),
        user,
      ),
    )
  },
})

export const restoreSpace = endpoint({
  operationId: 'restoreSpace',
  summary: 'Restore a deleted space',
  description:
    'Restores a space that was deleted in the last seven days. A space that is not deleted stays unchanged. Requires the role "admin" in the space.',
  params: SpacePath,
  reply: Space,
  access: space('admin', { deleted: true }),
  handle: ({ ctx, space: row, by }) =>
    changedInTransaction(ctx, row, ({ space: now }) => restore(ctx, now, by)),
})

export const moveSpace = endpoint({
  operationId: 'moveSpace',
  summary: 'Move a space',
  description:
    'Moves the space into a collection of its organization, or to the top level, and to a position there. Requires the role "create" on the space and at the destination. If a user would gain a stronger role on the space, also through a default level or a grant, you need "admin" on it.',
  params: SpacePath,
  body: MoveBody,
  reply: Space,
  access: space('create'),
  handle: ({ ctx, space: row, body, by }) => {
    const check = body.parent === undefined ? checkBeside : placeToCreate
    return changedInTransaction(ctx, row, ({ space: now, user }) => {
      const parentId = body.parent === undefined ? now.collection_id : body.parent
      check(ctx, now.organization_id, parentId, user.id)
      const place = { parentId, position: body.position ?? {} }
      const item = { organizationId: now.organization_id, from: now.collection_id, to: parentId }
      return moveWithoutGain(ctx, { kind: 'space', id: now.id, ...item }, user.id, () =>
        move(ctx, now, place, by),
      )
    })
  },
})

export const transferSpace = endpoint({
  operationId: 'transferSpace',
  summary: 'Transfer a space to another organization',
  description:
    'Moves the space to another organization, to the end of its top level. Grants to teams, and to users who do not belong to the other organization, are removed. Requires the role "admin" in the space, and "create" in the other organization.',
  params: SpacePath,
  body: TransferBody,
  reply: Space,
  access: space('admin'),
  handle: ({ ctx, space: row, body, by }) =>
    changedInTransaction(ctx, row, ({ space: now, user }) => {
      placeToCreate(ctx, body.organization, null, user.id)
      if (body.organization === now.organization_id)
        throw new Fault('already_there', 'The space already belongs to this organization.')
      return transfer(ctx, now, body.organization, by)
    }),
})

/**
 * Returns the viewer of a space that they have just changed: the change already implies that they
 * may read it.
 */
const changer = (ctx: Context, row: SpaceRow, user: UserRow): Viewer => ({
  userId: user.id,
  role: roleOnSpace(ctx, row, user.id) ?? 'read',
})

/** Returns a changed space as its editor sees it. */
const shownTo = (ctx: Context, row: SpaceRow, user: UserRow) =>
  loadSpace(ctx, row, changer(ctx, row, user))

/**
 * Makes a change of rows and its answer in one transaction. The head is read from Git before, which
 * may take a while.
 */
async function changedInTransaction(
  ctx: Context,
  before: SpaceRow,
  change: (granted: SpaceGrant) => SpaceRow,
) {
  const { head } = await primaryHead(ctx, before)
  return inTransaction((granted: SpaceGrant) => {
    const row = change(granted)
    return showSpace(ctx, row, changer(ctx, row, granted.user), head)
  })
}
