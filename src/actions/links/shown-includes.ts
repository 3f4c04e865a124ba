import { firstOf } from '../../content/links/target-paths.ts'
import type { ContentTree, IncludeNode } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { digestId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import { pauses } from '../../lib/slices.ts'
import { readIncludeTargets, type TextFile } from './read-include-targets.ts'

/**
 * Returns a digest of the reusable content that each of these texts shows, directly or within other
 * reusable content, by path. A text that shows none has no entry.
 */
export async function shownIncludes(
  ctx: Context,
  repo: Repository,
  content: ContentTree,
  texts: readonly TextFile[],
): Promise<Map<string, string>> {
  const digests = new Map<string, string>()
  if (content.includes.length === 0) return digests
  const direct = await directIncludes(ctx, repo, content, texts)
  const pause = pauses()

  for (const { path } of texts) {
    const shown = new Map<string, Oid>()
    const open = [path]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const include of direct.get(at) ?? [])
        if (!shown.has(include.path)) {
          shown.set(include.path, include.oid)
          open.push(include.path)
        }
      await pause()
    }
    if (shown.size > 0) digests.set(path, digestId(...[...shown].flat().toSorted()))
  }

  return digests
}

/** Returns the reusable content that texts include, and that this content includes, by path. */
async function directIncludes(
  ctx: Context,
  repo: Repository,
  content: ContentTree,
  texts: readonly TextFile[],
): Promise<Map<string, IncludeNode[]>> {
  const includeByPath = new Map(content.includes.map(each => [each.path, each]))
  const direct = new Map<string, IncludeNode[]>()
  const seen = new Set(texts.map(({ path }) => path))

  for (let open = texts; open.length > 0; ) {
    const next: TextFile[] = []
    for (const [path, targets] of await readIncludeTargets(ctx, repo, content, open)) {
      const found = targets.flatMap(paths => firstOf(paths, includeByPath) ?? [])
      direct.set(path, found)
      for (const each of found) {
        if (!seen.has(each.path)) next.push(each)
        seen.add(each.path)
      }
    }
    open = next
  }

  return direct
}
