import { mergeChosen, summaryConflicts } from '../../content/summary/merge.ts'
import { eolOf } from '../../content/text/lines.ts'
import { fillHunks, type MergeHunk } from '../../content/text/merge.ts'
import { Fault, invalid } from '../../errors.ts'
import type { MergeConflict } from '../../git/commits/merge.ts'
import type { Quarantine } from '../../git/commits/quarantine.ts'
import type { Repository } from '../../git/process/processes.ts'
import { isGitError } from '../../git/values/errors.ts'
import { mustGet } from '../../lib/must-get.ts'
import type { Oid } from '../../lib/oid.ts'
import { hunkFileLimit, mostHunks, namedHunks } from './name-conflicts.ts'
import { type Texts, textOfSide, textsOf } from './texts-of-conflict.ts'

/**
 * The text of one place where both sides differ, by the name of the hunk: that of a side, of both
 * in order, or a new one.
 */
type HunkChoice =
  | { hunk: string; take: 'ours' | 'theirs' | 'both' }
  | { hunk: string; content: string }

/** The side whose change of an entry of the table of contents counts. */
type EntryChoice = { entry: string; take: 'ours' | 'theirs' }

/**
 * The resolution of one conflict: one side's file (or its absence), a new text, or a choice for
 * each place where the texts differ, or for each entry of a table of contents.
 */
export type Resolution =
  | { path: string; take: 'ours' | 'theirs' }
  | { path: string; content: string }
  | { path: string; hunks: readonly HunkChoice[] }
  | { path: string; entries: readonly EntryChoice[] }

const fileMode = '100644'

/** A file as a resolution makes it: `text` is undefined for what is no text of moderate size. */
export type ResolvedFile = { path: string; isGone: boolean; text: string | undefined }

/**
 * Returns the files of some conflicts as resolutions make them, without writing anything. Throws 'conflict' for a
 * resolution of what is not in conflict, or with choices for other texts.
 */
export async function tryResolutions(
  repo: Repository,
  conflicts: readonly MergeConflict[],
  resolutions: readonly Resolution[],
): Promise<ResolvedFile[]> {
  const byPath = new Map(conflicts.map(conflict => [conflict.path, conflict]))
  const files: ResolvedFile[] = []

  for (const resolution of resolutions) {
    const { path } = resolution
    const conflict = byPath.get(path)
    if (!conflict)
      throw new Fault('resolution_mismatch', `"${path}" is not in conflict any more.`, { path })
    const side = 'take' in resolution ? conflict.stages[resolution.take] : undefined
    const text =
      'take' in resolution
        ? await textOfSide(repo, side, hunkFileLimit)
        : await newText(repo, conflict, resolution)
    files.push({ path, isGone: 'take' in resolution && !side, text })
  }

  return files
}

/**
 * Returns the tree of a merge with every conflict resolved; `tree` is Git's merge result. The
 * caller flushes the quarantine. Throws 'invalid' for a path that is resolved twice, 'conflict'
 * (details: missing, extra) unless the resolutions match the conflicts exactly.
 */
export async function resolveConflicts(
  repo: Repository,
  quarantine: Quarantine,
  tree: Oid,
  conflicts: readonly MergeConflict[],
  resolutions: readonly Resolution[],
): Promise<Oid> {
  checkMatching(conflicts, resolutions)
  if (conflicts.length === 0) return tree
  const byPath = new Map(resolutions.map(resolution => [resolution.path, resolution]))
  const changes = []

  for (const conflict of conflicts) {
    changes.push({
      path: conflict.path,
      ...(await fileOf(repo, quarantine, conflict, mustGet(byPath, conflict.path))),
    })
  }

  try {
    return await quarantine.writeTree(tree, changes)
  } catch (error) {
    if (!isGitError(error, 'path_conflict')) throw error
    const path = String(error.detail.path ?? '')
    throw new Fault(
      'path_conflict',
      `"${path}" would be both a file and a folder. Choose another resolution.`,
      {
        path,
      },
    )
  }
}

function checkMatching(
  conflicts: readonly MergeConflict[],
  resolutions: readonly Resolution[],
): void {
  const conflicting = new Set(conflicts.map(conflict => conflict.path))
  const resolved = new Set(resolutions.map(resolution => resolution.path))
  if (resolved.size < resolutions.length)
    throw invalid('"resolutions" in the body: a path is listed twice. Resolve each conflict once.')

  const missing = [...conflicting].filter(path => !resolved.has(path))
  const extra = [...resolved].filter(path => !conflicting.has(path))
  if (missing.length === 0 && extra.length === 0) return

  const problems = [
    missing.length > 0 ? `not resolved: ${listOf(missing)}` : '',
    extra.length > 0 ? `not in conflict: ${listOf(extra)}` : '',
  ]

  throw new Fault(
    'resolution_mismatch',
    `The resolutions do not match the conflicts; ${problems.filter(Boolean).join('; ')}.`,
    {
      missing,
      extra,
    },
  )
}

const listOf = (paths: readonly string[]): string =>
  paths
    .slice(0, 5)
    .map(path => `"${path.slice(0, 200)}"`)
    .join(', ') + (paths.length > 5 ? ` and ${paths.length - 5} more` : '')

async function fileOf(
  repo: Repository,
  quarantine: Quarantine,
  conflict: MergeConflict,
  resolution: Resolution,
): Promise<{ oid: Oid | null; mode?: string }> {
  const { stages } = conflict
  if ('take' in resolution) {
    const side = stages[resolution.take]
    return side ? { oid: side.oid, mode: side.mode } : { oid: null }
  }

  const text = await newText(repo, conflict, resolution)
  const mode =
    [stages.ours?.mode, stages.theirs?.mode].find(held => held?.startsWith('100')) ?? fileMode

  return { oid: await quarantine.writeBlob(Buffer.from(text)), mode }
}

const newText = async (
  repo: Repository,
  conflict: MergeConflict,
  resolution: Exclude<Resolution, { take: unknown }>,
): Promise<string> =>
  'content' in resolution ? resolution.content : textWith(repo, conflict, resolution)

/** Returns the merged text of a conflict with a choice for each of its hunks or entries. */
async function textWith(
  repo: Repository,
  conflict: MergeConflict,
  resolution: Exclude<Resolution, { take: unknown } | { content: unknown }>,
): Promise<string> {
  const { path } = conflict
  const texts = await textsOf(repo, conflict, hunkFileLimit)
  if (!texts)
    throw invalid(
      `"${path}" has no hunks: it is not text on both sides, or too large. Resolve it with "take" or "content".`,
      { path },
    )

  return 'hunks' in resolution
    ? textWithHunks(path, texts, resolution.hunks)
    : textWithEntries(path, texts, resolution.entries)
}

function textWithHunks(path: string, texts: Texts, choices: readonly HunkChoice[]): string {
  const hunks = namedHunks(texts)
  const byName = new Map(choices.map(choice => [choice.hunk, choice]))
  const isWhole = byName.size === hunks.length && hunks.every(({ hunk }) => byName.has(hunk))
  if (!isWhole)
    throw new Fault(
      'resolution_mismatch',
      `The choices for "${path}" are not those of its hunks now. Read the conflicts again, and send one choice for each hunk.`,
      { path, hunks: hunks.slice(0, mostHunks).map(({ hunk }) => hunk) },
    )

  return fillHunks(texts, (hunk, at) => textOf(hunk, mustGet(byName, hunks[at]?.hunk ?? '')))
}

function textWithEntries(path: string, texts: Texts, choices: readonly EntryChoice[]): string {
  const text = mergeChosen(texts, new Map(choices.map(({ entry, take }) => [entry, take])))
  if (text === undefined)
    throw new Fault(
      'resolution_mismatch',
      `"${path}" cannot be merged with these choices. Send one for each of the "entries" of the conflict, or resolve it with "hunks", "take" or "content".`,
      { path, entries: summaryConflicts(texts) ?? [] },
    )
  return text
}

function textOf(hunk: MergeHunk, choice: HunkChoice): string {
  if ('content' in choice) return choice.content
  if (choice.take !== 'both') return hunk[choice.take]
  // A side that ends the file may lack its last line ending.
  const isOpen = hunk.theirs !== '' && hunk.ours !== '' && !/[\r\n]$/.test(hunk.ours)
  return `${hunk.ours}${isOpen ? eolOf(hunk.theirs) : ''}${hunk.theirs}`
}
