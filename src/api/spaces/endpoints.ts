import { spaceToDelete } from '../../access/guards/deletion.ts'
import { organization } from '../../access/guards/organization.ts'
import { checkBeside, moveWithoutGain, placeToCreate } from '../../access/guards/placement.ts'
import { checkRole } from '../../access/guards/role-now.ts'
import { roleOnSpace, space } from '../../access/guards/space.ts'
import { primaryHead } from '../../actions/heads/reconcile-space.ts'
import { createSpace as create } from '../../actions/spaces/create-space.ts'
import { deleteSpace, restoreSpace as restore } from '../../actions/spaces/delete-space.ts'
import { duplicateSpace as duplicate } from '../../actions/spaces/duplicate-space.ts'
import { moveSpace as move } from '../../actions/spaces/move-space.ts'
import { readTemplate } from '../../actions/spaces/read-templates.ts'
import { transferSpace as transfer } from '../../actions/spaces/transfer-space.ts'
import type { Context } from '../../context.ts'
import { Fault, invalid, missing } from '../../errors.ts'
import { Answer, atOnce, endpoint, nothing } from '../../http/endpoint.ts'
import { envelope, PageQuery } from '../../http/list.ts'
import { findSpace, findSpaces, listSpaces } from '../../store/spaces/spaces.ts'
import type { SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { MoveBody, TransferBody } from '../collections/schema.ts'
import { OrganizationPath } from '../organizations/schema.ts'
import { visiblePage } from '../visible-page.ts'
import { changeSettings } from './change-settings.ts'
import { loadSpace, loadSpaces, showSpace, type Viewer } from './load.ts'
import { Space, SpaceBody, SpacePatch, SpacePath, SpaceQuery, Spaces } from './schema.ts'

export const listSpacesInOrganizationById = endpoint({
  operationId: 'listSpacesInOrganizationById',
  summary: 'List the spaces of an organization',
  description:
    'Those you may see, deleted ones left out; those of one collection stand in their order. `revision` is the newest that the service has taken note of.',
  params: OrganizationPath,
  query: PageQuery,
  reply: Spaces,
  access: organization('guest'),
  handle: async ({ ctx, organization: { id: organizationId }, user, query }) => {
    const page = await visiblePage(
      ctx,
      `spaces ${organizationId}`,
      query,
      { organizationId, userId: user.id, kind: 'space' },
      {
        read: (limit, after, among) => listSpaces(ctx.store, { organizationId }, limit, after, among),
        find: ids => findSpaces(ctx.store, ids),
      },
    )
    return envelope(page, await loadSpaces(ctx, page.rows, user.id))
  },
})

export const createSpace = endpoint({
  operationId: 'createSpace',
  summary: 'Make a space',
  description:
    'A Git repository whose first commit holds an empty page titled like the space, or nothing with `empty`, and what `template` says. Needs the role "create" in the organization, or on the collection.',
  params: OrganizationPath,
  body: SpaceBody,
  bodyOptional: true,
  reply: Space,
  status: 201,
  access: organization('guest'),
  handle: async ({ ctx, organization: { id }, user, body, request }) => {
    if (body.computedSource !== undefined)
      throw invalid(
        '"computedSource" in the body: is not taken yet. Leave it out, and import or write the content.',
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
  description: 'Also a deleted one that can still be restored, for its admins.',
  params: SpacePath,
  query: SpaceQuery,
  reply: Space,
  access: space('read', { deleted: true }),
  handle: ({ ctx, space: row, user, role }) => loadSpace(ctx, row, { userId: user.id, role }),
})

export const updateSpaceById = endpoint({
  operationId: 'updateSpaceById',
  summary: 'Change the settings of a space',
  description:
    'For its admins. What is not named stays as it is. An emoji takes the place of the icon, and the other way round.',
  params: SpacePath,
  body: SpacePatch,
  reply: Space,
  access: space('admin'),
  handle: ({ ctx, space: row, user, body, request }) =>
    changedAtOnce(ctx, row, user, () => changeSettings(ctx, row.id, body, { user, request })),
})

export const deleteSpaceById = endpoint({
  operationId: 'deleteSpaceById',
  summary: 'Delete a space',
  description:
    'For its admins. It can be restored for seven days, then it is removed for good. The same answer when there is no such space.',
  params: SpacePath,
  reply: nothing,
  access: spaceToDelete,
  handle: ({ ctx, space: row, user, request }) =>
    atOnce(() => {
      const now = row && findSpace(ctx.store, row.id)
      if (!now || now.deleted_at !== null) return undefined
      checkRole(ctx, now.id, user.id, 'admin')
      deleteSpace(ctx, now, { userId: user.id, origin: request.origin })
      return undefined
    }),
})

export const duplicateSpace = endpoint({
  operationId: 'duplicateSpace',
  summary: 'Make a copy of a space',
  description:
    'Beside it, with its content, history, settings and permissions; without change requests, comments and Git sync. Needs the role "create" in the organization, or on the collection it lies in.',
  params: SpacePath,
  reply: Space,
  status: 201,
  access: space('read'),
  handle: async ({ ctx, space: row, user, request }) => {
    checkBeside(ctx, row.organization_id, row.collection_id, user.id)
    return created(
      await shownTo(ctx, await duplicate(ctx, row, user, request.idempotency, request.origin), user),
    )
  },
})

export const restoreSpace = endpoint({
  operationId: 'restoreSpace',
  summary: 'Restore a deleted space',
  description: 'For its admins, within seven days. A space that is not deleted stays as it is.',
  params: SpacePath,
  reply: Space,
  access: space('admin', { deleted: true }),
  handle: ({ ctx, space: row, user, request }) =>
    changedAtOnce(ctx, row, user, () => {
      const now = findSpace(ctx.store, row.id)
      if (!now || roleOnSpace(ctx, now, user.id) !== 'admin') throw missing('space', row.id)
      return restore(ctx, row, { userId: user.id, origin: request.origin })
    }),
})

export const moveSpace = endpoint({
  operationId: 'moveSpace',
  summary: 'Move a space',
  description:
    'Into a collection of its organization or to the top, to a position there. Needs the role "create" on it and where it goes. Where the move would give somebody a stronger role on the space, also by a default level or a grant on a collection, it needs "admin" on the space.',
  params: SpacePath,
  body: MoveBody,
  reply: Space,
  access: space('create'),
  handle: ({ ctx, space: row, user, body, request }) => {
    const check = body.parent === undefined ? checkBeside : placeToCreate
    return changedAtOnce(ctx, row, user, () => {
      const { space: now } = checkRole(ctx, row.id, user.id, 'create')
      const parentId = body.parent === undefined ? now.collection_id : body.parent
      check(ctx, now.organization_id, parentId, user.id)
      const place = { parentId, position: body.position ?? {} }
      const item = { organizationId: now.organization_id, from: now.collection_id, to: parentId }
      return moveWithoutGain(ctx, { kind: 'space', id: now.id, ...item }, user.id, () =>
        move(ctx, now, place, { userId: user.id, origin: request.origin }),
      )
    })
  },
})

export const transferSpace = endpoint({
  operationId: 'transferSpace',
  summary: 'Give a space to another organization',
  description:
    'To the end of its top. Needs the role "admin" in the space and "create" in the other organization. What teams of the organization, or users who do not belong to the other one, were given on the space is taken back.',
  params: SpacePath,
  body: TransferBody,
  reply: Space,
  access: space('admin'),
  handle: ({ ctx, space: row, user, body, request }) =>
    changedAtOnce(ctx, row, user, () => {
      const { space: now } = checkRole(ctx, row.id, user.id, 'admin')
      placeToCreate(ctx, body.organization, null, user.id)
      if (body.organization === now.organization_id)
        throw new Fault('conflict', 'The space belongs to this organization already: nothing would change.')
      return transfer(ctx, now, body.organization, { userId: user.id, origin: request.origin })
    }),
})

/** Somebody who has just changed a space; whoever could make the change could read it. */
const changer = (ctx: Context, row: SpaceRow, user: UserRow): Viewer => ({
  userId: user.id,
  role: roleOnSpace(ctx, row, user.id) ?? 'read',
})

/** A space after a change, as the one who made it sees it. */
const shownTo = (ctx: Context, row: SpaceRow, user: UserRow) => loadSpace(ctx, row, changer(ctx, row, user))

/**
 * The same for a change of rows alone, made in one transaction with its answer: what Git is to say is asked before, and may
 * take a while, so `change` asks again who may what.
 */
async function changedAtOnce(ctx: Context, before: SpaceRow, user: UserRow, change: () => SpaceRow) {
  const { head } = await primaryHead(ctx, before)
  return atOnce(() => {
    const row = change()
    return showSpace(ctx, row, changer(ctx, row, user), head)
  })
}

const created = (shown: Awaited<ReturnType<typeof loadSpace>>) =>
  new Answer(shown, { headers: { Location: shown.urls.location } })
