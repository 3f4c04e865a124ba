import { cacheSlot } from '../../../caches.ts'
import { withForms } from '../../../content/search/forms.ts'
import {
  hasUnspaced,
  type SearchTerm,
  searchTerms,
  someTerms,
} from '../../../content/search/words.ts'
import type { Context } from '../../../context.ts'
import { wordsInIndex } from '../../../store/search/search.ts'
import { indexedStamp } from '../../../store/search/vocabulary.ts'
import { type Evaluations, newEvaluations } from './found-by-reader.ts'
import { belowTitle, type RankedPage } from './rank-pages.ts'
import { suggest } from './suggest.ts'
import type { Wanted } from './turns.ts'

/** A search for the words of a query, with the way to find pages. */
type WordSearch<Result> = {
  query: string
  /** The language of what is searched, if that is known. */
  language?: string | null | undefined
  most?: number | undefined
  signal: AbortSignal
  find: (wanted: Wanted & { signal: AbortSignal }, evaluations: Evaluations) => Promise<Result>
  /** Returns the pages of a result, the best one first. */
  pagesOf: (result: Result) => readonly RankedPage[]
}

/** What a search finds. */
type WordsFound<Result> = {
  result: Result
  /** The terms that pages were searched for: passages show them. */
  terms: readonly SearchTerm[]
  /** The query that was searched instead, because nothing has some words. */
  suggestion: string | undefined
  /** The words that the best page lacks, because no page has all in one passage. */
  without: string[]
}

/**
 * Finds the pages that have all words of a query, in any form. When none has them together in a
 * passage, finds pages with some of the words; when there is no page at all, corrects words that
 * nothing has.
 */
export async function searchWords<Result>(
  ctx: Context,
  search: WordSearch<Result>,
): Promise<WordsFound<Result>> {
  const { query, signal, find, pagesOf } = search
  const wanted = wantedFor(ctx, search, query)
  const { terms } = wanted
  const all = await find(wanted, newEvaluations())
  const found = { result: all, terms, suggestion: undefined, without: [] }
  if (terms.length === 0 || isEnough(pagesOf(all), terms)) return found
  if (pagesOf(all).length > 0) return (await findSome(search, wanted)) ?? found

  // All tries together evaluate as many pages as one search.
  const evaluations = newEvaluations()
  const finds = async (tried: Wanted) =>
    pagesOf(await find({ ...tried, most: 3, exists: true, signal }, evaluations)).length > 0
  const termsOf = (text: string) => wantedFor(ctx, search, text).terms
  const suggestion = await suggest(ctx, { query, termsOf, finds, signal })
  if (suggestion === undefined) return (await findSome(search, wanted)) ?? found

  const instead = wantedFor(ctx, search, suggestion)
  const corrected = await find(instead, newEvaluations())
  const answer = isEnough(pagesOf(corrected), instead.terms)
    ? { result: corrected, terms: instead.terms, without: [] }
    : await findSome(search, instead)

  return answer ? { ...answer, suggestion } : found
}

type SearchOfWords = Wanted & { signal: AbortSignal }

/** Forms of words that the index has, by its state and all forms. */
const cache = cacheSlot<ReadonlySet<string>>('wordForms')

/** Returns those forms of words that any page of the index has. */
function knownForms({ store, caches }: Context, forms: readonly string[]): ReadonlySet<string> {
  if (forms.length === 0) return new Set()
  const kept = caches.get(cache)
  const key = `${indexedStamp(store)} ${forms.join(' ')}`
  const known = kept.get(key)
  if (known) return known
  const found = new Set(wordsInIndex(store, forms))
  kept.set(key, found, 500 + 4 * key.length)
  return found
}

/** Returns the search for all words of a query, with those forms of them that the index has. */
function wantedFor(
  ctx: Context,
  { language, most, signal }: Pick<WordSearch<unknown>, 'language' | 'most' | 'signal'>,
  query: string,
): SearchOfWords {
  const terms = withForms(searchTerms(query, language), query, language)
  const all = terms.flatMap(({ forms = [] }) => forms.map(form => form.join(' ')))
  const known = knownForms(ctx, all)
  const kept = terms.map(({ forms = [], ...term }) => {
    const those = forms.filter(form => known.has(form.join(' ')))
    return those.length === 0 ? term : { ...term, forms: those }
  })

  return { terms: kept, query, most, signal }
}

/** The number of words of a question: a page with some may answer it better than one with all. */
const fewestOfQuestion = 3

/**
 * Reports whether pages with all words of a query are what was asked for: one has them in its
 * title, or two words in one passage. Long pages have many words by chance.
 */
function isEnough(pages: readonly RankedPage[], terms: readonly SearchTerm[]): boolean {
  const { length } = someTerms(terms)
  if (length === 1) return pages.length > 0
  if (pages.some(({ rank }) => rank < belowTitle)) return true
  return length < fewestOfQuestion && pages.some(({ isTogether }) => isTogether)
}

/** Finds pages with some of the words of a search; undefined if there are none. */
async function findSome<Result>(
  { find, pagesOf }: WordSearch<Result>,
  wanted: SearchOfWords,
): Promise<WordsFound<Result> | undefined> {
  const terms = someTerms(wanted.terms)
  if (terms.length < 2) return undefined
  const result = await find({ ...wanted, terms, any: true }, newEvaluations())
  const [best] = pagesOf(result)
  if (!best) return undefined
  const without = best.lacks
    .map(({ words }) => words.join(' '))
    .filter(words => !hasUnspaced(words))
  // A page with all has runs of scripts without spaces as a whole.
  const shown = best.lacks.length === 0 ? wanted.terms : terms

  return { result, terms: shown, suggestion: undefined, without }
}
