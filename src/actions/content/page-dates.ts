import { pathTimes } from '../../git/history/path-times.ts'
import { timeOf } from '../../git/values/commit-time.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../git/values/oid.ts'
import { findBirth, findLastChange, findLastRevision, findRevision } from '../../store/git/revisions.ts'
import { buildIfLost } from '../heads/index-up-to.ts'
import type { OpenContent } from './open-content.ts'

export type PageDates = {
  dates: { createdAt?: string; updatedAt?: string }
  /** False when the history index is not up to date: do not cache the dates. */
  certain: boolean
}

/**
 * Returns when a page's file was created, following renames, and last changed. Published revisions are looked up in
 * the index; for others Git is asked, which does not follow renames.
 */
export async function pageDates(open: OpenContent, path: string | undefined): Promise<PageDates> {
  const { ctx, space, view, repo } = open
  if (path === undefined) return { dates: {}, certain: true }
  const isIndexed = await buildIfLost(ctx, space.id)
  const revision = findRevision(ctx.store, space.id, view.oid)
  if (revision) {
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
  const isPublished = !open.pinned && open.scope === 'content'
  if (isPublished && findLastRevision(ctx.store, space.id)?.oid !== view.oid)
    return { dates: {}, certain: false }
  try {
    const times = await pathTimes(repo, view.oid as Oid, path)
    const dates = times ? { createdAt: timeOf(times.first), updatedAt: timeOf(times.last) } : {}
    return { dates, certain: isIndexed }
  } catch (error) {
    // A history that is too long to walk stays so; a busy server does not.
    if (isGitError(error, 'timeout')) return { dates: {}, certain: true }
    // A damaged commit in the history does not make the page unreadable.
    if (isGitError(error, 'busy') || isGitError(error, 'bad_objects')) return { dates: {}, certain: false }
    throw error
  }
}
