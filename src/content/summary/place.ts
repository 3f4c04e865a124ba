import { invalid } from '../../errors.ts'
import { blanksAfter, blanksBefore, eolOf, isBlank, lineAt } from '../text/lines.ts'
import type { Summary, SummaryEntry } from './parse.ts'

/**
 * Where an entry goes: `index` counts the entries that will be its siblings (as many as there are appends; an
 * entry that moves is not counted). `group` is an index; -1 means before the first group.
 */
export type Place = { group: number; parent?: SummaryEntry; index: number }

/** Where lines go in, how they begin, and what stands around them. */
export type Slot = { at: number; before: string; after: string; indent: string; bullet: string; pad: string }

const columnsOf = (text: string): number => {
  let column = 0
  for (const char of text) column += char === '\t' ? 4 - (column % 4) : 1
  return column
}

/** Gives what stands before an entry's marker. */
export const indentOf = (source: string, entry: SummaryEntry): string =>
  source.slice(entry.lines.start, entry.at.marker).replace(/^\ufeff/, '')

/** Gives how an entry's line begins; throws `invalid` for an entry that begins on its parent's line. */
export const styleOf = (source: string, entry: SummaryEntry): Pick<Slot, 'indent' | 'bullet' | 'pad'> => {
  if (entry.at.shared) throw invalid('Two entries of the table of contents share a line; part them first.')
  const { marker, bullet, content } = entry.at
  const pad = source.slice(marker + bullet.length, content)
  return {
    indent: indentOf(source, entry),
    bullet,
    pad: /^[ \t]+$/.test(pad) && columnsOf(pad) < 5 ? pad : ' ',
  }
}

/** Gives the blank lines between two neighbours, or '' when there is more than that. */
export const gapBetween = (source: string, first: SummaryEntry, second: SummaryEntry): string => {
  const gap = source.slice(first.range.end, second.lines.start)
  return isBlank(gap, 0, gap.length) ? gap : ''
}

const walk = (entries: SummaryEntry[], visit: (entry: SummaryEntry) => boolean): boolean =>
  entries.some(entry => visit(entry) || walk(entry.children, visit))

/** Gives how a first child is indented: as elsewhere in the file, as far as the parent's list item allows. */
const childStyle = (summary: Summary, parent: SummaryEntry): Pick<Slot, 'indent' | 'bullet' | 'pad'> => {
  const { source } = summary
  const own = styleOf(source, parent)
  const fits = (indent: string) => {
    const columns = columnsOf(indent)
    return columns >= parent.at.contentColumn && columns < parent.at.contentColumn + 4
  }
  let found: { indent: string; bullet: string } | null = null
  for (const group of summary.groups) {
    const here = walk(group.entries, entry => {
      const child = entry.children.find(child => !child.at.shared)
      if (!child) return false
      const indent = indentOf(source, child)
      const step = indent.includes('\t') ? '\t' : ' '.repeat(Math.max(0, child.at.indent - entry.at.indent))
      found = { indent: own.indent + step, bullet: child.at.bullet }
      return true
    })
    if (here) break
  }
  const { indent, bullet } = found ?? { indent: '', bullet: own.bullet }
  return { indent: fits(indent) ? indent : ' '.repeat(parent.at.contentColumn), bullet, pad: own.pad }
}

/** Gives how the top entries of the file are written. */
const topStyle = (summary: Summary): Pick<Slot, 'indent' | 'bullet' | 'pad'> => {
  const sample = summary.groups.find(group => group.entries.length > 0)?.entries[0]
  return sample ? styleOf(summary.source, sample) : { indent: '', bullet: '*', pad: ' ' }
}

/** Gives the line that has to end before something is put at an offset: its line end when it lacks one. */
const lineEndBefore = (source: string, at: number): string =>
  at > 0 && !/[\r\n]/.test(source[at - 1]!) && !(at === 1 && source[0] === '\ufeff') ? eolOf(source) : ''

const slotBetween = (summary: Summary, siblings: SummaryEntry[], index: number): Slot => {
  const { source } = summary
  const next = siblings[index]
  const previous = siblings[index - 1]
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

const slotInGroup = (summary: Summary, index: number): Slot => {
  const { source, groups } = summary
  const eol = eolOf(source)
  const style = topStyle(summary)
  const group = groups[index]
  const head = group?.heading ?? group?.rule
  if (head) {
    const next = lineAt(source, head.end)
    const tight = next.end > next.start && !isBlank(source, next.start, next.end)
    return { at: head.end, before: lineEndBefore(source, head.end) + eol, after: tight ? eol : '', ...style }
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

/** Gives where lines go in for a place; `moving` is an entry that will have left by then. Throws `invalid`. */
export const slotFor = (summary: Summary, place: Place, moving?: SummaryEntry): Slot => {
  const { source, groups } = summary
  const group = groups[place.group]
  const all = place.parent ? place.parent.children : (group?.entries ?? [])
  if (!place.parent && !group && place.group !== -1 && !(place.group === 0 && groups.length === 0)) {
    throw invalid('The table of contents has no such group.')
  }
  const siblings = all.filter(entry => entry !== moving)
  if (place.index < 0 || place.index > siblings.length)
    throw invalid('There is no such place in the table of contents.')
  if (siblings.length > 0) return slotBetween(summary, siblings, place.index)
  if (!place.parent) return slotInGroup(summary, place.group)
  if (place.parent.kind === 'computed') throw invalid('A computed entry cannot have entries below it.')
  const at = all.length > 0 ? place.parent.lines.end : place.parent.range.end
  return { at, before: lineEndBefore(source, at), after: '', ...childStyle(summary, place.parent) }
}

/** Gives the stretch that goes when an entry goes: its lines, and the blank lines that stood for it alone. */
export const removalOf = (summary: Summary, entry: SummaryEntry): { start: number; end: number } => {
  const { source } = summary
  if (entry.at.shared) throw invalid('Two entries of the table of contents share a line; part them first.')
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
  return last ? { ...range, start: Math.max(head.end, blanksBefore(source, range.start, head.end)) } : range
}

/** Gives the list of entries that an entry is in; throws `invalid` when it is not of this table of contents. */
export const siblingsOf = (summary: Summary, entry: SummaryEntry): SummaryEntry[] => {
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
