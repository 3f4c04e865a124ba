import { judgeOf, type Relevance } from '../../../content/search/weights.ts'
import { wordsIn } from '../../../content/search/words.ts'
import { pauses } from '../../../lib/slices.ts'
import { findWeights } from '../../../store/search/search.ts'
import { numberOf } from '../../../store/search/search-index.ts'
import type { Store } from '../../../store/store.ts'
import type { SearchPageRow } from '../../../store/tables/rows.ts'
import type { Wanted } from './turns.ts'

/** A found page; a lower `rank` is better. */
export type RankedPage = { row: SearchPageRow; rank: number } & Pick<
  Relevance,
  'isTogether' | 'lacks'
>

/** The worst rank. */
export const worstRank = 3

/** Pages whose titles have all words have a rank below this. */
export const belowTitle = 2

/** A page that the index finds; `closeness` is that of its title if it has all terms. */
export type MatchingPage = { row: SearchPageRow; closeness: number | undefined }

/** Pages that are this much less relevant than the best are left out where some terms are enough. */
const leastOfBest = 0.3
/** How many pages are compared by their weights; others follow in the order in which they are found. */
const mostCompared = 150
const mostComparedOfSeveral = 400
/** How many pages are compared before the event loop may turn. */
const portion = 50

/**
 * Returns pages with their ranks, best first: 0 for a title that is the query, up to 2 for one that
 * has all terms, shorter ones first, and up to 3 for others, by relevance.
 */
export async function rankPages(
  store: Store,
  matching: readonly MatchingPage[],
  { terms, query, any, exists, signal }: Wanted,
): Promise<RankedPage[]> {
  const asked = query.trim().toLowerCase()
  const judge = judgeOf(terms, { all: !any })
  const pause = pauses(signal)
  const ranked: RankedPage[] = []
  const others: SearchPageRow[] = []
  const words = terms.reduce((sum, term) => sum + term.words.length, 0)

  for (const { row, closeness } of matching) {
    if (closeness === undefined) others.push(row)
    else
      ranked.push({
        row,
        rank: rankOfTitle(row.title, { asked, words, closeness }),
        isTogether: true,
        lacks: [],
      })
  }

  const isOfSeveral = others.some(({ id }) => numberOf(id) !== numberOf(others[0]!.id))
  const most = any || isOfSeveral ? mostComparedOfSeveral : mostCompared
  const inTurn = isOfSeveral ? alternating(others) : others
  const compared = exists ? [] : inTurn.slice(0, most)

  for (const row of any && !exists ? [] : inTurn.slice(compared.length))
    ranked.push({ row, rank: worstRank, isTogether: false, lacks: [] })

  for (let at = 0; at < compared.length; at += portion) {
    const some = compared.slice(at, at + portion)
    const weights = findWeights(
      store,
      some.map(({ id }) => id),
    )
    for (const row of some) {
      const { score, isTogether, lacks } = judge(weights.get(row.id) ?? '', row.path)
      ranked.push({ row, rank: rankOfScore(score), isTogether, lacks })
    }

    await pause()
  }

  return ranked.sort((a, b) => a.rank - b.rank || a.row.id - b.row.id)
}

/** Returns the pages of several spaces in turn: the first of each, then the second. */
function alternating(rows: readonly SearchPageRow[]): SearchPageRow[] {
  const counts = new Map<number, number>()
  const placed = rows.map(row => {
    const place = counts.get(numberOf(row.id)) ?? 0
    counts.set(numberOf(row.id), place + 1)
    return { row, place }
  })
  return placed.sort((a, b) => a.place - b.place).map(({ row }) => row)
}

/** How many places have a rank of their own. */
const mostPlaces = 1_000

/**
 * Returns those of some pages that are not much less relevant than the best, best first, with ranks
 * by their places: the relevance depends on how many pages have a word, of which some may be hidden
 * from the caller. Apply it to what the caller is shown: a hidden page must not leave others out.
 */
export function relevantOf<Page extends RankedPage>(pages: readonly Page[]): Page[] {
  const sorted = pages.toSorted((a, b) => a.rank - b.rank || a.row.id - b.row.id)
  const best = sorted.find(({ rank }) => rank >= belowTitle)?.rank ?? worstRank
  const least = scoreOfRank(best) * leastOfBest
  const relevant = sorted.filter(({ rank }) => rank < belowTitle || scoreOfRank(rank) >= least)
  return relevant.map((page, place) =>
    page.rank < belowTitle
      ? page
      : { ...page, rank: belowTitle + Math.min(place, mostPlaces) / mostPlaces },
  )
}

/** Returns the rank of a title that has all of a number of words. */
export function rankOfTitle(
  title: string,
  { asked, words, closeness }: { asked: string; words: number; closeness: number },
): number {
  if (title.toLowerCase() === asked) return 0
  const part = Math.min(1, words / Math.max(1, wordsIn(title).length))
  return 1 + 0.9 * (1 - part * closeness)
}

/** Returns the rank of a page by its relevance, a score of at least 0. */
export const rankOfScore = (score: number): number => belowTitle + 1 / (1 + score)

const scoreOfRank = (rank: number): number => 1 / (rank - belowTitle) - 1
