import type { RevisionLink } from '../../content/links/list.ts'
import {
  anchorCheck,
  anchorlessSteps,
  anchorSources,
  anchorTarget,
} from '../../content/links/missing-anchors.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { inSlices } from '../../lib/slices.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { readLinkFacts } from './read-link-facts.ts'

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
  const oids = anchorSources(
    content,
    links.flatMap(link => anchorTarget(link) ?? []),
  )
  const { facts } = await readLinkFacts(ctx, spaceRepository(ctx, spaceId), [...oids])
  const lacks = anchorCheck(content, oid => facts.get(oid))

  return inSlices(anchorlessSteps(lacks, links))
}
