import type { Origin } from '../../access/asker.ts'
import type { Change } from '../../content/edit/changes.ts'
import type { Context } from '../../context.ts'
import type { Oid } from '../../lib/oid.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { createChangeRequest } from '../change-requests/create-change-request.ts'
import { editContent } from '../edit/edit-content.ts'
import { viewRevision } from '../revisions/view-revision.ts'

/**
 * Where changes are saved: the published content, a change request, or a new one, which is a draft
 * while it has no subject.
 */
export type Destination =
  | { kind: 'primary' }
  | { kind: 'change-request'; row: ChangeRequestRow }
  | { kind: 'new'; subject: string }

export type Saving = { message: string | undefined; origin: Origin | null }

type Batch = { space: SpaceRow; by: UserRow; changes: readonly Change[] }

/** What was saved, and the first page that was added. */
type Saved = {
  revision: Oid
  changeRequest: ChangeRequestRow | undefined
  created: string | undefined
}

/** Saves changes as one commit. Throws what an edit of content throws. */
export async function saveChanges(
  ctx: Context,
  { space, by, changes }: Batch,
  to: Destination,
  { message, origin }: Saving,
): Promise<Saved> {
  if (to.kind === 'new') {
    const { subject } = to
    const order = { space, by, subject, description: null, changes, message, origin }
    const changeRequest = await createChangeRequest(ctx, order)
    const { revision, revision_initial: from } = changeRequest
    return { revision, changeRequest, created: await firstNewPage(ctx, space.id, from, revision) }
  }

  return editContent(ctx, {
    ...{ space, by, changes, message, origin },
    changeRequest: to.kind === 'change-request' ? to.row : undefined,
    present: async ({ revision, changeRequest, outcomes }) => ({
      revision,
      changeRequest,
      created: outcomes.find(({ object }) => object === 'created_page')?.page,
    }),
  })
}

async function firstNewPage(
  ctx: Context,
  spaceId: string,
  from: Oid,
  to: Oid,
): Promise<string | undefined> {
  const { content: before } = await viewRevision(ctx, spaceId, from)
  const { content: after } = await viewRevision(ctx, spaceId, to)
  return [...after.pageById.keys()].find(id => !before.pageById.has(id))
}
