import type { WeighedTerm } from '../../../content/search/weights.ts'
import { hasUnspaced, type SearchTerm } from '../../../content/search/words.ts'
import {
  countPages,
  countPieces,
  type IdRange,
  type SearchTable,
  type SearchTerms,
} from '../../../store/search/search.ts'
import type { Store } from '../../../store/store.ts'

/** A search, with a signal that aborts when its result is no longer needed. */
export type Wanted = {
  terms: readonly WeighedTerm[]
  /** Whether pages with some of the terms are wanted, too. */
  any?: boolean | undefined
  query: string
  signal?: AbortSignal | undefined
  /** The maximum number of pages of each space in a search of several spaces; 10 by default. */
  most?: number | undefined
  /** Whether only the existence of pages is asked for: they are not ranked. */
  exists?: boolean | undefined
}

/** The places of search terms, with the maximum number of pages of each. */
const places: readonly { table: SearchTable; most: number }[] = [
  { table: 'search_title', most: 300 },
  { table: 'search_heading', most: 300 },
  { table: 'search_text', most: 300 },
]

/** The texts include titles and headings. */
const textOnly = places.slice(-1).map(place => ({ ...place, most: 30 }))

/** Returns the places to search. */
export const placesOf = ({ exists }: Wanted): typeof places => (exists ? textOnly : places)

/** A query of the index. */
export type Turn = {
  terms: SearchTerms
  /** How close a title that has these is to what was typed; undefined if terms may be missing. */
  closeness: number | undefined
}

/** How much a title with a longer word or another form counts of one with the words themselves. */
const closenessOfForm = 0.8
/** How many of the rarest terms lead to pages that lack others. */
const mostLeading = 8

/** Returns how close the titles are that a turn finds in a place; undefined if it is another one. */
export const closenessIn = (table: SearchTable, { closeness }: Turn): number | undefined =>
  table === 'search_title' ? closeness : undefined

/**
 * Returns the rounds of a search: one for pages with all terms, and where some are enough, another
 * for pages with some. A round goes through all places, so that a title with some terms takes the
 * place of no text with all.
 */
export const roundsOf = ({ any, terms }: Wanted): ('all' | 'some')[] =>
  any && terms.length > 1 ? ['all', 'some'] : ['all']

/**
 * Returns the queries of a round in one place, in turn: with the words themselves, then with their
 * forms and longer words, or with the rarest terms.
 */
export function turnsOf(
  { terms }: Wanted,
  { table }: (typeof places)[number],
  round: 'all' | 'some',
): Turn[] {
  if (round === 'some') return turnsOfSome(terms, table)
  const whole = terms.map(({ words }): SearchTerm => ({ words: [...words], prefix: false }))
  const turns: Turn[] = [{ terms: whole.map(term => [term]), closeness: 1 }]
  const hasOthers = terms.some(({ prefix, forms }) => prefix || forms)
  if (hasOthers) turns.push({ terms: terms.map(term => [term]), closeness: closenessOfForm })

  return turns
}

function turnsOfSome(terms: readonly WeighedTerm[], table: SearchTable): Turn[] {
  const turns: Turn[] = []
  const rarest = terms.toSorted((a, b) => (b.importance ?? 0) - (a.importance ?? 0))

  for (const term of rarest.slice(0, mostLeading)) {
    const others = terms.filter(each => each !== term)
    if (table === 'search_text') turns.push({ terms: [[term], others], closeness: undefined })
    turns.push({ terms: [[term]], closeness: undefined })
  }

  return turns
}

/** A word that a single page has by chance counts less than by BM25. */
const damping = 0.5
/** How many pages, and pieces with a word, are looked at, and in how many ranges of the index. */
const mostCounted = 4_000
const mostRangesCounted = 20

/** Reports whether a word that no page has may be the beginning of one. */
export const mayBegin = ({ words }: SearchTerm): boolean =>
  words.length === 1 && words.every(word => /^\p{L}{4,}$/u.test(word) && !hasUnspaced(word))

/**
 * Returns a search with the importance of its terms: the part of BM25 that depends on the number of
 * pages with a term, of those that are searched. Only searches for some of the terms need it. Pages
 * that depend on the reader do not count: the order must not tell what hidden ones say. Without
 * pages that count, all terms are alike.
 */
export function weighed(store: Store, wanted: Wanted, ranges: readonly IdRange[]): Wanted {
  if (!wanted.any || wanted.terms.some(({ importance }) => importance !== undefined)) return wanted
  const counted = ranges.slice(0, mostRangesCounted)
  const most = Math.ceil(mostCounted / Math.max(1, counted.length))
  const pages = countPages(store, counted, most)
  if (pages === 0) return wanted

  const terms = wanted.terms.map(term => {
    const count = (prefix: boolean) => countPieces(store, { ...term, prefix }, counted, most)
    const whole = count(false)
    const prefix = term.prefix || (whole === 0 && mayBegin(term))
    const having = whole === 0 && prefix ? count(true) : whole
    const all = Math.max(pages, having)
    const importance = Math.log(1 + (all - having + 0.5) / (having + 0.5)) ** damping
    return { ...term, prefix, importance }
  })
  return { ...wanted, terms }
}
