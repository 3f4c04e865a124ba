import type { Oid } from '../../lib/oid.ts'
import type { Steps } from '../../lib/slices.ts'
import { isMarkdown } from '../files.ts'
import { lineCounter } from '../text/issues.ts'
import type { ContentTree } from '../tree/build.ts'
import { type Classified, type LinkHome, linkClassifier } from './classify.ts'
import type { LinkFact, LinkFacts } from './facts.ts'
import { anchorCheck, anchorlessSteps } from './missing-anchors.ts'

/** A link of a revision: its place and its destination. */
export type RevisionLink = LinkFact &
  Classified & {
    /** The path of the file that contains it. */
    source: string
    /** For a link in the table of contents, the id of the page of its entry. */
    page?: string
    /** The page exists, but lacks the anchor that the link names: the link is broken. */
    anchor?: 'missing'
  }

/** The number of links between two yields to the event loop. */
const portion = 2048

/** The most links of one revision. */
const mostLinks = 500_000

/**
 * Returns the Markdown files whose links are listed, sorted by path: pages, reusable content and
 * unlisted Markdown.
 */
export function linkSources(tree: ContentTree): { path: string; oid: Oid }[] {
  const sources: { path: string; oid: Oid }[] = []
  for (const { file } of tree.pageByFile.values()) if (file) sources.push(file)
  for (const { path, oid } of tree.includes) sources.push({ path, oid })
  const own = `${tree.config.root}.gitbook/`
  for (const { path, oid } of tree.files)
    if (isMarkdown(path) && !path.startsWith(own)) sources.push({ path, oid })
  return sources.sort(byPath)
}

const byPath = (a: { path: string }, b: { path: string }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0

/**
 * Returns the links of a revision by the path of their file and the place in it, in steps. `facts`
 * returns the facts of a blob.
 */
export function* revisionLinkSteps(
  tree: ContentTree,
  home: LinkHome,
  facts: (oid: string) => LinkFacts | undefined,
): Steps<RevisionLink[]> {
  const classify = linkClassifier(tree, home)
  const links: RevisionLink[] = []
  const add = (source: string, fact: LinkFact, page?: string) => {
    if (links.length < mostLinks)
      links.push({
        ...fact,
        ...classify(source, fact),
        source,
        ...(page !== undefined && { page }),
      })
    return links.length % 256 === 0
  }
  let summarised = false

  for (const { path, oid } of linkSources(tree)) {
    if (!summarised && path > tree.summaryPath) {
      summarised = true
      for (const [page, fact] of yield* summaryFacts(tree))
        if (add(tree.summaryPath, fact, page)) yield
    }
    for (const fact of facts(oid)?.links ?? []) if (add(path, fact)) yield
  }

  if (!summarised)
    for (const [page, fact] of yield* summaryFacts(tree))
      if (add(tree.summaryPath, fact, page)) yield
  yield

  for (const link of yield* anchorlessSteps(anchorCheck(tree, facts), links)) {
    link.status = 'broken'
    link.anchor = 'missing'
  }

  return links
}

/**
 * Returns the targets in the table of contents that are not files of pages, each with the id of its
 * entry's page: links, missing files, and specs that generate pages.
 */
function* summaryFacts(tree: ContentTree): Steps<[page: string, fact: LinkFact][]> {
  const lineAt = lineCounter(tree.summary?.source ?? '')
  const found: [string, LinkFact][] = []
  let seen = 0

  for (const { id, entry, type, target, missing, computed } of tree.pageById.values()) {
    if (++seen % 1024 === 0) yield
    if (!entry) continue
    const at = entry.at.target?.start ?? entry.range.start
    const add = (named: string, how?: LinkFact['how']) =>
      found.push([id, { at, line: lineAt(at), target: named, ...(how && { how }) }])
    if (type === 'link' && target !== undefined) add(target)
    else if (missing !== undefined) add(entry.target ?? missing)

    const slug = computed && specOf(computed.dependencies)
    if (slug) add(slug, 'spec')
  }

  return found.sort(([, a], [, b]) => a.at - b.at)
}

/** Returns the slug of the spec that a computed page is generated from. */
function specOf({ spec }: Record<string, unknown>): string | undefined {
  const ref = (spec as { ref?: { spec?: unknown } } | null | undefined)?.ref
  return typeof ref?.spec === 'string' && ref.spec !== '' ? ref.spec : undefined
}

/**
 * Returns the indexes in `links` of the links that are broken and were not before, in steps. A link
 * was broken before if the same file had a broken link to the same target.
 */
export function* newlyBrokenSteps(
  links: readonly RevisionLink[],
  before: readonly RevisionLink[],
  sameFile: (link: RevisionLink, when: 'now' | 'before') => string,
): Steps<Set<number>> {
  const key = (link: RevisionLink, when: 'now' | 'before') =>
    `${sameFile(link, when)}\n${link.missing ?? link.target}`
  const known = new Map<string, number>()
  for (const [at, link] of before.entries()) {
    if (at % portion === portion - 1) yield
    if (link.status !== 'broken') continue
    const named = key(link, 'before')
    known.set(named, (known.get(named) ?? 0) + 1)
  }

  const fresh = new Set<number>()

  for (const [index, link] of links.entries()) {
    if (index % portion === portion - 1) yield
    if (link.status !== 'broken') continue
    const named = key(link, 'now')
    const left = known.get(named) ?? 0
    if (left > 0) known.set(named, left - 1)
    else fresh.add(index)
  }

  return fresh
}
