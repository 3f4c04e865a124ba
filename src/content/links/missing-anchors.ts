import { mustGet } from '../../lib/must-get.ts'
import type { Oid } from '../../lib/oid.ts'
import type { Steps } from '../../lib/slices.ts'
import type { ContentTree, PageNode } from '../tree/build.ts'
import { type Anchors, anchorSteps, hasAnchor } from './anchors.ts'
import type { Classified } from './classify.ts'
import type { LinkFacts } from './facts.ts'
import { targetPaths } from './target-paths.ts'

/** The anchors of files, while the facts about their links are in memory. */
const anchors = new WeakMap<LinkFacts, Anchors>()

function* anchorsOf(facts: LinkFacts): Steps<Anchors> {
  const known = anchors.get(facts)
  if (known) return known
  const found = yield* anchorSteps(facts)
  anchors.set(facts, found)
  return found
}

/** A place in a page that a link or redirect leads to. */
export type AnchorTarget = { page: string; fragment: string }

/** Returns the place that a link leads to; undefined if it has no anchor, or leads elsewhere. */
const anchorTarget = ({ to, fragment }: Classified): AnchorTarget | undefined =>
  fragment && to.kind === 'page' ? { page: to.id, fragment } : undefined

/**
 * Returns a function that tells, in steps, whether a page lacks an anchor. A page has the anchors
 * of the reusable content that it shows; which ones an OpenAPI spec makes is not known here, so
 * that a page with one lacks none.
 */
export function anchorCheck(
  tree: ContentTree,
  factsOf: (oid: Oid) => LinkFacts | undefined,
): (target: AnchorTarget) => Steps<boolean> {
  const resolve = targetPaths(tree.config.root)
  const includes = new Map(tree.includes.map(({ path, oid }) => [path, oid]))
  const shownBy = new Map<PageNode, LinkFacts[] | undefined>()

  /** Returns the facts of all files that a page shows; undefined if one of them shows a spec. */
  const filesOf = ({ file }: PageNode): LinkFacts[] | undefined => {
    if (!file) return undefined
    const seen = new Set<string>([file.path])
    const files: LinkFacts[] = []
    const open: { path: string; oid: Oid }[] = [file]

    for (let next = open.pop(); next; next = open.pop()) {
      const { path, oid } = next
      const facts = factsOf(oid)
      if (!facts || facts.links.some(({ how }) => how === 'openapi' || how === 'spec'))
        return undefined
      files.push(facts)
      for (const { how, target } of facts.links) {
        if (how !== 'include') continue
        const inner = resolve(path, target).paths.find(each => includes.has(each))
        if (inner === undefined || seen.has(inner)) continue
        seen.add(inner)
        open.push({ path: inner, oid: mustGet(includes, inner) })
      }
    }

    return files
  }

  return function* lacks({ page: id, fragment }) {
    const page = tree.pageById.get(id)
    if (!page) return false
    if (!shownBy.has(page)) shownBy.set(page, filesOf(page))
    const files = shownBy.get(page)
    if (!files) return false
    for (const facts of files) if (hasAnchor(yield* anchorsOf(facts), fragment)) return false
    return true
  }
}

/** Returns the links that lead to an anchor that does not exist, in steps. */
export function* anchorlessSteps<Link extends Classified>(
  lacks: ReturnType<typeof anchorCheck>,
  links: readonly Link[],
): Steps<Set<Link>> {
  const without = new Set<Link>()
  for (const [at, link] of links.entries()) {
    if (at % 256 === 255) yield
    const target = anchorTarget(link)
    if (target && (yield* lacks(target))) without.add(link)
  }
  return without
}
