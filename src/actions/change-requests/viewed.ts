import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { listViewedMarks, putViewedMark } from '../../store/discussions/viewed-marks.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { currentChangeRequest } from '../heads/current-change-request.ts'
import { findMergeBase } from '../heads/find-merge-base.ts'
import { shownIncludes } from '../links/shown-includes.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { viewRevision } from '../revisions/view-revision.ts'

/** A page or a file that a user has viewed as it is now; without a blob it is removed. */
type ViewedItem = { item: string; blob?: Oid; viewedAt: string }

/**
 * What a user sees of a page or a file: its blob, '' if the change request removes it, and a digest
 * of the reusable content that a page shows, '' if it shows none.
 */
type Version = { blob: Oid | ''; includes: string }

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
  const { row, content } = await currentView(ctx, changeRequest)
  const blobOf = blobsIn(content)
  const held = marks.filter(({ item_id: id, blob }) => blob === (blobOf(id) ?? ''))
  const pages = held.flatMap(({ item_id: id }) => content.pageById.get(id) ?? [])
  const includes = await includesOfPages(ctx, row, content, pages)
  return held
    .filter(mark => mark.includes === (includes.get(mark.item_id) ?? ''))
    .map(({ item_id: item, blob, viewed_at: viewedAt }) => ({
      item,
      ...(blob !== '' && { blob }),
      viewedAt,
    }))
}

/**
 * Returns the version of a page or a file that a user views in a change request. `seen` is what was
 * looked at, as far as the caller says so. Throws 'missing', 'conflict' if that is not the current
 * version. May take the space's lock: do not hold it.
 */
export async function versionToView(
  ctx: Context,
  changeRequest: ChangeRequestRow,
  item: string,
  seen: { blob?: Oid | '' | undefined; includes?: string | undefined },
): Promise<Version> {
  const { row, content } = await currentView(ctx, changeRequest)
  const blob = blobsIn(content)(item) ?? (await blobOfRemoved(ctx, row, item))
  if (blob === undefined) throw missing('page or file', item)
  const page = content.pageById.get(item)
  const includes = (await includesOfPages(ctx, row, content, page ? [page] : [])).get(item) ?? ''
  if ((seen.blob ?? blob) !== blob || (seen.includes ?? includes) !== includes)
    throw new Fault(
      'stale_revision',
      'The page or file has changed since you viewed it. View it again.',
      {
        blob,
      },
    )
  return { blob, includes }
}

/** Returns digests of the reusable content that pages of a change request show, by the ids of the pages. */
export async function includesOfPages(
  ctx: Context,
  { space_id: spaceId }: ChangeRequestRow,
  content: ContentTree,
  pages: readonly PageNode[],
): Promise<Map<string, string>> {
  const texts = pages.flatMap(({ file }) => file ?? [])
  const byPath = await shownIncludes(ctx, spaceRepository(ctx, spaceId), content, texts)
  return new Map(
    pages.flatMap(({ id, file }) => {
      const digest = file && byPath.get(file.path)
      return digest === undefined ? [] : [[id, digest] as const]
    }),
  )
}

/** Marks a version of a page or a file as viewed by a user. Returns when that was. */
export function markViewed(
  ctx: Context,
  changeRequest: ChangeRequestRow,
  { item, by, ...version }: Version & { item: string; by: string },
): string {
  const viewedAt = ctx.now().toISOString()
  putViewedMark(ctx.store, {
    change_request_id: changeRequest.id,
    user_id: by,
    item_id: item,
    ...version,
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
  return before && blobsIn(before)(item) !== undefined ? '' : undefined
}

/** Returns a function that returns the blob of a page, a file or reusable content by its id. */
function blobsIn({ pageById, fileById, includes }: ContentTree): (id: string) => Oid | undefined {
  const includeById = new Map(includes.map(each => [each.id, each]))
  return id => (pageById.get(id)?.file ?? fileById.get(id) ?? includeById.get(id))?.oid
}
