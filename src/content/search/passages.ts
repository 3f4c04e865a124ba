import type { Section } from './sections.ts'
import type { SearchTerm } from './words.ts'

/** How many sections are shown of a page that was found, and how long a passage of each is, in characters. */
const mostSections = 5
const passageLength = 240
/** How much of a page is looked through for passages. */
const mostText = 200_000
/** How much of a passage stands before what was found. */
const before = 60

const fold = (text: string): string => {
  const lower = text.normalize('NFKD').toLowerCase()
  return /[^\x00-\x7f]/.test(lower) ? lower.replace(/\p{Mn}/gu, '') : lower
}

const gap = '[^\\p{L}\\p{N}\\p{M}\\p{Co}]*'
const isPair = /^[^\x00-\u0dff]{2}$/u

/** Finds the terms in folded texts. Their words hold letters and digits alone, nothing that a pattern would take for more. */
export function finderOf(terms: readonly SearchTerm[]): (folded: string) => { count: number; at: number } {
  const patterns = terms.map(({ words, prefix }) => {
    const joined = wordsAsWritten(words).map(fold).filter(Boolean).join(gap)
    const open = /^[^\x00-\u0dff]/u.test(joined) ? '' : '(?<![\\p{L}\\p{N}])'
    const close = prefix || /[^\x00-\u0dff]$/u.test(joined) ? '' : '(?![\\p{L}\\p{N}])'
    return new RegExp(`${open}${joined}${close}`, 'u')
  })
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

/** Pairs of neighbours as the run that they were made from. */
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

/** The sections of a page that have most of what was looked for, each with the passage around it; the first when none has. */
export function passagesOf(sections: readonly Section[], find: ReturnType<typeof finderOf>): Section[] {
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
    // Folding may change how long a text is.
    const at = inBody.at <= 0 ? 0 : Math.floor((inBody.at * text.length) / folded.length)
    if (score > 0) scored.push({ section, at, score, order })
  }
  scored.sort((a, b) => b.score - a.score || a.order - b.order)
  const best = scored.slice(0, mostSections)
  const [first] = sections
  if (best.length === 0 && first) best.push({ section: first, at: 0, score: 0, order: 0 })
  return best.map(({ section, at }) => ({ ...section, body: passage(section.body, at) }))
}

/** A piece of a text around a place, from word to word where it has blanks. */
function passage(text: string, at: number): string {
  let start = at <= before ? 0 : at - before
  if (start > 0) {
    const blank = text.slice(start, at).search(/\s/)
    if (blank !== -1) start += blank + 1
    else if (isLow(text, start)) start++
  }
  let end = Math.min(text.length, start + passageLength)
  if (end < text.length) {
    const blank = text.slice(start, end).search(/\s\S*$/)
    if (blank > passageLength / 2) end = start + blank
    else if (isLow(text, end)) end--
  }
  const piece = text.slice(start, end).replace(/\s+/g, ' ').trim()
  return `${start > 0 ? '…' : ''}${piece}${end < text.length ? '…' : ''}`
}

const isLow = (text: string, at: number): boolean => /[\udc00-\udfff]/.test(text[at] ?? '')
