import { firstOf, targetPaths } from '../../content/links/target-paths.ts'
import type { ContentTree, IncludeNode } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { digestId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import { pauses } from '../../lib/slices.ts'
import { readLinkFacts } from './read-link-facts.ts'

type TextFile = { path: string; oid: Oid }

/** How many files are looked up together. */
const batch = 500

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
  { config, includes }: ContentTree,
  texts: readonly TextFile[],
): Promise<Map<string, IncludeNode[]>> {
  const includeByPath = new Map(includes.map(each => [each.path, each]))
  const resolve = targetPaths(config.root)
  const direct = new Map<string, IncludeNode[]>()
  const seen = new Set(texts.map(({ path }) => path))
  const open: TextFile[] = [...texts]
  const pause = pauses()

  for (let at = 0; at < open.length; ) {
    const some = open.slice(at, at + batch)
    at += some.length
    const oids = some.map(({ oid }) => oid)
    const { facts } = await readLinkFacts(ctx, repo, oids)

    for (const { path, oid } of some) {
      const targets = (facts.get(oid)?.links ?? []).filter(({ how }) => how === 'include')
      const found = targets.flatMap(
        ({ target }) => firstOf(resolve(path, target).paths, includeByPath) ?? [],
      )
      if (found.length > 0) direct.set(path, found)
      for (const each of found) {
        if (!seen.has(each.path)) open.push(each)
        seen.add(each.path)
      }
      await pause()
    }
  }

  return direct
}
