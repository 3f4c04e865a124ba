import type { Block } from '../markdown/blocks.ts'
import { type Inline, scanInline } from '../markdown/inline.ts'
import { plainText, unescapeText } from '../markdown/plain-text.ts'
import { linesOf, skipBlanks } from '../text/lines.ts'
import type { Range } from '../text/range.ts'
import type { SummaryEntry } from './entry.ts'
import { looseLink } from './loose-link.ts'

/** Reports whether a target is not a page: a URL, or a part of a page. */
const leadsAway = (target: string): boolean =>
  /^[A-Za-z][A-Za-z0-9+.-]+:/.test(target) || target.startsWith('//') || target.includes('#')

const kindOf = (target: string | undefined): SummaryEntry['kind'] =>
  target === undefined || target === '' ? 'text' : leadsAway(target) ? 'link' : 'page'

/** Gives an entry the words and the target of a link. */
export function setLink(source: string, entry: SummaryEntry, found: Inline): void {
  const target = found.target ?? found.text
  entry.at.text = found.text
  entry.title = plainText(source, found.text.start, found.text.end)
  if (found.kind === 'autolink') entry.title = source.slice(found.text.start, found.text.end)
  else entry.at.target = target
  entry.target = unescapeText(source.slice(target.start, target.end))
  if (found.angle) entry.at.angle = true
  if (found.linkTitle)
    entry.linkTitle = unescapeText(source.slice(found.linkTitle.start, found.linkTitle.end))
  entry.kind = kindOf(entry.target)
}

/** Returns the first link of a text, and whether all around it is marks of emphasis. */
function linkIn(source: string, text: Range): { found: Inline; isAlone: boolean } | undefined {
  const inlines = scanInline(source, text.start, text.end)
  const found =
    looseLink(source, text, inlines) ??
    inlines.find(({ kind }) => kind === 'link' || kind === 'autolink')
  if (!found) return undefined

  const isEmpty = (start: number, end: number) =>
    /^[\s*_~]*\\?$/.test(plainText(source, start, end))
  const isAlone = isEmpty(text.start, found.start) && isEmpty(found.end, text.end)
  return { found, isAlone }
}

/** Reports whether a text has a link with a target, such as a heading whose link is not followed. */
export const hasLink = (source: string, { start, end }: Range): boolean =>
  scanInline(source, start, end).some(
    ({ kind, target }) => kind === 'link' && target !== undefined && target.end > target.start,
  )

/**
 * Sets the title and target of an entry from a paragraph. Returns a sentence about what of it is
 * not read; undefined if all is. Words in brackets without a path are the title without them.
 */
export function titleEntry(source: string, entry: SummaryEntry, text: Range): string | undefined {
  const link = linkIn(source, text)
  if (link) {
    setLink(source, entry, link.found)
    return link.isAlone ? undefined : 'The text beside the link is not shown.'
  }

  const words = plainText(source, text.start, text.end)
  entry.title = wordsInBrackets(words) ?? words
  entry.at.text = text
  return undefined
}

/** Reports whether an entry is written as a link without a path, such as `[Title][reference]`. */
export const isWithoutPath = (source: string, { kind, title, at }: SummaryEntry): boolean =>
  kind === 'text' && at.text !== undefined && source[at.text.start] === '[' && title[0] !== '['

/** Returns the words of `[Title][reference]`, `[Title]` and `[[Title]]`, which lead nowhere here. */
const wordsInBrackets = (text: string): string | undefined =>
  /^\[{1,2}([^[\]]+)\]{1,2}(?: ?\[[^[\]]*\])?$/.exec(text)?.[1]?.trim() || undefined

/** A line of a paragraph: with a link that is alone on it, or with a sentence why it has no entry. */
type ParagraphLine = {
  lines: Range
  /** Counts from 0 in the paragraph. */
  line: number
  /** Where its words begin. */
  content: number
  found?: Inline
  message: string
}

/** Returns the lines of a paragraph that are entries, and those that have to be reported. */
export function linesAlone(source: string, { start, end, text }: Block): ParagraphLine[] {
  const parts: ParagraphLine[] = []

  for (const [line, { start: from, end: to, next }] of linesOf(source, start, end).entries()) {
    const content = line === 0 ? text.start : skipBlanks(source, from)
    const link = linkIn(source, { start: content, end: to })
    const part = { lines: { start: from, end: next }, line, content }
    if (link?.isAlone) parts.push({ ...part, found: link.found, message: '' })
    else if (link) parts.push({ ...part, message: besideWords })
    else if (line === 0 || parts.at(-1)?.found) parts.push({ ...part, message: betweenLists })
  }

  return parts
}

const besideWords =
  'Text between the lists is not shown; a link is an entry if it is alone on its line.'
const betweenLists = 'Text between the lists is not shown.'
