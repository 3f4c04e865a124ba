import { pathTimes } from '../../git/history/path-times.ts'
import { timeOf } from '../../git/values/commit-time.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { findFolderChange } from '../../store/git/folder-changes.ts'
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

type File = { path: string; oid: Oid }

/**
 * Returns when a page's file was created, following renames, and last changed. What came with a
 * folder has the dates of its history; without a date of its last change, it has none. For the
 * rest, published revisions are looked up in the index; for others Git is asked, which does not
 * follow renames.
 */
export async function pageDates(open: OpenContent, file: File | undefined): Promise<PageDates> {
  if (file === undefined) return { dates: {}, certain: true }
  const found = await datesInSpace(open, file.path)
  const change = changeInFolder(open, file)
  if (!change) return found

  const { createdAt = '' } = found.dates
  const updatedAt = isoOf(change)
  // The file may be older than its arrival in the space.
  const isKnown = createdAt !== '' && updatedAt !== undefined && createdAt <= updatedAt

  return {
    dates: { ...(isKnown && { createdAt }), ...(updatedAt !== undefined && { updatedAt }) },
    certain: found.certain,
  }
}

/**
 * Returns a text that identifies what rows say about a page's file beside the revision: the dates
 * of a page stay the same as long as it does.
 */
export function stampOfDates(open: OpenContent, file: File | undefined): string {
  const change = file && changeInFolder(open, file)
  return change ? `changed ${change.changed_at} ${change.author_name}` : ''
}

const changeInFolder = ({ ctx, space }: OpenContent, { path, oid }: File) =>
  findFolderChange(ctx.store, space.id, path, oid)

const isoOf = ({ changed_at: at }: { changed_at: number | null }): string | undefined =>
  at === null ? undefined : timeOf(at)

async function datesInSpace(open: OpenContent, path: string): Promise<PageDates> {
  const { ctx, space, view } = open
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
  file: File | undefined,
): Promise<string | undefined> {
  const { ctx, space, view } = open
  if (file === undefined) return undefined
  const change = changeInFolder(open, file)
  if (change) return isoOf(change)
  const last = findLastChangeAt(ctx.store, space.id, view.oid, file.path)
  if (!last) return (await datesFromGit(open, file.path)).dates.updatedAt
  return last.committed_at === null ? undefined : timeOf(last.committed_at)
}

/**
 * Returns the name of the author of the last change of a page's file; undefined if it is not known.
 */
export function lastAuthorOf(open: OpenContent, file: File): string | undefined {
  const change = changeInFolder(open, file)
  if (change) return change.author_name ?? undefined
  const { ctx, space, view } = open
  const revision = findRevision(ctx.store, space.id, view.oid)
  return revision && findLastChange(ctx.store, space.id, file.path, revision.seq)?.author_name
}

/**
 * Returns the dates of a page of a revision that the index does not have, or does not have any
 * more.
 */
async function datesFromGit(open: OpenContent, path: string): Promise<PageDates> {
  const { ctx, space, view, repo } = open
  const isIndexed = await buildIfLost(ctx, space.id)
  if (isIndexed && findRevision(ctx.store, space.id, view.oid)) return datesInSpace(open, path)

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
