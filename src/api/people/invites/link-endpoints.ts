import type { z } from 'zod'
import { checkInviter, type InviteTarget, linkInvite } from '../../../access/guards/invite.ts'
import { organization } from '../../../access/guards/organization.ts'
import { createLinkInvite, joinUrl } from '../../../actions/members/create-link-invite.ts'
import { LinkInviteBody } from '../../../actions/members/link-invite-body.ts'
import { recordInvite } from '../../../actions/members/record-invite.ts'
import type { Context } from '../../../context.ts'
import { invalid } from '../../../errors.ts'
import { createdAt, endpoint, inTransaction } from '../../../http/endpoint.ts'
import { listing } from '../../../http/list.ts'
import { removal } from '../../../http/removal.ts'
import {
  deleteLinkInvite,
  listLinkInvites,
  updateLinkInvite,
} from '../../../store/people/link-invites.ts'
import { findCollections } from '../../../store/spaces/collections.ts'
import { findSpaces } from '../../../store/spaces/spaces.ts'
import type { LinkInviteRow, UserRow } from '../../../store/tables/rows.ts'
import { OrganizationPath } from '../../base/organizations/schema.ts'
import { presentCollection } from '../../spaces/collections/present.ts'
import { loadSpace, loadSpaces } from '../../spaces/load.ts'
import { type Facts, factsOf } from './facts.ts'
import { InvitePath, LinkInvite, LinkInvitePatch, ListedInvite } from './schema.ts'

type Resource = z.input<typeof LinkInvite>
type Listed = z.input<typeof ListedInvite>

export const listOrganizationInviteLinks = listing({
  operationId: 'listOrganizationInviteLinks',
  summary: 'List the invite links of an organization',
  description:
    'Returns the links newest first, including links to spaces and collections of the organization. Requires an admin of the organization.',
  params: OrganizationPath,
  item: ListedInvite,
  access: organization('admin'),
  list: ({ ctx, organization: { id }, user }) => ({
    name: `link invites ${id}`,
    rows: (limit, after) => listLinkInvites(ctx.store, id, limit, after),
    show: rows => listed(ctx, rows, user),
  }),
})

export const createOrganizationInvite = endpoint({
  operationId: 'createOrganizationInvite',
  summary: 'Create an invite link',
  description:
    'Creates a link to the organization, or to one of its spaces or collections. Requires an admin of the organization, space or collection. `id` in this answer is the secret of the link: everyone who knows it can join once. The secret is only in this answer, so the operation accepts no Idempotency-Key; elsewhere `linkId` identifies the link, which cannot be used to join. A link stops working at `expiresAt`, and when its creator loses the right to create it. Refused while `inviteLinks` of the organization is false.',
  params: OrganizationPath,
  body: LinkInviteBody,
  reply: LinkInvite,
  status: 201,
  access: organization('guest'),
  unstored: 'the secret of a link is not stored.',
  handle: async ({ ctx, organization, member, user, body, by }) => {
    const place = { spaceId: body.space ?? null, collectionId: body.collection ?? null }
    const target = checkInviter(ctx, { organization, member, user }, place)
    const shown = await showTarget(ctx, target, user)

    return inTransaction(granted => {
      const { row: made, secret } = createLinkInvite(ctx, granted, body, by)
      const resource = presentOne(ctx, made, shown, user)
      const { location } = resource.urls
      const app = joinUrl(ctx.publicUrl(), secret)

      return createdAt(location, { ...resource, id: secret, urls: { location, app } })
    })
  },
})

export const getOrganizationInviteLink = endpoint({
  operationId: 'getOrganizationInviteLink',
  summary: 'Get an invite link',
  description:
    'Returns the link without its secret. Requires an admin of the organization, space or collection that the link leads to.',
  params: InvitePath,
  reply: LinkInvite,
  access: linkInvite,
  handle: async ({ ctx, invite, target, user }) =>
    presentOne(ctx, invite, await showTarget(ctx, target, user), user),
})

export const updateOrganizationInviteById = endpoint({
  operationId: 'updateOrganizationInviteById',
  summary: 'Update an invite link',
  description:
    'Changes `role` of a link to the organization, or `level` of a link to a space or collection. Users who have already joined keep their role. Requires an admin of the organization, space or collection that the link leads to.',
  params: InvitePath,
  body: LinkInvitePatch,
  reply: LinkInvite,
  access: linkInvite,
  handle: async ({ ctx, invite, target, user, body, by }) => {
    const leadsInside = invite.space_id !== null || invite.collection_id !== null
    if (leadsInside !== (body.level !== undefined)) {
      throw invalid(
        leadsInside
          ? '"level" in the body: is required, because the invite leads to a space or collection. Leave out "role".'
          : '"role" in the body: is required, because the invite leads to the organization. Leave out "level".',
      )
    }

    const shown = await showTarget(ctx, target, user)

    return inTransaction(({ invite: before }) => {
      const set = body.level === undefined ? { role: body.role ?? null } : { level: body.level }
      const row = updateLinkInvite(ctx.store, before.id, set) as LinkInviteRow
      const details = { before: before.level ?? before.role, after: row.level ?? row.role }

      recordInvite(ctx, row, 'invite.updated', by, details)

      return presentOne(ctx, row, shown, user)
    })
  },
})

export const deleteOrganizationInviteById = removal({
  operationId: 'deleteOrganizationInviteById',
  summary: 'Delete an invite link',
  description:
    'The link stops working; users who joined with it stay. Requires an admin of the organization, space or collection that the link leads to. The operation also succeeds when the link does not exist, or you may not see it.',
  params: InvitePath,
  access: linkInvite,
  remove: ({ ctx, invite, by }) => {
    deleteLinkInvite(ctx.store, invite.id)
    recordInvite(ctx, invite, 'invite.deleted', by)
  },
})

type Shown = Pick<Listed, 'space' | 'collection'>

async function showTarget(
  ctx: Context,
  { space, collection }: InviteTarget,
  user: UserRow,
): Promise<Shown> {
  // Only admins of the space or collection get here.
  if (space) return { space: await loadSpace(ctx, space, { userId: user.id, role: 'admin' }) }
  return collection ? { collection: presentCollection(collection, 'admin', ctx.publicUrl()) } : {}
}

/** The common fields of an invite. Callers who may see it already have everything that it gives. */
const common = (row: LinkInviteRow, facts: Facts) =>
  ({ object: 'invite', id: row.id, linkId: row.id, redundant: true, ...facts }) as const

function presentOne(
  ctx: Context,
  row: LinkInviteRow,
  { space, collection }: Shown,
  user: UserRow,
): Resource {
  const shared = common(row, factsOf(ctx, [row], user)(row))
  if (row.level !== null && space) return { ...shared, level: row.level, space }
  if (row.level !== null && collection) return { ...shared, level: row.level, collection }
  return { ...shared, role: row.role }
}

async function listed(
  ctx: Context,
  rows: readonly LinkInviteRow[],
  user: UserRow,
): Promise<Listed[]> {
  const found = findSpaces(
    ctx.store,
    rows.flatMap(row => row.space_id ?? []),
  )
  const visible = [...found.values()].map(row => ({ row, role: 'admin' as const }))
  const spaces = new Map((await loadSpaces(ctx, visible, user.id)).map(space => [space.id, space]))
  const collections = findCollections(
    ctx.store,
    rows.flatMap(row => row.collection_id ?? []),
  )
  const facts = factsOf(ctx, rows, user)

  return rows.map(row => {
    const space = row.space_id === null ? undefined : spaces.get(row.space_id)
    const collection = row.collection_id === null ? undefined : collections.get(row.collection_id)
    return {
      ...common(row, facts(row)),
      role: row.role,
      ...(row.level !== null && { level: row.level }),
      ...(space && { space }),
      ...(collection && { collection: presentCollection(collection, 'admin', ctx.publicUrl()) }),
    }
  })
}
