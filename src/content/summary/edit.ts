import { invalid } from '../../errors.ts'
import { escapeLine, escapeText, formatTarget } from '../markdown/plain-text.ts'
import { eolOf, lineAt, linesOf, type Splice, splice, spliceAll } from '../text/lines.ts'
import type { Summary, SummaryEntry } from './parse.ts'
import {
  breakAt,
  type EntryPlace,
  firstBullet,
  indentOf,
  isBare,
  outdented,
  removalOf,
  type Slot,
  siblingsOf,
  slotFor,
} from './place.ts'

export type { EntryPlace } from './place.ts'

/** A new entry; without a target it is plain text. */
export type NewEntry = { title: string; target?: string; linkTitle?: string }

const formatTitle = (text: string): string =>
  `"${text.replace(/[\\"]|&(?=#?\w+;)/g, '\\$&').replace(/[\r\n]+/g, ' ')}"`

/** Returns an entry as written behind its bullet. */
export function entryText({ title, target, linkTitle }: NewEntry): string {
  if (target === undefined) return escapeLine(title)
  const behind = linkTitle === undefined ? '' : ` ${formatTitle(linkTitle)}`
  return `[${escapeText(title)}](${formatTarget(target)}${behind})`
}

/**
 * Returns the splice that puts whole lines into a slot. At the end of a file without a final line
 * ending, they have none.
 */
function fill(
  source: string,
  slot: Slot,
  lines: string,
): { start: number; end: number; text: string } {
  const eol = eolOf(source)
  const bare =
    slot.at === source.length && source !== '' && source !== '\ufeff' && !/[\r\n]$/.test(source)
  const body = bare
    ? lines.replace(/(?:\r\n|\n|\r)$/, '')
    : /[\r\n]$/.test(lines)
      ? lines
      : lines + eol

  return { start: slot.at, end: slot.at, text: slot.before + body + slot.after }
}

/**
 * Returns the source with a new entry; no other line changes. Throws `invalid` for a place that
 * does not exist.
 */
export const insertEntry = (summary: Summary, place: EntryPlace, entry: NewEntry): string =>
  insertContent(summary, place, entryText(entry))

/** Inserts what an entry has behind its bullet, on one line; otherwise as `insertEntry`. */
export function insertContent(summary: Summary, place: EntryPlace, content: string): string {
  const slot = slotFor(summary, place)
  const line = `${slot.indent}${slot.bullet}${slot.pad}${content}`
  return splice(summary.source, ...(slot.around ?? []), fill(summary.source, slot, line))
}

/**
 * Returns the source with the entries of another table of contents inserted, with the bullets and
 * line endings of this one. Throws `invalid` for a place that does not exist.
 */
export function insertEntries(
  summary: Summary,
  place: EntryPlace,
  from: Summary,
  entries: SummaryEntry[],
): string {
  const [first, last] = [entries[0], entries.at(-1)]
  if (!first || !last) return summary.source
  const slot = slotFor(summary, place)
  // A number is wider than a bullet: lines below would be out of their list items.
  const bullet = /^\d/.test(slot.bullet) ? '*' : slot.bullet
  const start = first.lines.start
  const bullets: Splice[] = []
  const collect = (list: SummaryEntry[]) => {
    for (const { at, children } of list) {
      bullets.push({
        start: at.marker - start,
        end: at.marker - start + at.bullet.length,
        text: at.bullet === '' ? `${bullet} ` : bullet,
      })
      collect(children)
    }
  }

  collect(entries)
  const eol = eolOf(summary.source)
  const text = spliceAll(from.source.slice(start, last.range.end), bullets)
  const lines = text.split(/\r\n|\n|\r/).map(line => (line === '' ? '' : slot.indent + line))

  return splice(summary.source, ...(slot.around ?? []), fill(summary.source, slot, lines.join(eol)))
}

/** Returns the edited source without a final line ending if the old source has none. */
const endLike = (source: string, edited: string): string =>
  /[\r\n]$/.test(source) ? edited : edited.replace(/(?:\r\n|\n|\r)$/, '')

const bulletSplice = ({ marker, bullet }: SummaryEntry['at'], text: string): Splice => ({
  start: marker,
  end: marker + bullet.length,
  text,
})

/**
 * Returns the splices that remove an entry: behind a first one, the numbers start with 1 again, and
 * a paragraph does not come into the list item before.
 */
function removalSplices(summary: Summary, entry: SummaryEntry): Splice[] {
  const siblings = siblingsOf(summary, entry)
  const [first, second] = siblings
  const behind = outdented(summary, siblings.slice(siblings.indexOf(entry) + 1))
  const removal = [{ ...removalOf(summary, entry), text: '' }, ...behind]
  if (first !== entry || !second || second.at.marker < removal[0]!.end) return removal
  const bullet = firstBullet(second.at.bullet)

  return bullet === second.at.bullet ? removal : [...removal, bulletSplice(second.at, bullet)]
}

/** Returns the source without an entry and its children. */
export const removeEntry = (summary: Summary, entry: SummaryEntry): string =>
  endLike(summary.source, spliceAll(summary.source, removalSplices(summary, entry)))

function columnOf(text: string, from = 0): number {
  let column = from
  for (const char of text) column += char === '\t' ? 4 - (column % 4) : 1
  return column
}

/**
 * Returns a line with the indentation of its entry changed; other whitespace in it stays where
 * possible.
 */
function reindent(line: string, from: string, to: string): string {
  const blanks = /^[ \t]*/.exec(line)![0]
  const column = columnOf(blanks)
  const base = columnOf(from)
  if (column < base || blanks.length === line.length) return line

  const wanted = columnOf(to) + column - base

  if (blanks.startsWith(from)) {
    const kept = to + blanks.slice(from.length)
    if (columnOf(kept) === wanted) return kept + line.slice(blanks.length)
  }

  return to + ' '.repeat(wanted - columnOf(to)) + line.slice(blanks.length)
}

const isBelow = (entry: SummaryEntry, holder: SummaryEntry): boolean =>
  entry === holder || holder.children.some(child => isBelow(entry, child))

/**
 * Returns the source with an entry and its children moved. Only their indentation changes. Throws
 * `invalid` if the place is below the entry itself.
 */
export function moveEntry(summary: Summary, entry: SummaryEntry, place: EntryPlace): string {
  const { source } = summary
  if (place.parent && isBelow(place.parent, entry))
    throw invalid('An entry cannot move below itself.')
  const home = siblingsOf(summary, entry)
  const target = place.parent?.children ?? summary.groups[place.group]?.entries
  if (target === home && home.indexOf(entry) === place.index) return source

  const [removal, ...renumbered] = removalSplices(summary, entry)
  if (!removal) return source
  const slot = slotFor(summary, place, entry)
  const from = indentOf(source, entry)
  const mark = entry.range.start === 0 && source[0] === '\ufeff' ? 1 : 0
  const lines = linesOf(source, entry.range.start + mark, entry.range.end)
    .map(line => reindent(source.slice(line.start, line.next), from, slot.indent))
    .map(line => (isBare(entry) ? withBullet(line, slot) : line))
    .join('')
    .replace(/^([ \t]*)(\d+(?=[.)]))/, (line, blanks) => (place.index === 0 ? `${blanks}1` : line))
  const filled = fill(source, slot, lines)
  const inside = filled.start > removal.start && filled.start < removal.end
  const at = inside ? removal.start : filled.start

  const parts = [removal, { ...filled, start: at, end: at }, ...renumbered, ...(slot.around ?? [])]

  return endLike(source, spliceAll(source, parts))
}

/** Returns the line of a link without a list item as one of a list, without a hard line break. */
function withBullet(line: string, { indent, bullet, pad }: Slot): string {
  const { end } = lineAt(line, 0)
  const words = line.slice(indent.length, breakAt(line, 0, end) ?? end)
  return indent + bullet + pad + words + line.slice(end)
}

/** Returns the source with another title for an entry. Throws `invalid` for a computed entry. */
export function setEntryTitle(summary: Summary, entry: SummaryEntry, title: string): string {
  const { source } = summary
  if (entry.title === title) return source
  if (entry.kind === 'computed') throw invalid('A computed entry has no title of its own.')

  const { text, target, content, marker, bullet } = entry.at

  if (!text) {
    const pad = content > marker + bullet.length ? '' : ' '
    return splice(source, { start: content, end: content, text: pad + escapeLine(title) })
  }

  if (target === undefined && entry.target !== undefined) {
    const words = `[${escapeText(title)}](${formatTarget(entry.target)})`
    return splice(source, { start: text.start - 1, end: text.end + 1, text: words })
  }

  return splice(source, { ...text, text: target ? escapeText(title) : escapeLine(title) })
}

/**
 * Returns a new target spelled as the one it replaces: `<>` stay, and underscores are escaped if
 * they were.
 */
function respell(target: string, old: string, angle: boolean): string {
  const raw = formatTarget(target, angle)
  const inside = angle || raw.startsWith('<')
  return !inside && old.includes('\\_') ? raw.replace(/(?<!\\)_/g, '\\_') : raw
}

/**
 * Returns the splices that change the target of an entry; plain text becomes a link. Throws
 * `invalid` for a computed entry.
 */
export function targetSplices({ source }: Summary, entry: SummaryEntry, target: string): Splice[] {
  if (entry.target === target) return []
  if (entry.kind === 'computed') throw invalid('A computed entry has no target of its own.')
  const { text, target: range, angle } = entry.at

  if (range) {
    const edge = angle ? 1 : 0
    const words = respell(target, source.slice(range.start, range.end), angle === true)
    return [{ start: range.start - edge, end: range.end + edge, text: words }]
  }

  if (!text) throw invalid('An entry needs a title before it can have a target.')

  const end = `](${formatTarget(target)})`
  if (entry.target === undefined) {
    // The brackets of words without a path are not kept: they would be part of the words.
    const words = source[text.start] === '[' ? escapeText(entry.title) : ''
    return [{ ...text, text: `[${words || source.slice(text.start, text.end)}${end}` }]
  }

  return [{ start: text.start - 1, end: text.end + 1, text: `[${escapeText(entry.title)}${end}` }]
}

/** Returns the source with another target for an entry. Throws as `targetSplices` does. */
export const setEntryTarget = (summary: Summary, entry: SummaryEntry, target: string): string =>
  spliceAll(summary.source, targetSplices(summary, entry, target))

/** Returns the source of a table of contents without entries. */
export const emptySummary = (eol = '\n'): string => `# Table of contents${eol}${eol}`
