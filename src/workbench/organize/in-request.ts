import type { Origin } from '../../access/asker.ts'
import { changeRequest } from '../../access/guards/change-request.ts'
import { type SpaceGrant, space } from '../../access/guards/space.ts'
import { currentChangeRequest } from '../../actions/heads/current-change-request.ts'
import { primaryHead } from '../../actions/heads/primary-head.ts'
import { viewRevision } from '../../actions/revisions/view-revision.ts'
import { saveChanges } from '../../actions/writing/save-changes.ts'
import type { Change } from '../../content/edit/changes.ts'
import type { PageNode } from '../../content/tree/build.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'

/** Who changes a table of contents: in a change request, or in a new one. */
export type Organizer = SpaceGrant & { ctx: Context; changeRequest?: ChangeRequestRow }

/** The two places of each page: with a change request, and without one. */
export const inSpace = { base: '/s/:spaceId', access: space('edit') } as const
export const inRequest = {
  base: '/s/:spaceId/changes/:changeRequestId',
  access: changeRequest('edit'),
} as const

/** Returns the path that the paths of an organizer begin with. */
export const baseOf = ({ space, changeRequest }: Organizer): string =>
  changeRequest ? `/s/${space.id}/changes/${changeRequest.number}` : `/s/${space.id}`

/** Returns the content that an organizer looks at. Throws 'conflict' if it takes no more changes. */
export async function contentOf(organizer: Organizer): Promise<RevisionView> {
  const { ctx, space, changeRequest } = organizer
  if (!changeRequest) {
    const { head } = await primaryHead(ctx, space)
    return viewRevision(ctx, space.id, head)
  }

  const { status, revision } = await currentChangeRequest(ctx, changeRequest)
  if (status === 'merged' || status === 'archived')
    throw new Fault(
      status === 'merged' ? 'already_merged' : 'change_request_archived',
      `#${changeRequest.number} is ${status}: it takes no more changes. Start from the space instead.`,
    )

  return viewRevision(ctx, space.id, revision)
}

/** Returns a page of content. Throws 'missing'. */
export function pageIn({ content }: RevisionView, id: string): PageNode {
  const page = content.pageById.get(id)
  if (!page) throw missing('page', id)
  return page
}

type Organizing = Organizer & { request: { origin: Origin } }

/**
 * Saves changes in the change request of an organizer, or in a new one. Returns the path that later
 * paths begin with, and the page that was added.
 */
export async function change(
  organizing: Organizing,
  changes: readonly Change[],
): Promise<{ base: string; created: string | undefined; number: number }> {
  const { ctx, space, user, changeRequest, request } = organizing
  const saved = await saveChanges(
    ctx,
    { space, by: user, changes },
    changeRequest ? { kind: 'change-request', row: changeRequest } : { kind: 'new', subject: '' },
    { message: undefined, origin: request.origin },
  )
  const row = saved.changeRequest ?? changeRequest
  if (!row) throw new Error('Changes were saved, but no change request is known.')

  return {
    base: baseOf({ ...organizing, changeRequest: row }),
    created: saved.created,
    number: row.number,
  }
}
