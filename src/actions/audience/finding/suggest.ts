import { nearWords, partsOf } from '../../../content/search/near-words.ts'
import {
  hasUnspaced,
  type SearchTerm,
  searchTerms,
  wordsIn,
} from '../../../content/search/words.ts'
import type { Context } from '../../../context.ts'
import { normalize } from '../../../lib/normalize.ts'
import { mayBegin, type Wanted } from './turns.ts'
import { readVocabulary } from './vocabulary.ts'

/**
 * The maximum number of words of a query, and of those that are replaced: other queries have no
 * suggestion.
 */
const mostWords = 8
const mostReplaced = 3
/**
 * How many similar words and how many pairs of words are tried in place of one, how many of them in
 * combination, and how many combinations.
 */
const mostTried = 16
const mostParts = 4
const mostKept = 3
const mostCombined = 9

type Unanswered = {
  /** A query that finds nothing. */
  query: string
  /** Returns the terms of a text with their forms. */
  termsOf: (text: string) => readonly SearchTerm[]
  /** Returns whether the caller finds anything. */
  finds: (wanted: Wanted) => Promise<boolean>
  signal?: AbortSignal | undefined
}

/**
 * Returns the query with similar words of titles and headings in place of those that find nothing;
 * undefined if there are no such words. A query that finds something comes first. The words are
 * those of all spaces: each is tried with `finds`, which finds only what the caller may read.
 */
export async function suggest(ctx: Context, unanswered: Unanswered): Promise<string | undefined> {
  const { query, finds, signal } = unanswered
  const normal = normalize('NFKC', query)
  const places = wordsIn(normal)
  if (places.length === 0 || places.length > mostWords) return undefined

  const isFound: IsFound = (text, isWhole) =>
    finds({ terms: isWhole ? wholeTerms(text) : searchTerms(text), query: text, signal })
  const isSingle = places.length === 1
  const wrong = isSingle ? places : await placesWithout(unanswered, places)
  if (wrong.length === 0 || wrong.length > mostReplaced) return undefined

  const vocabulary = await readVocabulary(ctx, signal)
  const choices: string[][] = []

  for (const { word } of wrong) {
    // A single word is the whole query.
    const chosen = await foundAmong(
      isFound,
      [
        ...partsOf(vocabulary, word.toLowerCase(), mostParts),
        ...nearWords(vocabulary, word.toLowerCase(), Math.ceil(mostTried / wrong.length)),
      ],
      isSingle ? 1 : mostKept,
    )
    choices.push(chosen.length > 0 ? chosen : [word])
  }

  if (choices.every(([first], at) => first === wrong[at]?.word)) return undefined

  const isWhole = wrong.at(-1) === places.at(-1)

  const suggestions = combined(choices)
    .slice(0, mostCombined)
    .map(words => replaced(normal, wrong, words))

  for (const suggestion of suggestions)
    if (isSingle || (await isFound(suggestion, isWhole))) return suggestion

  return suggestions[0]
}

/** Returns whether a text finds anything; with `isWhole`, its last word is no prefix. */
type IsFound = (text: string, isWhole: boolean) => Promise<boolean>

type WordSpan = ReturnType<typeof wordsIn>[number]

/**
 * Returns the places whose words find nothing, in any form or as the beginning of a longer word.
 */
async function placesWithout(
  { termsOf, finds, signal }: Unanswered,
  places: readonly WordSpan[],
): Promise<WordSpan[]> {
  const last = places.at(-1)
  const without: WordSpan[] = []

  for (const place of places) {
    const { word } = place
    const terms = termsOf(word).map(term => ({
      ...term,
      prefix: term.prefix && (place === last || mayBegin(term)),
    }))
    if (!(await finds({ terms, query: word, signal }))) without.push(place)
  }

  return without
}

/** Returns the first words that find something, up to `most`. */
async function foundAmong(
  isFound: IsFound,
  words: readonly string[],
  most: number,
): Promise<string[]> {
  const found: string[] = []
  for (const word of words) {
    if (await isFound(word, true)) found.push(word)
    if (found.length === most) break
  }
  return found
}

/**
 * Returns the terms of a text whose last word is no prefix: a word that only hidden pages have must
 * not be suggested because the caller finds a longer one.
 */
function wholeTerms(text: string): SearchTerm[] {
  const terms = searchTerms(text)
  const last = terms.at(-1)
  if (last && !hasUnspaced(text)) last.prefix = false
  return terms
}

/** Returns the combinations of one word of each list, those of the first words first. */
function combined(choices: readonly (readonly string[])[]): string[][] {
  let all: { words: string[]; cost: number }[] = [{ words: [], cost: 0 }]
  for (const some of choices)
    all = all.flatMap(({ words, cost }) =>
      some.map((word, at) => ({ words: [...words, word], cost: cost + at })),
    )
  return all.sort((a, b) => a.cost - b.cost).map(({ words }) => words)
}

function replaced(
  query: string,
  places: readonly { start: number; end: number }[],
  words: readonly string[],
): string {
  let text = ''
  let at = 0
  for (const [index, { start, end }] of places.entries()) {
    text += query.slice(at, start) + words[index]
    at = end
  }
  return (text + query.slice(at)).trim()
}
