import { normalize } from '../../lib/normalize.ts'
import type { Range } from '../text/range.ts'
import type { Section } from './sections.ts'
import { placeOfTitle, type TitledLink } from './titled-links.ts'
import type { SearchTerm } from './words.ts'

/** The most sections of a result, and the length of the passage of each in characters. */
const mostSections = 5
const passageLength = 240
/** The part of a page that is searched for passages, in characters. */
const mostText = 200_000
/** The number of characters of a passage before the match. */
const before = 60

/** Returns a text in the form that `finderOf` finds terms in. */
export function fold(text: string): string {
  if (!/[^\x00-\x7f]/.test(text)) return text.toLowerCase()
  return normalize('NFKD', text)
    .toLowerCase()
    .replace(/\p{Mn}/gu, '')
}

const gap = '[^\\p{L}\\p{N}\\p{M}\\p{Co}]*'
const isPair = /^[^\x00-\u0dff]{2}$/u

/**
 * Returns a function that finds terms in folded text: `count` terms occur, the first at offset `at`
 * (-1 for none). Words of terms contain only letters and digits, so that they need no escaping in
 * patterns.
 */
export function finderOf(
  terms: readonly SearchTerm[],
): (folded: string) => { count: number; at: number } {
  const patterns = terms.map(term => new RegExp(patternOf(term), 'u'))
  return folded => {
    let [count, at] = [0, -1]
    for (const pattern of patterns) {
      const found = folded.search(pattern)
      if (found === -1) continue
      count++
      if (at === -1 || found < at) at = found
    }
    return { count, at }
  }
}

/** Returns the source of a pattern that finds a term or a form of it in folded text. */
const patternOf = ({ words, prefix, forms = [] }: SearchTerm): string =>
  [patternOfWords(words, prefix), ...forms.map(form => patternOfWords(form, false))].join('|')

function patternOfWords(words: readonly string[], prefix: boolean): string {
  const joined = wordsAsWritten(words).map(fold).filter(Boolean).join(gap)
  const open = /^[^\x00-\u0dff]/u.test(joined) ? '' : '(?<![\\p{L}\\p{N}])'
  const close = prefix || /[^\x00-\u0dff]$/u.test(joined) ? '' : '(?![\\p{L}\\p{N}])'
  return `${open}${joined}${close}`
}

/** A part of a passage: `found` for one that is a term. */
export type PassagePart = { text: string; found: boolean }

/**
 * Returns a function that splits a passage at the terms in it; the parts together are the passage.
 */
export function markerOf(terms: readonly SearchTerm[]): (passage: string) => PassagePart[] {
  const patterns = terms.map(term => new RegExp(patternOf(term), 'gu'))
  return passage => {
    const { folded, origin } = foldWithOrigin(passage)
    const found = patterns
      .flatMap(pattern => [...folded.matchAll(pattern)])
      .filter(([text]) => text !== '')
      .map(({ 0: text, index }) => [origin[index]!, origin[index + text.length]!] as const)
      .sort(([a], [b]) => a - b)
    const parts: PassagePart[] = []
    let at = 0

    for (const [start, end] of found) {
      if (end <= at) continue
      const last = parts.at(-1)
      if (start > at) parts.push({ text: passage.slice(at, start), found: false })
      // Pairs of characters are parts of one word.
      if (start <= at && last) last.text += passage.slice(at, end)
      else parts.push({ text: passage.slice(start, end), found: true })
      at = end
    }

    if (at < passage.length) parts.push({ text: passage.slice(at), found: false })

    return parts
  }
}

/**
 * Returns a text as `fold` does, with the offset in the text of each of its characters, and the
 * length of the text: a match that ends before a combining mark includes the mark.
 */
function foldWithOrigin(text: string): { folded: string; origin: number[] } {
  let folded = ''
  let at = 0
  const origin: number[] = []

  for (const character of text) {
    const form = fold(character)
    for (let index = 0; index < form.length; index++) origin.push(at)
    folded += form
    at += character.length
  }

  origin.push(at)

  return { folded, origin }
}

/** Joins pairs of characters to the words they were made from. */
function wordsAsWritten(words: readonly string[]): string[] {
  const written: string[] = []
  let run = false
  for (const word of words) {
    const last = written.at(-1)
    const first = Array.from(word)[0]!
    if (run && last?.endsWith(first)) written[written.length - 1] = last + word.slice(first.length)
    else written.push(word)
    run = isPair.test(word)
  }

  return written
}

/** Returns the title of the page that a target leads to; undefined where none is known. */
export type TitleOf = (target: string) => string | undefined

/**
 * Returns the sections that contain the most terms, each with the passage around the match; the
 * first section if none does. Links of a passage that a page shows as titles get them from
 * `titleOf`.
 */
export function passagesOf(
  sections: readonly Section[],
  find: ReturnType<typeof finderOf>,
  titleOf: TitleOf = () => undefined,
): Omit<Section, 'links'>[] {
  let left = mostText
  const scored: { section: Section; at: number; score: number; order: number }[] = []
  for (const [order, section] of sections.entries()) {
    if (left <= 0) break
    const text = section.body.slice(0, left)
    left -= text.length + section.heading.length
    const inHeading = find(fold(section.heading))
    const folded = fold(text)
    const inBody = find(folded)
    const score = 2 * inHeading.count + inBody.count

    // Folding may change the length of a text.
    const at = inBody.at <= 0 ? 0 : Math.floor((inBody.at * text.length) / folded.length)
    if (score > 0) scored.push({ section, at, score, order })
  }

  scored.sort((a, b) => b.score - a.score || a.order - b.order)
  const best = scored.slice(0, mostSections)
  const [first] = sections
  if (best.length === 0 && first) best.push({ section: first, at: 0, score: 0, order: 0 })

  return best.map(({ section: { heading, anchor, body, links = [] }, at }) => {
    const { start, end } = passageAt(body, at)
    const first = links.length === 0 ? 0 : countPlaces(body.slice(0, start))
    const shown = withTitles(body.slice(start, end), links.slice(first), titleOf)
    const piece = shown.text.replace(/\s+/g, ' ').trim()
    const isCut = end < body.length || shown.isCut
    return { heading, anchor, body: `${start > 0 ? '…' : ''}${piece}${isCut ? '…' : ''}` }
  })
}

const countPlaces = (text: string): number => text.split(placeOfTitle).length - 1

/** Titles in passages are cut to this many characters. */
const titleLength = 100

/** Fills the places of titles in a passage, until it is as long as passages are. */
function withTitles(
  text: string,
  links: readonly TitledLink[],
  titleOf: TitleOf,
): { text: string; isCut: boolean } {
  const parts = text.split(placeOfTitle)
  let filled = parts[0]!
  for (const [index, part] of parts.slice(1).entries()) {
    if (filled.length > passageLength) return { text: filled, isCut: true }
    const link = links[index]
    const title = link && (titleOf(link.target) ?? link.words)
    filled +=
      Array.from(title ?? '')
        .slice(0, titleLength)
        .join('') + part
  }

  return { text: filled, isCut: false }
}

/** Returns the range of the passage around an offset, cut at spaces where there are any. */
function passageAt(text: string, at: number): Range {
  let start = at <= before ? 0 : at - before
  if (start > 0) {
    const blank = text.slice(start, at).search(/\s/)
    if (blank !== -1) start += blank + 1
    else if (isLow(text, start)) start++
  }

  let end = Math.min(text.length, start + passageLength)

  if (end < text.length) {
    let blank = end - 1
    while (blank > start + passageLength / 2 && !/\s/.test(text[blank]!)) blank--
    if (blank > start + passageLength / 2) end = blank
    else if (isLow(text, end)) end--
  }

  return { start, end }
}

/** Reports whether an offset is inside a surrogate pair. */
const isLow = (text: string, at: number): boolean => /[\udc00-\udfff]/.test(text[at] ?? '')
