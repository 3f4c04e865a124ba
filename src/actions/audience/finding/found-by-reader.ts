import { cacheSlot } from '../../../caches.ts'
import { finderOf, fold } from '../../../content/search/passages.ts'
import type { Section, Sections } from '../../../content/search/sections.ts'
import { judgeOf, weightSteps } from '../../../content/search/weights.ts'
import type { PageNode } from '../../../content/tree/build.ts'
import { mustGet } from '../../../lib/must-get.ts'
import { inSlices, pauses } from '../../../lib/slices.ts'
import type { Audience } from '../../reading/audience.ts'
import { readerSections } from '../../reading/reader-texts.ts'
import { namedAs } from '../../search/index-pages.ts'
import type { OpenContent } from '../open-content.ts'
import { type RankedPage, rankOfScore, rankOfTitle } from './rank-pages.ts'
import type { Wanted } from './turns.ts'

/** A found page, with the sections of its text if they are not those of the index. */
export type FoundShown = RankedPage & { sections?: readonly Section[] }

/**
 * The most found pages whose texts one search evaluates, in all spaces together; further ones are
 * left out.
 */
const mostEvaluated = 200

/** The number of pages whose texts a search may still evaluate. */
export type Evaluations = { left: number }

/** Returns the count for a new search. */
export const newEvaluations = (): Evaluations => ({ left: mostEvaluated })

/**
 * Returns those found pages that have the terms for the reader of the opened content. The index has
 * the texts in Git: a page with expressions or conditions is found only if its text as evaluated
 * for the reader has all terms. Each evaluated page is counted in `evaluations`; without any left,
 * such pages are not found.
 */
export async function foundByReader(
  open: OpenContent,
  found: readonly RankedPage[],
  wanted: Wanted,
  evaluations: Evaluations,
): Promise<FoundShown[]> {
  const { audience, shown } = open
  if (!audience) return [...found]
  const { content } = shown
  const { signal } = wanted
  const plain: FoundShown[] = []
  const varying = new Map<string, RankedPage>()

  for (const each of found) {
    const { page_id: id } = each.row
    if (!content.pageById.get(id)?.facts?.varies) plain.push(each)
    else if (varying.size < evaluations.left) varying.set(id, each)
  }

  evaluations.left -= varying.size
  if (varying.size === 0) return plain

  const nodes = [...varying.keys()].flatMap(id => content.pageById.get(id) ?? [])
  const rank = rankFor(wanted)

  for await (const [node, sections] of keptSections(open, audience, nodes, signal)) {
    const ranked = await rank(node, sections)
    if (ranked) plain.push({ ...mustGet(varying, node.id), ...ranked, sections: sections.sections })
  }

  return plain.sort((a, b) => a.rank - b.rank || a.row.id - b.row.id)
}

const cache = cacheSlot<Sections>('readerSections')

/**
 * Yields pages with their sections as `readerSections` does, from memory where they were evaluated
 * for the same claims.
 */
async function* keptSections(
  { ctx, space, repo, view }: OpenContent,
  audience: Audience,
  nodes: readonly PageNode[],
  signal: AbortSignal | undefined,
): AsyncGenerator<[PageNode, Sections]> {
  const kept = ctx.caches.get(cache)
  const keyOf = ({ file }: PageNode) => `${space.id} ${view.oid} ${file?.oid} ${audience.claimsId}`
  const unknown: PageNode[] = []
  const pause = pauses(signal)

  for (const node of nodes) {
    const known = kept.get(keyOf(node))
    if (known) yield [node, known]
    else unknown.push(node)
    await pause()
  }

  for await (const [node, sections] of readerSections(repo, { view, audience, signal }, unknown)) {
    kept.set(keyOf(node), sections, weigh(sections))
    yield [node, sections]
  }
}

/** Estimates the memory of the sections of a page in bytes. */
const weigh = ({ sections }: Sections): number =>
  sections.reduce(
    (sum, { heading, anchor, body, links = [] }) =>
      sum +
      200 +
      2 * (heading.length + anchor.length + body.length) +
      links.reduce((of, { target, words }) => of + 100 + 2 * (target.length + words.length), 0),
    500,
  )

/**
 * Returns a function that ranks a page as the index would; undefined for one that is not found.
 */
function rankFor({
  terms,
  query,
  any,
}: Wanted): (node: PageNode, sections: Sections) => Promise<Omit<RankedPage, 'row'> | undefined> {
  const find = finderOf(terms)
  const judge = judgeOf(terms, { all: !any })
  const count = (text: string): number => find(fold(text)).count
  const asked = query.trim().toLowerCase()
  const words = terms.reduce((sum, term) => sum + term.words.length, 0)

  return async (node, { h1, sections }) => {
    const named = namedAs(node, h1)
    const description = node.facts?.frontMatter.description ?? ''
    if (count(named) === terms.length) {
      const rank = rankOfTitle(node.title, { asked, words, closeness: 1 })
      return { rank, isTogether: true, lacks: [] }
    }
    const texts = sections.flatMap(({ heading, body }) => [heading, body])
    const found = count([named, description, ...texts].join('\n'))
    if (found < (any ? 1 : terms.length)) return undefined
    const weights = await inSlices(weightSteps({ named, description, sections }))
    const { score, ...rest } = judge(weights, node.path)

    return { rank: rankOfScore(score), ...rest }
  }
}
