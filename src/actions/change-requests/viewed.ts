import type { ContentTree } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { listViewedMarks, putViewedMark } from '../../store/discussions/viewed-marks.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { currentChangeRequest } from '../heads/current-change-request.ts'
import { findMergeBase } from '../heads/find-merge-base.ts'
import { viewRevision } from '../revisions/view-revision.ts'

/** A page or a file that a user has viewed as it is now; without a blob it is removed. */
type ViewedItem = { item: string; blob?: Oid; viewedAt: string }

/**
 * Returns the pages and files of a change request that a user has viewed in their current version.
 * May take the space's lock: do not hold it.
 */
export async function viewedItems(
  ctx: Context,
  changeRequest: ChangeRequestRow,
  userId: string,
): Promise<ViewedItem[]> {
  const marks = listViewedMarks(ctx.store, changeRequest.id, userId)
  if (marks.length === 0) return []
  const { content } = await currentView(ctx, changeRequest)
  return marks
    .filter(({ item_id: id, blob }) => blob === (blobOf(content, id) ?? ''))
    .map(({ item_id: item, blob, viewed_at: viewedAt }) => ({
      item,
      ...(blob !== '' && { blob }),
      viewedAt,
    }))
}

/**
 * Returns the blob that a user views of a page or a file of a change request; '' if it removes it.
 * `seen` is the one that was looked at, if the caller says so. Throws 'missing', 'conflict' if
 * `seen` is not the current one. May take the space's lock: do not hold it.
 */
export async function blobToView(
  ctx: Context,
  changeRequest: ChangeRequestRow,
  item: string,
  seen: Oid | '' | undefined,
): Promise<Oid | ''> {
  const { row, content } = await currentView(ctx, changeRequest)
  const blob = blobOf(content, item) ?? (await blobOfRemoved(ctx, row, item))
  if (blob === undefined) throw missing('page or file', item)
  if (seen !== undefined && seen !== blob)
    throw new Fault('stale_revision', 'It has changed since you looked at it. View it again.', {
      blob,
    })
  return blob
}

/** Marks a version of a page or a file as viewed by a user. Returns when that was. */
export function markViewed(
  ctx: Context,
  changeRequest: ChangeRequestRow,
  { item, blob, by }: { item: string; blob: Oid | ''; by: string },
): string {
  const viewedAt = ctx.now().toISOString()
  putViewedMark(ctx.store, {
    change_request_id: changeRequest.id,
    user_id: by,
    item_id: item,
    blob,
    viewed_at: viewedAt,
  })
  return viewedAt
}

async function currentView(ctx: Context, changeRequest: ChangeRequestRow) {
  const row = await currentChangeRequest(ctx, changeRequest)
  const { content } = await viewRevision(ctx, row.space_id, row.revision)
  return { row, content }
}

/** Returns '' for what the change request started with; undefined for what it does not know. */
async function blobOfRemoved(
  ctx: Context,
  row: ChangeRequestRow,
  item: string,
): Promise<'' | undefined> {
  const base = await findMergeBase(ctx, row)
  const before = base && (await viewRevision(ctx, row.space_id, base)).content
  return before && blobOf(before, item) !== undefined ? '' : undefined
}

const blobOf = (content: ContentTree, item: string): Oid | undefined =>
  (content.pageById.get(item)?.file ?? content.fileById.get(item))?.oid
