import type { EntryConflict } from '../../content/summary/entry-conflicts.ts'
import { summaryConflicts } from '../../content/summary/merge.ts'
import { hunksOf, type MergeHunk } from '../../content/text/merge.ts'
import type { Context } from '../../context.ts'
import type { MergeConflict } from '../../git/commits/merge.ts'
import type { Repository } from '../../git/process/processes.ts'
import { sha256 } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import { pauses } from '../../lib/slices.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { conflictsOfSummary } from './merge-commits.ts'
import { type Texts, textsOf } from './texts-of-conflict.ts'
import { viewRevision } from './view-revision.ts'

/** Larger files are compared with Git, in bytes. */
export const hunkFileLimit = 1024 * 1024
/** The most characters of hunks for one answer: further files have none. */
const mostCharacters = 2_000_000
/** The most hunks of a file. */
export const mostHunks = 1000
/** The most characters of texts that are compared for one answer. */
const mostRead = 6_000_000

/** A path that both sides changed, with the page that it is on either side. */
export type ConflictingFile = { path: string; page?: string; type: string }

/**
 * A path in conflict, with the places where the texts differ, and for a table of contents with the
 * entries that a choice for each of them would merge.
 */
export type Conflict = ConflictingFile & { hunks?: NamedHunk[]; entries?: EntryConflict[] }

/** A place where the texts of a conflict differ, with its name in the conflict. */
type NamedHunk = MergeHunk & { hunk: string }

/** The commits that were merged. */
export type Sides = { ours: Oid; theirs: Oid }

/** Adds to each conflict the page that its path is on either side. */
export async function nameConflicts(
  ctx: Context,
  spaceId: string,
  { ours, theirs }: Sides,
  conflicts: readonly MergeConflict[],
): Promise<ConflictingFile[]> {
  if (conflicts.length === 0) return []
  const views = await Promise.all([ours, theirs].map(head => viewRevision(ctx, spaceId, head)))

  return conflicts.map(({ path, type }) => {
    const page = views
      .map(view => view.content.pageByFile.get(path)?.id)
      .find(id => id !== undefined)
    return { path, ...(page !== undefined && { page }), type }
  })
}

/** Adds to each conflict its page and, if all sides are texts of moderate size, its hunks. */
export async function describeConflicts(
  ctx: Context,
  spaceId: string,
  sides: Sides,
  conflicts: readonly MergeConflict[],
): Promise<Conflict[]> {
  const named = await nameConflicts(ctx, spaceId, sides, conflicts)
  const repo = spaceRepository(ctx, spaceId)
  const hunks = await hunksByPath(repo, conflicts, mostCharacters)
  const entries = new Map<string, EntryConflict[]>()

  for (const conflict of await conflictsOfSummary(repo, sides, conflicts)) {
    const texts = await textsOf(repo, conflict, hunkFileLimit)
    const found = texts && summaryConflicts(texts)
    if (found) entries.set(conflict.path, found)
  }

  return named.map(conflict => {
    const found = hunks.get(conflict.path)
    const ofContents = entries.get(conflict.path)
    return {
      ...conflict,
      ...(found && { hunks: found }),
      ...(ofContents && { entries: ofContents }),
    }
  })
}

/** Returns the hunks of conflicts between texts, by path, of at most so many characters. */
export async function hunksByPath(
  repo: Repository,
  conflicts: readonly MergeConflict[],
  mostCharacters: number,
): Promise<Map<string, NamedHunk[]>> {
  const found = new Map<string, NamedHunk[]>()
  const pause = pauses()
  let read = 0
  let characters = 0

  for (const conflict of conflicts) {
    if (read >= mostRead) break
    const texts = await textsOf(repo, conflict, hunkFileLimit)
    if (!texts) continue
    read += texts.reduce((sum, text) => sum + text.length, 0)
    const hunks = namedHunks(texts)
    const size = hunks.reduce((sum, hunk) => sum + sizeOf(hunk), 0)
    await pause()
    if (hunks.length > mostHunks || characters + size > mostCharacters) continue
    characters += size
    found.set(conflict.path, hunks)
  }

  return found
}

/**
 * Returns the hunks of a conflict with names that tell their texts: a choice for one is never taken
 * for another one.
 */
export function namedHunks(texts: Texts): NamedHunk[] {
  const seen = new Map<string, number>()
  return hunksOf(...texts).map(hunk => {
    const name = sha256(JSON.stringify([hunk.base, hunk.ours, hunk.theirs])).slice(0, 12)
    const times = seen.get(name) ?? 0
    seen.set(name, times + 1)
    return { hunk: times === 0 ? name : `${name}-${times}`, ...hunk }
  })
}

const sizeOf = ({ base, ours, theirs }: MergeHunk): number =>
  base.length + ours.length + theirs.length

/** Returns conflicts as they are for the other side. */
export const fromOtherSide = (conflicts: readonly MergeConflict[]): MergeConflict[] =>
  conflicts.map(conflict => {
    const { base, ours, theirs } = conflict.stages
    const stages = {
      ...(base && { base }),
      ...(theirs && { ours: theirs }),
      ...(ours && { theirs: ours }),
    }
    return { ...conflict, stages }
  })
