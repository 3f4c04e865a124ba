import { targetPaths } from '../../content/links/target-paths.ts'
import type { ContentTree } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'
import { pauses } from '../../lib/slices.ts'
import { readLinkFacts } from './read-link-facts.ts'

export type TextFile = { path: string; oid: Oid }

/** How many files are looked up together. */
const batch = 500

/**
 * Returns the targets of the tags with which texts include reusable content, each as the paths that it
 * may mean, by the paths of the texts. A text without such tags has no entry.
 */
export async function readIncludeTargets(
  ctx: Context,
  repo: Repository,
  { config }: ContentTree,
  texts: readonly TextFile[],
): Promise<Map<string, (readonly string[])[]>> {
  const resolve = targetPaths(config.root)
  const targets = new Map<string, (readonly string[])[]>()
  const pause = pauses()

  for (let at = 0; at < texts.length; at += batch) {
    const some = texts.slice(at, at + batch)
    const oids = some.map(({ oid }) => oid)
    const { facts } = await readLinkFacts(ctx, repo, oids)

    for (const { path, oid } of some) {
      const links = (facts.get(oid)?.links ?? []).filter(({ how }) => how === 'include')
      if (links.length > 0)
        targets.set(
          path,
          links.map(({ target }) => resolve(path, target).paths),
        )
      await pause()
    }
  }

  return targets
}
