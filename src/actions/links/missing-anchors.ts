import { type Anchors, anchorSteps, hasAnchor } from '../../content/links/anchors.ts'
import type { LinkFacts } from '../../content/links/facts.ts'
import type { RevisionLink } from '../../content/links/list.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { inSlices, pauses } from '../../lib/slices.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { readLinkFacts } from './read-link-facts.ts'

/** The anchors of files, while the facts about their links are in memory. */
const anchors = new WeakMap<LinkFacts, Anchors>()

async function anchorsOf(facts: LinkFacts): Promise<Anchors> {
  const known = anchors.get(facts)
  if (known) return known
  const found = await inSlices(anchorSteps(facts))
  anchors.set(facts, found)
  return found
}

/**
 * Returns those of the links whose anchor does not exist on the target page. Only for shown links:
 * it reads every heading.
 */
export async function missingAnchors(
  ctx: Context,
  spaceId: string,
  { content }: RevisionView,
  links: readonly RevisionLink[],
): Promise<Set<RevisionLink>> {
  const oidOf = ({ to, fragment }: RevisionLink) =>
    fragment && to.kind === 'page' ? content.pageById.get(to.id)?.file?.oid : undefined
  const oids = new Set(links.flatMap(link => oidOf(link) ?? []))
  const { facts } = await readLinkFacts(ctx, spaceRepository(ctx, spaceId), [...oids])
  const without = new Set<RevisionLink>()
  const pause = pauses()

  for (const link of links) {
    const known = facts.get(oidOf(link) ?? '')
    if (known && !hasAnchor(await anchorsOf(known), link.fragment!)) without.add(link)
    await pause()
  }

  return without
}
