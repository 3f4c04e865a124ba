import { mergeSummaries } from '../../content/summary/merge.ts'
import { decode, encode } from '../../content/text/bytes.ts'
import type { Context } from '../../context.ts'
import { Fault, invalid } from '../../errors.ts'
import { type MergeConflict, type MergeResult, mergeTrees } from '../../git/commits/merge.ts'
import type { Quarantine } from '../../git/commits/quarantine.ts'
import { readBlob } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { isGitError } from '../../git/values/errors.ts'
import { mustGet } from '../../lib/must-get.ts'
import type { Oid } from '../../lib/oid.ts'
import { readConfigOf } from './read-config.ts'
import { viewRevision } from './view-revision.ts'

/** Larger tables of contents are merged by Git alone, in bytes. */
const summaryLimit = 1024 * 1024

/**
 * Merges two commits into a tree as Git does, except that the table of contents is merged by its
 * entries where Git sees a conflict. The caller flushes the quarantine. Throws like `mergeTrees`.
 */
export async function mergeCommits(
  repo: Repository,
  quarantine: Quarantine,
  ours: Oid,
  theirs: Oid,
): Promise<MergeResult> {
  const merged = await mergeTrees(repo, ours, theirs, quarantine)
  if (merged.clean) return merged
  const { config } = await readConfigOf(repo, ours)
  const conflict = merged.conflicts.find(
    ({ path, type }) => path === config.summary && type === 'content',
  )
  if (!conflict) return merged

  const { stages } = conflict
  const texts = await Promise.all(
    [stages.base, stages.ours, stages.theirs].map(side => readText(repo, fileIn(side))),
  )
  const [base, mine, other] = texts
  if (base === undefined || mine === undefined || other === undefined) return merged

  const text = mergeSummaries(base, mine, other)
  if (text === undefined) return merged

  const oid = await quarantine.writeBlob(encode(text))
  const mode = stages.ours?.mode
  const tree = await quarantine.writeTree(merged.tree, [
    { path: conflict.path, oid, ...(mode && { mode }) },
  ])

  const conflicts = merged.conflicts.filter(other => other !== conflict)

  return conflicts.length === 0 ? { clean: true, tree } : { clean: false, tree, conflicts }
}

/**
 * Returns the blob of an entry; undefined where it is none: a submodule may have the id of any
 * object.
 */
const fileIn = (entry: { mode: string; oid: Oid } | undefined): Oid | undefined =>
  entry?.mode.startsWith('100') ? entry.oid : undefined

async function readText(repo: Repository, oid: Oid | undefined): Promise<string | undefined> {
  const bytes = oid && (await readBlob(repo, oid, summaryLimit).catch(() => undefined))
  const decoded = bytes && decode(bytes)
  return decoded?.exact ? decoded.text : undefined
}

/** A path that both sides changed, as the API shows it. */
export type Conflict = { path: string; page?: string; type: string }

/** Adds to each conflict the page that its path is on either side. */
export async function nameConflicts(
  ctx: Context,
  spaceId: string,
  heads: readonly Oid[],
  conflicts: readonly MergeConflict[],
): Promise<Conflict[]> {
  const views = await Promise.all(heads.map(head => viewRevision(ctx, spaceId, head)))
  return conflicts.map(({ path, type }) => {
    const page = views
      .map(view => view.content.pageByFile.get(path)?.id)
      .find(id => id !== undefined)
    return { path, ...(page !== undefined && { page }), type }
  })
}

/** The resolution of one conflict: one side's file (or its absence), or a new text. */
export type Resolution =
  | { path: string; take: 'ours' | 'theirs' }
  | { path: string; content: string }

const fileMode = '100644'

/**
 * Returns the tree of a merge with every conflict resolved; `tree` is Git's merge result. The
 * caller flushes the quarantine. Throws 'invalid' for a path that is resolved twice, 'conflict'
 * (details: missing, extra) unless the resolutions match the conflicts exactly.
 */
export async function resolveConflicts(
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
      ...(await fileOf(quarantine, conflict, mustGet(byPath, conflict.path))),
    })
  }

  try {
    return await quarantine.writeTree(tree, changes)
  } catch (error) {
    if (!isGitError(error, 'path_conflict')) throw error
    const path = String(error.detail.path ?? '')
    throw new Fault(
      'conflict',
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
    'conflict',
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
  quarantine: Quarantine,
  { stages }: MergeConflict,
  resolution: Resolution,
): Promise<{ oid: Oid | null; mode?: string }> {
  if ('take' in resolution) {
    const side = stages[resolution.take]
    return side ? { oid: side.oid, mode: side.mode } : { oid: null }
  }
  const mode =
    [stages.ours?.mode, stages.theirs?.mode].find(held => held?.startsWith('100')) ?? fileMode
  return { oid: await quarantine.writeBlob(Buffer.from(resolution.content)), mode }
}
