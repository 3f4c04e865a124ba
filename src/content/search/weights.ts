import type { Steps } from '../../lib/slices.ts'
import { fold } from './passages.ts'
import type { Section } from './sections.ts'
import { indexedWords, type SearchTerm } from './words.ts'

/**
 * How much a word weighs in a page, by the parts of BM25 that depend on the page alone: 0 to 63.
 * The lengths of other pages do not count, so that no page tells of others.
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
const usualPage = 200
const usualPassage = 80

/** The saturation of BM25, and how much the length counts. */
const k = 1.2
const b = 0.75

/** How often a word of a title or a heading counts as one of the text. */
const timesInTitle = 4
const timesInHeading = 2

/** Returns the part of BM25 of a word that is in a text so many times, between 0 and 1. */
const saturated = (times: number, length: number, usual: number): number =>
  times / (times + k * (1 - b + (b * length) / usual))

const word = /[\p{L}\p{N}\p{M}\p{Co}]+/gu

/** Returns the words of a text with how often it has each, and their number. */
function countWords(text: string): { counts: Map<string, number>; length: number } {
  const counts = new Map<string, number>()
  let length = 0
  for (const [found] of fold(indexedWords(text)).matchAll(word)) {
    counts.set(found, (counts.get(found) ?? 0) + 1)
    length++
  }
  return { counts, length }
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

/** Returns the weights of the words of a page as a text for `judgeOf`, in steps. */
export function* weightSteps(page: WeighedPage): Steps<string> {
  const times = new Map<string, number>()
  const weights = new Map<string, Weight>()
  let total = 0
  let at = 0
  const weightIn = (each: string): Weight => {
    const known = weights.get(each)
    if (known) return known
    const fresh = { named: 0, whole: 0, passage: 0, at: 0 }
    weights.set(each, fresh)
    return fresh
  }
  const name = (text: string, most: number) => {
    const { counts, length } = countWords(text)
    for (const each of counts.keys()) {
      const weight = weightIn(each)
      weight.named = Math.max(weight.named, most / (1 + 0.1 * (length - 1)))
    }
    return counts
  }

  for (const each of name(page.named, 1).keys()) times.set(each, timesInTitle)

  for (const { heading, body } of passagesIn(page)) {
    const { counts, length } = countWords(body)
    for (const [each, count] of heading === '' ? [] : name(heading, inHeading))
      counts.set(each, (counts.get(each) ?? 0) + count * timesInHeading)

    for (const [each, count] of counts) {
      times.set(each, (times.get(each) ?? 0) + count)
      const weight = weightIn(each)
      const passage = saturated(count, length, usualPassage)
      if (passage > weight.passage) Object.assign(weight, { passage, at })
    }

    total += length
    at++
    if (at % 16 === 0) yield
  }

  for (const [each, weight] of weights)
    weight.whole = saturated(times.get(each) ?? 0, total, usualPage)

  return written(weights)
}

/** The characters before a word and after it. */
const before = '\n'
const after = ' '
const first = 48

const digit = (value: number): string => String.fromCharCode(first + value)

function written(weights: ReadonlyMap<string, Weight>): string {
  let text = ''
  for (const [each, { named, whole, passage, at }] of weights) {
    text += `${before}${each}${after}${digit(level(named))}${digit(level(whole))}${digit(level(passage))}${digit(at % steps)}`
    if (text.length > mostWeights) break
  }
  return text
}

/** How much a form of a word, and a longer word, counts of the word itself. */
const worthOfForm = 0.8
const worthOfPrefix = 0.7
/** How many words with a prefix are compared. */
const mostWithPrefix = 8

/** A word in a heading weighs up to this much of one in a title. */
const inHeading = 0.4

/** How much a word counts in its title or heading, in the whole text, and in its best passage. */
const worth = { named: 3, whole: 2, passage: 0.3 }

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

/** Returns a function that tells how relevant a page with some weights is for terms. */
export function judgeOf(terms: readonly WeighedTerm[]): (weights: string) => Relevance {
  const all = terms.reduce((sum, { importance = 1 }) => sum + importance, 0)
  const wanted = terms.map(term => ({
    term,
    importance: term.importance ?? 1,
    find: finderOf(term),
  }))

  return weights => {
    const passages = new Map<number, { score: number; count: number }>()
    const lacks: SearchTerm[] = []
    let [score, covered, named] = [0, 0, 0]

    for (const { term, importance, find } of wanted) {
      const found = find(weights)

      if (!found) {
        lacks.push(term)
        continue
      }

      covered += importance
      score += importance * (worth.named * found.named + worth.whole * found.whole)
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
    const found = weightAt(weights, weights.indexOf(before + each + after), each.length)
    if (!found) return undefined
    if (!lowest || found.whole < lowest.whole) lowest = found
  }
  return lowest
}

/** Returns the weight of the words that begin with the last of some words. */
function weightOfPrefix(weights: string, words: readonly string[]): Weight | undefined {
  const start = before + words.at(-1)
  let best: Weight | undefined
  let at = weights.indexOf(start)
  for (let count = 0; at !== -1 && count < mostWithPrefix; count++) {
    const found = weightAt(weights, at, weights.indexOf(after, at) - at - 1)
    if (found && (!best || sumOf(found) > sumOf(best))) best = found
    at = weights.indexOf(start, at + 1)
  }

  if (words.length === 1) return best
  const others = weightOfWords(weights, words.slice(0, -1))
  return best && others && (best.whole <= others.whole ? best : others)
}

function weightAt(weights: string, at: number, length: number): Weight | undefined {
  if (at === -1) return undefined
  const digits = at + before.length + length + after.length
  const value = (index: number) => weights.charCodeAt(digits + index) - first
  return {
    named: value(0) / (steps - 1),
    whole: value(1) / (steps - 1),
    passage: value(2) / (steps - 1),
    at: value(3),
  }
}
