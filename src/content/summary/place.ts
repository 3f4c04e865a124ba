import { Fault, invalid } from '../../errors.ts'
import { blanksAfter, blanksBefore, eolOf, isBlank, lineAt, type Splice } from '../text/lines.ts'
import type { Summary, SummaryEntry } from './parse.ts'

/**
 * A place for an entry. `index` counts its future siblings, without the entry itself if it moves;
 * the number of siblings appends it. `group` is an index; -1 means before the first group.
 */
export type EntryPlace = { group: number; parent?: SummaryEntry; index: number }

/** The offset at which lines are inserted, how they begin, and the text around them. */
export type Slot = {
  at: number
  before: string
  after: string
  indent: string
  bullet: string
  pad: string
  /** What changes around it: a parent becomes a list item, or a link behind it loses its indent. */
  around?: Splice[]
}

/** Reports whether an entry is a link alone on its line, without a list item. */
export const isBare = ({ at }: SummaryEntry): boolean => at.bullet === ''

function columnsOf(text: string): number {
  let column = 0
  for (const char of text) column += char === '\t' ? 4 - (column % 4) : 1
  return column
}

/** Returns the text before an entry's marker. */
export const indentOf = (
  source: string,
  { lines, at }: Pick<SummaryEntry, 'lines' | 'at'>,
): string => source.slice(lines.start, at.marker).replace(/^\ufeff/, '')

/**
 * Returns how an entry's line begins. Throws `invalid` for an entry that begins on its parent's
 * line.
 */
function styleOf(source: string, entry: SummaryEntry): Pick<Slot, 'indent' | 'bullet' | 'pad'> {
  if (entry.at.shared)
    throw new Fault(
      'content_not_editable',
      'Two entries of the table of contents share a line. Put them on separate lines first.',
    )

  const { marker, bullet, content } = entry.at
  const pad = source.slice(marker + bullet.length, content)

  return {
    indent: indentOf(source, entry),
    bullet,
    pad: /^[ \t]+$/.test(pad) && columnsOf(pad) < 5 ? pad : ' ',
  }
}

/** Returns the blank lines between two neighbours, or '' if there is other text between them. */
function gapBetween(source: string, first: SummaryEntry, second: SummaryEntry): string {
  const gap = source.slice(first.range.end, second.lines.start)
  return isBlank(gap, 0, gap.length) ? gap : ''
}

/**
 * Returns a bullet as the first one of a list: only a list that starts with 1 can follow the words
 * of its parent.
 */
export const firstBullet = (bullet: string): string => bullet.replace(/^\d+/, '1')

const walk = (entries: SummaryEntry[], visit: (entry: SummaryEntry) => boolean): boolean =>
  entries.some(entry => visit(entry) || walk(entry.children, visit))

/**
 * Returns the style of a first child: as elsewhere in the file, if the parent's list item allows
 * it.
 */
function childStyle(
  summary: Summary,
  parent: SummaryEntry,
): Pick<Slot, 'indent' | 'bullet' | 'pad'> {
  const { source } = summary
  const own = isBare(parent) ? topStyle(summary) : styleOf(source, parent)
  const column = isBare(parent)
    ? columnsOf(own.indent + own.bullet + own.pad)
    : parent.at.contentColumn
  const fits = (indent: string) => {
    const columns = columnsOf(indent)
    return columns >= column && columns < column + 4
  }
  let found: { indent: string; bullet: string } | null = null

  for (const group of summary.groups) {
    const here = walk(group.entries, entry => {
      const child = entry.children.find(child => !child.at.shared)
      if (!child) return false
      const indent = indentOf(source, child)
      const step = indent.includes('\t')
        ? '\t'
        : ' '.repeat(Math.max(0, child.at.indent - entry.at.indent))
      found = { indent: own.indent + step, bullet: child.at.bullet }
      return true
    })
    if (here) break
  }

  const { indent, bullet } = found ?? { indent: '', bullet: own.bullet }

  return {
    indent: fits(indent) ? indent : ' '.repeat(column),
    bullet: firstBullet(bullet),
    pad: own.pad,
  }
}

function firstItem({ groups }: Summary): SummaryEntry | undefined {
  for (const { entries } of groups) {
    const item = entries.find(entry => !isBare(entry))
    if (item) return item
  }
  return undefined
}

/** Returns the style of the top entries of the file. */
function topStyle(summary: Summary): Pick<Slot, 'indent' | 'bullet' | 'pad'> {
  const sample = firstItem(summary)
  return sample ? styleOf(summary.source, sample) : { indent: '', bullet: '*', pad: ' ' }
}

/** Returns the line ending that the line before an offset lacks, or ''. */
const lineEndBefore = (source: string, at: number): string =>
  at > 0 && !/[\r\n]/.test(source[at - 1]!) && !(at === 1 && source[0] === '\ufeff')
    ? eolOf(source)
    : ''

function slotBetween(summary: Summary, siblings: SummaryEntry[], index: number): Slot {
  const { source } = summary
  const next = siblings[index]
  const previous = siblings[index - 1]
  if (next ? isBare(next) : previous && isBare(previous))
    return slotBesideBare(summary, previous, next)

  if (next) {
    const style = styleOf(source, next)
    const [first, second] = previous ? [previous, next] : [next, siblings[1]]
    const after = first && second ? gapBetween(source, first, second) : ''
    const mark = next.lines.start === 0 && source[0] === '\ufeff' ? 1 : 0
    return { at: next.lines.start + mark, before: '', after, ...style }
  }

  const style = styleOf(source, previous!)
  const at = previous!.range.end
  const earlier = siblings[index - 2]
  const gap = earlier ? gapBetween(source, earlier, previous!) : ''

  return { at, before: lineEndBefore(source, at) + gap, after: '', ...style }
}

/**
 * Returns the slot before a link without a list item, or at the end behind one: its paragraph needs
 * a blank line between itself and a list.
 */
function slotBesideBare(summary: Summary, previous?: SummaryEntry, next?: SummaryEntry): Slot {
  const { source } = summary
  const eol = eolOf(source)
  if (next) {
    const at = next.lines.start + (next.lines.start === 0 && source[0] === '\ufeff' ? 1 : 0)
    const isTight = previous !== undefined && previous.range.end === next.lines.start
    return {
      ...{ at, before: isTight ? eol : '', after: eol, ...topStyle(summary) },
      around: outdented(summary, [next]),
    }
  }

  const at = previous?.range.end ?? source.length
  const before = lineEndBefore(source, at) + eol
  return { at, before, after: blankBefore(source, at), ...topStyle(summary) }
}

/**
 * Returns the splices that take away the indent of the first link without a list item among
 * entries: behind another list item than before, an indented paragraph may belong to it.
 */
export function outdented({ source }: Summary, entries: readonly SummaryEntry[]): Splice[] {
  const entry = entries.find(isBare)
  if (!entry || indentOf(source, entry) === '') return []
  const { start } = entry.lines
  return [{ start: source[start] === '\ufeff' ? start + 1 : start, end: entry.at.marker, text: '' }]
}

/** Returns the line ending that makes a blank line before an offset, unless a blank line follows. */
function blankBefore(source: string, at: number): string {
  const { start, end } = lineAt(source, at)
  return isBlank(source, start, end) ? '' : eolOf(source)
}

/** Returns where the backslash is with which a line ends; undefined without one. */
export function breakAt(source: string, start: number, end: number): number | undefined {
  let at = end
  while (at > start && source[at - 1] === '\\') at--
  return (end - at) % 2 === 1 ? end - 1 : undefined
}

/** Returns the splices that make a link without a list item one, in the style of the file. */
function listed(summary: Summary, { lines, at }: SummaryEntry): Splice[] {
  const { source } = summary
  const { indent, bullet, pad } = topStyle(summary)
  const { end } = lineAt(source, lines.start)
  const hard = breakAt(source, at.content, end)
  return [
    {
      start: at.marker - indentOf(source, { lines, at }).length,
      end: at.marker,
      text: indent + firstBullet(bullet) + pad,
    },
    ...(hard === undefined ? [] : [{ start: hard, end, text: '' }]),
  ]
}

function slotInGroup(summary: Summary, index: number): Slot {
  const { source, groups } = summary
  const eol = eolOf(source)
  const style = topStyle(summary)
  const group = groups[index]
  const head = group?.heading ?? group?.rule

  if (head) {
    const next = lineAt(source, head.end)
    const tight = next.end > next.start && !isBlank(source, next.start, next.end)
    return {
      at: head.end,
      before: lineEndBefore(source, head.end) + eol,
      after: tight ? eol : '',
      ...style,
    }
  }

  const at = groups[0]?.range.start ?? source.length
  const filled = blanksBefore(source, at)
  const blank = filled < at || at === 0 || source === '\ufeff'

  return {
    at,
    before: lineEndBefore(source, at) + (blank ? '' : eol),
    after: at < source.length ? eol : '',
    ...style,
  }
}

/**
 * Returns the slot for a place; `moving` is an entry that will be removed. Throws `invalid` for a
 * place that does not exist.
 */
export function slotFor(summary: Summary, place: EntryPlace, moving?: SummaryEntry): Slot {
  const { source, groups } = summary
  const group = groups[place.group]
  const all = place.parent ? place.parent.children : (group?.entries ?? [])

  if (
    !place.parent &&
    !group &&
    place.group !== -1 &&
    !(place.group === 0 && groups.length === 0)
  ) {
    throw invalid('This group does not exist in the table of contents.')
  }

  const siblings = all.filter(entry => entry !== moving)
  if (place.index < 0 || place.index > siblings.length)
    throw invalid('This place does not exist in the table of contents.')
  if (siblings.length > 0) return slotBetween(summary, siblings, place.index)
  if (!place.parent) return slotInGroup(summary, place.group)
  if (place.parent.kind === 'computed')
    throw invalid('A computed entry cannot have entries below it.')

  const at = all.length > 0 ? place.parent.lines.end : place.parent.range.end

  const slot = { at, before: lineEndBefore(source, at), ...childStyle(summary, place.parent) }

  if (!isBare(place.parent)) return { ...slot, after: '' }
  const beside = siblingsOf(summary, place.parent).filter(entry => entry !== moving)
  const behind = beside.slice(beside.indexOf(place.parent) + 1)
  const around = [...listed(summary, place.parent), ...outdented(summary, behind)]
  return { ...slot, after: blankBefore(source, at), around }
}

/**
 * Returns the range to remove with an entry: its lines, and the blank lines that separate only this
 * entry.
 */
export function removalOf(summary: Summary, entry: SummaryEntry): { start: number; end: number } {
  const { source } = summary
  if (entry.at.shared)
    throw new Fault(
      'content_not_editable',
      'Two entries of the table of contents share a line. Put them on separate lines first.',
    )

  const mark = entry.range.start === 0 && source[0] === '\ufeff' ? 1 : 0
  const range = { start: entry.range.start + mark, end: entry.range.end }
  const found = siblingsOf(summary, entry)
  const index = found.indexOf(entry)
  const previous = found[index - 1]
  const next = found[index + 1]

  if (next) {
    const gap = gapBetween(source, entry, next)
    const same = !previous || gapBetween(source, previous, entry) === gap
    return same ? { ...range, end: range.end + gap.length } : range
  }

  if (previous) return { ...range, start: range.start - gapBetween(source, previous, entry).length }

  const group = summary.groups.find(({ entries }) => entries === found)
  const head = group?.heading ?? group?.rule
  if (!head) return range

  const last = blanksAfter(source, range.end) > range.end || range.end === source.length

  return last
    ? { ...range, start: Math.max(head.end, blanksBefore(source, range.start, head.end)) }
    : range
}

/**
 * Returns the list that contains an entry. Throws `invalid` if the entry is not in this table of
 * contents.
 */
export function siblingsOf(summary: Summary, entry: SummaryEntry): SummaryEntry[] {
  let found: SummaryEntry[] | null = null
  for (const group of summary.groups) {
    if (group.entries.includes(entry)) return group.entries
    walk(group.entries, holder => {
      if (!holder.children.includes(entry)) return false
      found = holder.children
      return true
    })
    if (found) return found
  }

  throw invalid('This entry is not in the table of contents.')
}
