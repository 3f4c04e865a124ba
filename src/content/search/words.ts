/** A term of a search: words that stand beside each other, as `indexedWords` writes them; with `prefix` the last may go on. */
export type SearchTerm = { words: string[]; prefix: boolean }

/** How many terms of a search count; further ones are passed over. */
export const mostTerms = 16

// Scripts that are written without blanks between words, or whose words take endings: found by any part of a word.
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\u30fc]+/gu
const isUnspaced =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\u30fc]/u
// A line that goes on in the next is no gap in a script without blanks.
const broken =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[ \t\r\n]+(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/gu
const word = /[\p{L}\p{N}\p{M}\p{Co}]+/gu

/** The pairs of neighbours in a run of such a script; with `last` its last character alone behind them. */
function pairsOf(run: string, last: boolean): string[] {
  const characters = Array.from(run)
  const pairs = characters.slice(0, -1).map((character, at) => character + characters[at + 1])
  return last ? [...pairs, characters.at(-1)!] : pairs
}

/**
 * A text as the index takes it: composed the same way everywhere, and scripts without blanks as pairs of neighbours, so
 * that any part of a run of them is a phrase. The index itself takes words apart and ignores case and accents.
 */
export function indexedWords(text: string): string {
  const same = text.normalize('NFKC')
  if (!isUnspacedAnywhere(same)) return same
  return same.replace(broken, '').replace(unspaced, run => ` ${pairsOf(run, true).join(' ')} `)
}

/** What stands between distinct words, so that no two of them are a phrase: a character that means nothing. */
const apart = ' \uf8ff '

/** Adds to `distinct` the words of a text that `indexedWords` gave. */
export function gatherWords(distinct: Set<string>, indexed: string): void {
  for (const found of indexed.matchAll(word)) distinct.add(found[0].toLowerCase())
}

/** Distinct words as the index takes them, none beside another; the first of them, up to `most` characters. */
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

const isUnspacedAnywhere = (text: string): boolean =>
  /[\u0e00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\uffff]/.test(text)

/**
 * What is looked for, term by term: whatever stands between blanks. All else than letters and digits parts words and
 * means nothing. The last term may be a word's beginning. Empty when there is no word.
 */
export function searchTerms(query: string): SearchTerm[] {
  const parts = query.normalize('NFKC').split(/\s+/)
  const terms = parts.map(termOf).filter(({ words }) => words.length > 0)
  const last = terms.at(-1)
  // Pairs are never longer.
  if (last && !isUnspaced.test(last.words.at(-1)!)) last.prefix = true
  const seen = new Set<string>()
  const distinct = terms.filter(({ words }) => {
    const key = words.join(' ').toLowerCase()
    return !seen.has(key) && seen.add(key)
  })
  return distinct.slice(0, mostTerms)
}

function termOf(part: string): SearchTerm {
  const runs = (part.match(word) ?? []).flatMap(splitScripts)
  let prefix = false
  const words = runs.flatMap((run, at) => {
    if (!isUnspaced.test(run)) return [run]
    const isLast = at === runs.length - 1
    // One character alone is the beginning of every pair that it begins.
    const isAlone = Array.from(run).length === 1
    if (isLast && isAlone) prefix = true
    return pairsOf(run, !isLast || isAlone)
  })
  return { words, prefix }
}

/** The parts of a word that are of such a script, and those that are not. */
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
