import { pathTimes } from '../../git/history/path-times.ts'
import { timeOf } from '../../git/values/commit-time.ts'
import { isGitError } from '../../git/values/errors.ts'
import {
  findBirth,
  findLastChange,
  findLastChangeAt,
  findLastRevision,
  findRevision,
} from '../../store/git/revisions.ts'
import { buildIfLost } from '../heads/index-up-to.ts'
import type { OpenContent } from './open-content.ts'

type PageDates = {
  dates: { createdAt?: string; updatedAt?: string }
  /** False when the history index is not up to date: do not cache the dates. */
  certain: boolean
}

/**
 * Returns when a page's file was created, following renames, and last changed. Published revisions
 * are looked up in the index; for others Git is asked, which does not follow renames.
 */
export async function pageDates(open: OpenContent, path: string | undefined): Promise<PageDates> {
  const { ctx, space, view } = open
  if (path === undefined) return { dates: {}, certain: true }
  const revision = findRevision(ctx.store, space.id, view.oid)
  if (!revision) return datesFromGit(open, path)

  const born = findBirth(ctx.store, space.id, path, revision.seq)
  const last = findLastChange(ctx.store, space.id, path, revision.seq)

  return {
    dates: {
      ...(born && { createdAt: timeOf(born.committed_at) }),
      ...(last && { updatedAt: timeOf(last.committed_at) }),
    },
    certain: born !== undefined && last !== undefined,
  }
}

/** Returns when a page's file last changed; undefined if that is not known. */
export async function lastChangeOf(
  open: OpenContent,
  path: string | undefined,
): Promise<string | undefined> {
  const { ctx, space, view } = open
  if (path === undefined) return undefined
  const last = findLastChangeAt(ctx.store, space.id, view.oid, path)
  if (!last) return (await datesFromGit(open, path)).dates.updatedAt
  return last.committed_at === null ? undefined : timeOf(last.committed_at)
}

/**
 * Returns the name of the author of the last change of a page's file; undefined if the index does
 * not know it.
 */
export function lastAuthorOf({ ctx, space, view }: OpenContent, path: string): string | undefined {
  const revision = findRevision(ctx.store, space.id, view.oid)
  return revision && findLastChange(ctx.store, space.id, path, revision.seq)?.author_name
}

/**
 * Returns the dates of a page of a revision that the index does not have, or does not have any
 * more.
 */
async function datesFromGit(open: OpenContent, path: string): Promise<PageDates> {
  const { ctx, space, view, repo } = open
  const isIndexed = await buildIfLost(ctx, space.id)
  if (isIndexed && findRevision(ctx.store, space.id, view.oid)) return pageDates(open, path)

  const isPublished = !open.pinned && open.scope === 'content'
  if (isPublished && findLastRevision(ctx.store, space.id)?.oid !== view.oid)
    return { dates: {}, certain: false }

  try {
    const times = await pathTimes(repo, view.oid, path)
    const dates = times ? { createdAt: timeOf(times.first), updatedAt: timeOf(times.last) } : {}
    return { dates, certain: isIndexed }
  } catch (error) {
    // A history that is too long to walk stays so; a busy server does not.
    if (isGitError(error, 'timeout')) return { dates: {}, certain: true }
    // A damaged commit in the history does not make the page unreadable.
    if (isGitError(error, 'busy') || isGitError(error, 'bad_objects'))
      return { dates: {}, certain: false }
    throw error
  }
}
