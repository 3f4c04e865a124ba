import type { Range } from '../text/range.ts'
import { parseSummary, type Summary, type SummaryEntry, type SummaryGroup } from './parse.ts'
import { isBare } from './place.ts'

/** The top entries of one group that an edit touches, and their range in the old source. */
type Span = { group: number; first: number; last: number; start: number; end: number }

/**
 * Parses a table of contents that differs from another one by an edit. Only the top entries around
 * the edit are parsed again if the result is the same as for the whole source; otherwise all of it
 * is.
 */
export const reparseSummary = (old: Summary, source: string): Summary =>
  summaryFrom(old, source) ?? parseSummary(source)

/** The most characters to parse again without a yield. */
const longest = 100_000

/**
 * Parses only the edited part, as `reparseSummary`; returns undefined if the whole source has to be
 * parsed.
 */
export function summaryFrom(old: Summary, source: string): Summary | undefined {
  const changed = changedPart(old.source, source)
  const span = old.issues.length === 0 ? spanOf(old, changed) : undefined
  if (!span) return undefined

  const shift = source.length - old.source.length
  if (span.end + shift - span.start > longest) return undefined

  const text = source.slice(span.start, span.end + shift)
  if (!/[\r\n]$/.test(text) && span.end !== old.source.length) return undefined

  const part = parseSummary(text)
  if (!standsAlone(part, text)) return undefined

  const fresh = (part.groups[0]?.entries ?? []).map(entry => moved(entry, span.start))
  const before = old.groups[span.group]!
  const entries = [
    ...before.entries.slice(0, span.first),
    ...fresh,
    ...before.entries.slice(span.last + 1).map(entry => moved(entry, shift)),
  ]
  if (entries.length === 0) return undefined

  const range = { start: before.range.start, end: before.range.end + shift }

  return {
    ...old,
    source,
    groups: [
      ...old.groups.slice(0, span.group),
      { ...before, entries, range },
      ...old.groups.slice(span.group + 1).map(group => movedGroup(group, shift)),
    ],
  }
}

/** Returns the part of the old source that the edit replaced. */
function changedPart(old: string, source: string): Range {
  const shortest = Math.min(old.length, source.length)
  let start = 0
  while (start < shortest && old.charCodeAt(start) === source.charCodeAt(start)) start++
  let tail = 0

  while (
    tail < shortest - start &&
    old.charCodeAt(old.length - 1 - tail) === source.charCodeAt(source.length - 1 - tail)
  )
    tail++

  return { start, end: old.length - tail }
}

/**
 * Returns the entries to parse again for a change; undefined if it is not within the entries of one
 * group.
 */
function spanOf({ groups }: Summary, changed: Range): Span | undefined {
  const group = groups.findIndex(({ entries, range }) => {
    const start = entries[0]?.range.start
    return start !== undefined && start <= changed.start && changed.end <= range.end
  })
  const { entries, range } = groups[group] ?? { entries: [], range: { start: 0, end: 0 } }
  const endOf = (index: number) => entries[index + 1]?.range.start ?? range.end
  let first = 0

  // Text inserted at the beginning of an entry may belong to the entry before.
  while (first < entries.length && endOf(first) < changed.start) first++
  let last = first

  while (last < entries.length - 1 && endOf(last) <= changed.end) last++
  const start = entries[first]?.range.start
  if (start === undefined || start === 0) return undefined

  const next = entries[last + 1]
  const plain = [...entries.slice(first, last + 1), ...(next ? [next] : [])].every(
    entry => entry.at.indent === 0 && !entry.at.shared && !isBare(entry),
  )

  return plain ? { group, first, last, start, end: endOf(last) } : undefined
}

/**
 * Reports whether a part is parsed the same alone as in its place: it has only entries, none of
 * which continues beyond it.
 */
function standsAlone({ groups, issues, title }: Summary, text: string): boolean {
  if (issues.length > 0 || title !== undefined || groups.length > 1 || /<!|<\w|```|~~~/.test(text))
    return false
  const [group] = groups
  if (!group) return /^\s*$/.test(text)

  return (
    group.title === null &&
    !group.rule &&
    group.range.start === 0 &&
    group.entries.every(entry => entry.at.indent === 0 && !isBare(entry))
  )
}

const at = ({ start, end }: Range, shift: number): Range => ({
  start: start + shift,
  end: end + shift,
})

/** Returns an entry with all offsets shifted. */
function moved(entry: SummaryEntry, shift: number): SummaryEntry {
  const { marker, content, text, target } = entry.at
  return {
    ...entry,
    children: entry.children.map(child => moved(child, shift)),
    lines: at(entry.lines, shift),
    range: at(entry.range, shift),
    at: {
      ...entry.at,
      marker: marker + shift,
      content: content + shift,
      ...(text && { text: at(text, shift) }),
      ...(target && { target: at(target, shift) }),
    },
  }
}

function movedGroup(group: SummaryGroup, shift: number): SummaryGroup {
  const { entries, heading, rule, range, at: parts } = group
  return {
    ...group,
    entries: entries.map(entry => moved(entry, shift)),
    range: at(range, shift),
    ...(heading && { heading: at(heading, shift) }),
    ...(rule && { rule: at(rule, shift) }),
    ...(parts && {
      at: { text: at(parts.text, shift), ...(parts.anchor && { anchor: at(parts.anchor, shift) }) },
    }),
  }
}
