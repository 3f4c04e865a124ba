import { pathTimes } from '../../git/history/path-times.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../git/values/oid.ts'
import { findBirth, findLastChange, findLastRevision, findRevision } from '../../store/git/revisions.ts'
import { timeOf } from '../revisions/present.ts'
import type { OpenContent } from './open-content.ts'

export type PageDates = {
  dates: { createdAt?: string; updatedAt?: string }
  /** False: the index of the history is not up to date, so the dates are not to be kept. */
  certain: boolean
}

/**
 * When a page's file came to be, also under another name, and when it was changed last. For published revisions the
 * index knows, for others Git is asked (which does not follow names).
 */
export async function pageDates(open: OpenContent, path: string | undefined): Promise<PageDates> {
  const { ctx, space, view, repo } = open
  if (path === undefined) return { dates: {}, certain: true }
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
    return { dates, certain: true }
  } catch (error) {
    // A history too long to be walked stays so; a busy machine does not.
    if (isGitError(error, 'timeout')) return { dates: {}, certain: true }
    // A commit of the past that is damaged does not take the page with it.
    if (isGitError(error, 'busy') || isGitError(error, 'bad_objects')) return { dates: {}, certain: false }
    throw error
  }
}
