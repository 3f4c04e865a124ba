import { normalize } from '../../lib/normalize.ts'
import { isFiller, languageOf } from './fillers.ts'
import { isPhrase } from './synonyms.ts'

/**
 * A search term: adjacent words as `indexedWords` writes them. With `prefix`, the last may be the
 * beginning of a word. `forms` are adjacent words that count instead, for a little less.
 */
export type SearchTerm = { words: string[]; prefix: boolean; forms?: string[][] }

/** The most terms of a search; further ones are ignored. */
export const mostTerms = 16

// Scripts without spaces between words, or whose words take endings. Any part of a word is found.
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\u30fc]+/gu
const isUnspaced =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\u30fc]/u
// In a script without spaces, a line ending does not separate words.
const broken =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[ \t\r\n]+(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/gu
const word = /[\p{L}\p{N}\p{M}\p{Co}]+/gu

/** Returns the pairs of adjacent characters of a run; with `last`, its last character follows. */
function pairsOf(run: string, last: boolean): string[] {
  const characters = Array.from(run)
  const pairs = characters.slice(0, -1).map((character, at) => character + characters[at + 1])
  return last ? [...pairs, characters.at(-1)!] : pairs
}

/**
 * Returns a text as it is indexed: in NFKC, with scripts without spaces as pairs of adjacent
 * characters, so that any part of a run is a phrase. The index itself splits words and ignores case
 * and accents.
 */
export function indexedWords(text: string): string {
  const same = normalize('NFKC', text)
  if (!isUnspacedAnywhere(same)) return same
  return same.replace(broken, '').replace(unspaced, run => ` ${pairsOf(run, true).join(' ')} `)
}

/**
 * The separator of distinct words: a private-use character that prevents phrases of two of them.
 */
const apart = ' \uf8ff '

/** Returns the places of the words of a query, in order. */
export const wordsIn = (query: string): { word: string; start: number; end: number }[] =>
  [...query.matchAll(word)].map(found => ({
    word: found[0],
    start: found.index,
    end: found.index + found[0].length,
  }))

/** Adds the words of a result of `indexedWords` to `distinct`. */
export function gatherWords(distinct: Set<string>, indexed: string): void {
  for (const found of indexed.matchAll(word)) distinct.add(found[0].toLowerCase())
}

/**
 * Returns distinct words as one text for the index, without adjacent words, up to `most`
 * characters.
 */
export function wordsApart(distinct: ReadonlySet<string>, most: number): string {
  const parts: string[] = []
  let length = 0
  for (const each of distinct) {
    length += each.length + apart.length
    if (length > most) break
    parts.push(each)
  }
  return parts.join(apart)
}

/** Returns whether a word has characters of scripts without spaces between words. */
export const hasUnspaced = (text: string): boolean =>
  isUnspacedAnywhere(text) && text.search(unspaced) !== -1

const isUnspacedAnywhere = (text: string): boolean =>
  /[\u0e00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\uffff]/.test(text)

/**
 * Returns the terms of a query, which are separated by spaces. Anything but letters and digits is a
 * separator of words. The last term may be the beginning of a word. Empty for a query without
 * words. Words without a meaning of their own in the language, or in that of the query if it is not
 * known, are left out beside others.
 */
export function searchTerms(query: string, known?: string | null): SearchTerm[] {
  const normal = withoutQuestions(normalize('NFKC', query))
  const language = languageOf(
    wordsIn(normal).map(found => lower(found.word)),
    known,
  )
  const each = normal
    .split(/\s+/)
    .map(termOf)
    .filter(({ words }) => words.length > 0)
  const terms = language === 'en' ? withPhrases(each) : each
  const last = terms.at(-1)

  // A pair of characters is not a prefix.
  if (last && !isUnspaced.test(last.words.at(-1)!)) last.prefix = true

  const seen = new Set<string>()
  const distinct = terms.filter(({ words }) => {
    const key = words.join(' ').toLowerCase()
    return !seen.has(key) && seen.add(key)
  })

  const meant = distinct.filter(
    ({ words }) => words.length > 1 || !isFiller(lower(words[0]), language),
  )

  return (meant.length > 0 ? meant : distinct).slice(0, mostTerms)
}

/** A run with more pairs of characters than this is more than one word. */
const fewestOfRun = 2

const lower = (word = ''): string => word.toLowerCase()

/** Returns terms with those that have one meaning together as one. */
function withPhrases(terms: readonly SearchTerm[]): SearchTerm[] {
  const joined: SearchTerm[] = []
  for (const term of terms) {
    const last = joined.at(-1)
    if (last?.words.length === 1 && isPhrase(lower(last.words[0]), lower(term.words[0])))
      joined[joined.length - 1] = { words: [...last.words, ...term.words], prefix: false }
    else joined.push(term)
  }
  return joined
}

/**
 * Returns terms for pages with some of the words: of scripts without spaces, each pair of
 * characters is a term, beside a long run of them.
 */
export function someTerms(terms: readonly SearchTerm[]): SearchTerm[] {
  const some = terms.flatMap((term): SearchTerm[] =>
    term.words.some(each => isUnspaced.test(each))
      ? [
          ...(term.words.length > fewestOfRun ? [{ words: term.words, prefix: false }] : []),
          ...term.words.map(each => ({ words: [each], prefix: false })),
        ]
      : [term],
  )
  return some.slice(0, 2 * mostTerms)
}

function termOf(part: string): SearchTerm {
  const runs = (part.match(word) ?? []).flatMap(splitScripts)
  let prefix = false
  const words = runs.flatMap((run, at) => {
    if (!isUnspaced.test(run)) return [run]
    const isLast = at === runs.length - 1
    // A single character is a prefix of the pairs that begin with it.
    const isAlone = Array.from(run).length === 1
    if (isLast && isAlone) prefix = true
    return pairsOf(run, !isLast || isAlone)
  })

  return { words, prefix }
}

/** Questions in scripts without spaces: what is asked about follows or precedes them. */
const questions =
  /如何|怎[麼么樣样]|為什[麼么]|为什么|什[麼么]是|什[麼么]|甚麼|是什[麼么]|請問|请问|何謂|とは(?:何)?|どうやって|どのように/gu

/** Returns a query without the questions of scripts without spaces, if that leaves anything. */
function withoutQuestions(query: string): string {
  const rest = query.replace(questions, ' ')
  return rest.search(word) === -1 ? query : rest
}

/** Splits a word into runs with and without spaces between words. */
function splitScripts(run: string): string[] {
  const parts: string[] = []
  let at = 0
  for (const found of run.matchAll(unspaced)) {
    if (found.index > at) parts.push(run.slice(at, found.index))
    parts.push(found[0])
    at = found.index + found[0].length
  }

  if (at < run.length) parts.push(run.slice(at))

  return parts
}
