import { checkRole } from '../../access/guards/role-now.ts'
import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import type { UserRow } from '../../store/tables/rows.ts'
import { currentChangeRequest } from '../heads/current-change-request.ts'
import { primaryHead } from '../heads/primary-head.ts'
import { viewRevision } from '../revisions/view-revision.ts'
import type { ImportOrder } from './start-import.ts'

/**
 * Throws 'missing' if the page below which an import puts its pages is not in its target, 'missing' or
 * 'forbidden' if the user may not edit the space.
 */
export async function checkImportPage(
  ctx: Context,
  by: UserRow,
  { spaceId, changeRequest, pageId }: Pick<ImportOrder, 'spaceId' | 'changeRequest' | 'pageId'>,
): Promise<void> {
  const { space } = checkRole(ctx, spaceId, by.id, 'edit')
  if (pageId === undefined) return
  const row =
    changeRequest === undefined ? undefined : findChangeRequest(ctx.store, spaceId, changeRequest)
  if (changeRequest !== undefined && !row) throw missing('change request', changeRequest)
  const head = row
    ? (await currentChangeRequest(ctx, row)).revision
    : (await primaryHead(ctx, space)).head
  const { content } = await viewRevision(ctx, spaceId, head)
  const page = content.pageById.get(pageId)
  if (page?.type !== 'document' && page?.type !== 'group') throw missing('page', pageId)
}
