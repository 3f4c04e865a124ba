import { addressedSteps } from '../../content/links/addressed.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { markdownAddress } from '../../content/tree/page-address.ts'
import { inSlices } from '../../lib/slices.ts'
import { wholeAddress } from '../place/canonical.ts'
import type { SitePlace } from '../place/place.ts'
import { textOf } from './text-of.ts'

/**
 * Returns the Markdown of a page as shown to its reader. Links have the same targets as in the
 * HTML, but as whole URLs, because programs read the text elsewhere. Links to pages lead to their
 * Markdown. `isUnsettled` as for `readText`.
 */
export async function markdownText(
  place: SitePlace,
  node: PageNode,
): Promise<{ text: string; isUnsettled: boolean }> {
  const { markdown, targets, isUnsettled } = await textOf(place, node)
  const { include } = targets
  const address = (fromFile: string | undefined, target: string): string | undefined => {
    const link = targets.link(fromFile, target)
    if (!link) return undefined
    if (link.kind === 'anchor' || link.href.startsWith('#')) return link.href
    return wholeAddress(place, link.kind === 'page' ? markdownOfPage(link.href) : link.href)
  }

  const steps = addressedSteps(markdown, node.file?.path, { address, include })
  return { text: await inSlices(steps, place.signal), isUnsettled }
}

/**
 * Returns the address of the Markdown of a page, given the address of the page. Keeps the query and
 * the fragment.
 */
function markdownOfPage(address: string): string {
  const end = address.search(/[?#]/)
  const path = end === -1 ? address : address.slice(0, end)
  return markdownAddress(path) + address.slice(path.length)
}
