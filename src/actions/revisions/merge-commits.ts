import { mergeSummaries } from '../../content/summary/merge.ts'
import { decode, encode } from '../../content/text/bytes.ts'
import { configPath, readConfig } from '../../content/tree/config.ts'
import { type MergeResult, mergeTrees } from '../../git/commits/merge.ts'
import { openQuarantine } from '../../git/commits/quarantine.ts'
import { readBlob } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { findEntry } from '../../git/trees/tree-files.ts'
import type { Oid } from '../../git/values/oid.ts'

/** A larger table of contents is left to Git. */
const summaryLimit = 1024 * 1024

/**
 * Merges two commits into a tree as Git does, but for one thing that Git cannot know: in the table of contents both
 * sides may add entries at the same place. Throws as `mergeTrees`.
 */
export async function mergeCommits(repo: Repository, ours: Oid, theirs: Oid): Promise<MergeResult> {
  const merged = await mergeTrees(repo, ours, theirs)
  const [conflict, ...others] = merged.clean ? [] : merged.conflicts
  if (!conflict || others.length > 0 || conflict.type !== 'content') return merged
  if (conflict.path !== (await summaryPath(repo, ours))) return merged
  const { stages } = conflict
  const texts = await Promise.all(
    [stages.base, stages.ours, stages.theirs].map(side => readText(repo, side?.oid)),
  )
  const [base, mine, other] = texts
  if (base === undefined || mine === undefined || other === undefined) return merged
  const text = mergeSummaries(base, mine, other)
  if (text === undefined) return merged
  const quarantine = openQuarantine(repo)
  const oid = await quarantine.writeBlob(encode(text))
  const mode = stages.ours?.mode
  const tree = await quarantine.writeTree(merged.tree, [{ path: conflict.path, oid, ...(mode && { mode }) }])
  await quarantine.flush()
  return { clean: true, tree }
}

async function summaryPath(repo: Repository, commit: Oid): Promise<string> {
  const entry = await findEntry(repo, commit, configPath)
  const bytes = entry && (await readBlob(repo, entry.oid, summaryLimit).catch(() => undefined))
  return readConfig(bytes).config.summary
}

async function readText(repo: Repository, oid: Oid | undefined): Promise<string | undefined> {
  const bytes = oid && (await readBlob(repo, oid, summaryLimit).catch(() => undefined))
  const decoded = bytes && decode(bytes)
  return decoded?.exact ? decoded.text : undefined
}
