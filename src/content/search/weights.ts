import type { Steps } from '../../lib/slices.ts'
import { fold } from './passages.ts'
import type { Section } from './sections.ts'
import { indexedWords, type SearchTerm } from './words.ts'

/**
 * How much a word weighs in a page, by the parts of BM25 that depend on the page alone, between 0
 * and 1. The lengths of other pages do not count, so that no page tells of others.
 */
type Weight = {
  /** In the title or in a heading. */
  named: number
  /** In the whole text, and in the passage that is most about the word. */
  whole: number
  passage: number
  /** The number of that passage. */
  at: number
}

/** The length of a long passage, in characters. */
const longestPassage = 2_000
/** The part of a page that is weighed, and the most text of the weights, in characters. */
const mostText = 200_000
const mostWeights = 60_000

/** The usual length of a page and of a passage in words: words of longer ones weigh less. */
const usualPage = 100
const usualPassage = 80

/** The saturation of BM25, and how much the length counts. */
const k = 1.2
const b = 0.75

/** The beginning of the text, which tells what the page is about, in characters. */
const lengthOfLead = 400

/** How often a word of a title or a heading counts as one of the text. */
const timesInTitle = 4
const timesInHeading = 2

/** Returns the part of BM25 of a word that is in a text so many times, between 0 and 1. */
const saturated = (times: number, length: number, usual: number): number =>
  times / (times + k * (1 - b + (b * length) / usual))

const word = /[\p{L}\p{N}\p{M}\p{Co}]+/gu
const plainWord = /[a-z0-9]+/g

/** Returns the words of a text as the weights have them. */
function wordsOf(text: string): readonly string[] {
  const folded = fold(indexedWords(text))
  // The short pattern takes a third of the time.
  return folded.match(/[^\x00-\x7f]/.test(folded) ? word : plainWord) ?? []
}

const steps = 64
const level = (part: number): number => Math.round(part * (steps - 1))

/** The title of a page with its own heading, its description, and its sections. */
type WeighedPage = { named: string; description: string; sections: readonly Section[] }

/** Yields the passages of a page: its sections, long ones in parts. */
function* passagesIn({ description, sections }: WeighedPage): Iterable<Omit<Section, 'anchor'>> {
  let left = mostText
  if (description !== '') yield { heading: '', body: description }
  for (const { heading, body } of sections) {
    for (let at = 0; at === 0 || at < body.length; at += longestPassage) {
      const part = body.slice(at, at + longestPassage)
      left -= part.length + heading.length
      if (left < 0) return
      yield { heading, body: part }
    }
  }
}

/** A word of a page while its text is read: `count` is how often the open passage has it. */
type CountedWord = { weight: Weight; times: number; count: number }

/** Returns the weights of the words of a page as a text for `judgeOf`, in steps. */
export function* weightSteps(page: WeighedPage): Steps<string> {
  const words = new Map<string, CountedWord>()
  let total = 0
  let at = 0
  let open: CountedWord[] = []
  const count = (each: string, times: number): CountedWord => {
    let known = words.get(each)
    if (!known) {
      known = { weight: { named: 0, whole: 0, passage: 0, at: 0 }, times: 0, count: 0 }
      words.set(each, known)
    }
    if (known.count === 0) open.push(known)
    known.count += times
    return known
  }
  const name = (text: string, most: number, times: number) => {
    const list = wordsOf(text)
    for (const each of list) {
      const { weight } = count(each, times)
      weight.named = Math.max(weight.named, most / (1 + 0.1 * (list.length - 1)))
    }
  }
  const close = (length: number) => {
    for (const each of open) {
      const passage = saturated(each.count, length, usualPassage)
      if (length > 0 && passage > each.weight.passage) Object.assign(each.weight, { passage, at })
      each.times += each.count
      each.count = 0
    }
    open = []
  }

  name(page.named, 1, timesInTitle)
  name(page.description, inDescription, 0)
  close(0)

  for (const { heading, body } of passagesIn(page)) {
    if (heading !== '') name(heading, inHeading, timesInHeading)
    const list = wordsOf(body)
    for (const each of list) count(each, 1)
    close(list.length)
    total += list.length
    at++
    if (at % 16 === 0) yield
  }

  for (const each of wordsOf((page.sections[0]?.body ?? '').slice(0, lengthOfLead))) {
    // The last word may be cut.
    const known = words.get(each)
    if (known) known.weight.named = Math.max(known.weight.named, inLead)
  }

  for (const { weight, times } of words.values()) weight.whole = saturated(times, total, usualPage)

  return written(words)
}

/** The characters before a word and after it, and before all words of a page that has more. */
const before = '\n'
const after = ' '
const hasMore = '+'
const first = 48
const digits = 4

/** Returns the words in order, so that they can be looked up. Too many are without the lightest. */
function written(words: ReadonlyMap<string, CountedWord>): string {
  let kept = [...words]
  let length = kept.reduce((sum, [each]) => sum + lengthOf(each), 0)
  const isTooLong = length > mostWeights

  if (isTooLong) {
    kept.sort(([, a], [, b]) => sumOf(b.weight) - sumOf(a.weight))
    length = 0
    kept = kept.filter(([each]) => {
      length += lengthOf(each)
      return length <= mostWeights
    })
  }

  kept.sort(([a], [b]) => (a < b ? -1 : 1))

  return (
    (isTooLong ? hasMore : '') + kept.map(([each, { weight }]) => entryOf(each, weight)).join('')
  )
}

const lengthOf = (each: string): number => before.length + each.length + after.length + digits

function entryOf(each: string, { named, whole, passage, at }: Weight): string {
  const parts = [level(named), level(whole), level(passage), at % steps]
  return before + each + after + String.fromCharCode(...parts.map(part => first + part))
}

/** How much a form of a word, and a longer word, counts of the word itself. */
const worthOfForm = 0.8
const worthOfPrefix = 0.7
/** How many words with a prefix are compared. */
const mostWithPrefix = 16

/**
 * A word in a heading, in the description, in the path or in the beginning of the text weighs up to
 * this much of one in a title.
 */
const inHeading = 0.2
const inDescription = 0.5
const inPath = 0.5
const inLead = 0.1

/** How much a word counts in its title or heading, in the whole text, and in its best passage. */
const worth = { named: 3, whole: 2, passage: 0.5 }

/** A term with how much it counts: rare words more than others. */
export type WeighedTerm = SearchTerm & { importance?: number }

/** How relevant a page is for terms. */
export type Relevance = {
  /** At least 0. */
  score: number
  /** Whether the title and one passage have all terms. */
  isTogether: boolean
  /** The terms that the page lacks. */
  lacks: SearchTerm[]
}

/**
 * Returns a function that tells how relevant a page with some weights and a path is for terms; with
 * `all`, pages have all terms.
 */
export function judgeOf(
  terms: readonly WeighedTerm[],
  { all: hasAll = false } = {},
): (weights: string, path: string) => Relevance {
  const all = terms.reduce((sum, { importance = 1 }) => sum + importance, 0)
  const wanted = terms.map(term => ({
    term,
    importance: term.importance ?? 1,
    find: finderOf(term),
  }))

  return (weights, path) => {
    const segments = `/${fold(path).replaceAll('-', '/')}/`
    const isLight = hasAll && weights.startsWith(hasMore)
    const passages = new Map<number, { score: number; count: number }>()
    const lacks: SearchTerm[] = []
    let [score, covered, named] = [0, 0, 0]

    for (const { term, importance, find } of wanted) {
      const found = find(weights) ?? (isLight ? lightest : undefined)

      if (!found) {
        lacks.push(term)
        continue
      }

      covered += importance
      const name = Math.max(found.named, isIn(segments, term) ? inPath : 0)
      score += importance * (worth.named * name + worth.whole * found.whole)
      const passage = passages.get(found.at) ?? { score: 0, count: 0 }
      passage.score += importance * worth.passage * found.passage
      if (found.named > inHeading) named++
      else passage.count++
      passages.set(found.at, passage)
    }

    const together = [...passages.values()]
    const best = Math.max(0, ...together.map(passage => passage.score))
    const most = Math.max(0, ...together.map(passage => passage.count))

    return {
      score: (score + best) * Math.sqrt(covered / (all || 1)),
      isTogether: named + most === terms.length,
      lacks,
    }
  }
}

/** The weight of a word that is not among the weights of its page. */
const lightest: Weight = { named: 0, whole: 1 / steps, passage: 1 / steps, at: -1 }

/** Reports whether a path, between slashes, has the words of a term or of a form of it. */
const isIn = (segments: string, { words, forms = [] }: SearchTerm): boolean =>
  [words, ...forms].some(some => some.every(each => segments.includes(`/${each.toLowerCase()}/`)))

/** Returns a function that returns the weight of a term in a page, as parts of 1. */
function finderOf({
  words,
  prefix,
  forms = [],
}: SearchTerm): (weights: string) => Weight | undefined {
  const own = words.map(fold)
  const others = forms.map(form => form.map(fold))
  return weights => {
    let best = weightOfWords(weights, own)
    const consider = (weight: Weight | undefined, part: number) => {
      if (weight && (!best || part * sumOf(weight) > sumOf(best))) best = scaled(weight, part)
    }
    if (prefix) consider(weightOfPrefix(weights, own), worthOfPrefix)
    for (const form of others) consider(weightOfWords(weights, form), worthOfForm)
    return best
  }
}

const sumOf = ({ named, whole, passage }: Weight): number =>
  worth.named * named + worth.whole * whole + worth.passage * passage

const scaled = ({ named, whole, passage, at }: Weight, by: number): Weight => ({
  named: named * by,
  whole: whole * by,
  passage: passage * by,
  at,
})

/** Returns the lowest weights of some words: adjacent words weigh as much as the rarest. */
function weightOfWords(weights: string, words: readonly string[]): Weight | undefined {
  let lowest: Weight | undefined
  for (const each of words) {
    const at = placeOf(weights, each)
    if (!weights.startsWith(before + each + after, at)) return undefined
    const found = weightAt(weights, at + each.length)
    if (!lowest || found.whole < lowest.whole) lowest = found
  }
  return lowest
}

/** Returns the weight of the words that begin with the last of some words. */
function weightOfPrefix(weights: string, words: readonly string[]): Weight | undefined {
  const start = before + words.at(-1)
  let best: Weight | undefined
  let at = placeOf(weights, start.slice(before.length))
  for (let count = 0; count < mostWithPrefix && weights.startsWith(start, at); count++) {
    const end = weights.indexOf(after, at)
    const found = weightAt(weights, end - before.length)
    if (!best || sumOf(found) > sumOf(best)) best = found
    at = end + after.length + digits
  }

  if (words.length === 1) return best
  const others = weightOfWords(weights, words.slice(0, -1))
  return best && others && (best.whole <= others.whole ? best : others)
}

/** Returns the place of the first entry whose word is not before another one. */
function placeOf(weights: string, wanted: string): number {
  let low = weights.startsWith(hasMore) ? hasMore.length : 0
  let high = weights.length
  while (low < high) {
    const at = weights.lastIndexOf(before, (low + high) >>> 1)
    const end = weights.indexOf(after, at)
    if (weights.slice(at + before.length, end) < wanted) low = end + after.length + digits
    else high = at
  }
  return low
}

/** Returns the weight of the entry whose word ends at an offset. */
function weightAt(weights: string, end: number): Weight {
  const value = (index: number) =>
    weights.charCodeAt(end + before.length + after.length + index) - first
  return {
    named: value(0) / (steps - 1),
    whole: value(1) / (steps - 1),
    passage: value(2) / (steps - 1),
    at: value(3),
  }
}
