import type { Steps } from '../../lib/slices.ts'
import type { AnchorTarget } from '../links/missing-anchors.ts'
import type { ContentTree } from '../tree/build.ts'
import { configPath, isUrl, redirectLines } from '../tree/config.ts'
import { pageOfRedirect } from '../tree/find-page.ts'
import { type Finding, finding } from './kinds.ts'

const ofSite =
  'Remove it, and create a redirect of the site: those may lead to an address outside of it.'

/**
 * Returns the redirects of `.gitbook.yaml` that lead to no page, or to an anchor that the page
 * lacks, in steps. `settings` are the bytes of the file.
 */
export function* redirectFindings(
  tree: ContentTree,
  settings: Uint8Array | undefined,
  lacks: (target: AnchorTarget) => Steps<boolean>,
): Steps<Finding[]> {
  const found: Finding[] = []
  if (tree.config.redirects.length === 0) return found
  const lines = redirectLines(settings)

  for (const [at, redirect] of tree.config.redirects.entries()) {
    if (at % 256 === 255) yield
    const { from, to } = redirect
    const place = { file: configPath, line: lines.get(from) }
    const says = `The redirect of "${from.slice(0, 200)}" leads to "${to.slice(0, 200)}"`
    const page = pageOfRedirect(tree, redirect)
    const fragment = /#(.+)$/s.exec(to)?.[1]

    if (isUrl(to))
      found.push(finding('dead-redirect', place, `${says}, and is not followed.`, ofSite))
    else if (!page) found.push(finding('dead-redirect', place, `${says}, which is no page.`))
    else if (fragment !== undefined && (yield* lacks({ page: page.id, fragment })))
      found.push(finding('missing-anchor', place, `${says}, and the page has no such anchor.`))
  }

  return found
}
