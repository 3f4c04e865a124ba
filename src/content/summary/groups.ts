import { invalid } from '../../errors.ts'
import { escapeText } from '../markdown/plain-text.ts'
import { blanksBefore, eolOf, isBlank, splice } from '../text/lines.ts'
import type { Range } from '../text/range.ts'
import type { Summary, SummaryGroup } from './parse.ts'

const anchorText = (anchor: string): string => {
  const id = anchor.replace(/[\s"'<>&]+/g, '-')
  return ` <a href="#${id}" id="${id}"></a>`
}

const words = (title: string): string => {
  if (title.trim() === '') throw invalid('A group needs a title.')
  return escapeText(title).replace(/#(?=#*$)/g, '\\#')
}

/** Entries before the first heading have no line of their own that could stand behind another group. */
const isBare = (group: SummaryGroup | undefined): boolean =>
  group !== undefined && group.heading === undefined && group.rule === undefined

/** Gives the source with a new group, empty, before the group at `index` (as many as there are appends). */
export const insertGroup = (
  summary: Summary,
  index: number,
  group: { title: string; anchor?: string },
): string => {
  const { source, groups } = summary
  if (index < 0 || index > groups.length) throw invalid('There is no such place in the table of contents.')
  if (isBare(groups[index])) throw invalid('A group cannot stand before entries that are in no group.')
  const eol = eolOf(source)
  const line = `## ${words(group.title)}${group.anchor ? anchorText(group.anchor) : ''}`
  const next = groups[index]
  const at = next ? next.range.start : source.length
  const filled = blanksBefore(source, at)
  const ended = at === 0 || /[\r\n]$/.test(source.slice(0, at)) || source === '\ufeff'
  const blank = filled < at || at === 0 || source === '\ufeff'
  const before = (ended ? '' : eol) + (blank ? '' : eol)
  const after = next ? eol + eol : ended ? eol : ''
  return splice(source, { start: at, end: at, text: before + line + after })
}

/**
 * Gives the source with another heading for a group. The anchor stays unless one is given; '' takes it away.
 * Throws `invalid` for entries that have no heading.
 */
export const setGroupTitle = (
  summary: Summary,
  group: SummaryGroup,
  title: string,
  anchor?: string,
): string => {
  if (!group.at) throw invalid('These entries are in no group.')
  const { text, anchor: old } = group.at
  const changes = []
  if (title !== group.title) changes.push({ ...text, text: words(title) })
  if (anchor !== undefined && anchor !== (group.anchor ?? '')) {
    const range: Range = old ?? { start: text.end, end: text.end }
    changes.push({ ...range, text: anchor === '' ? '' : anchorText(anchor) })
  }
  return splice(summary.source, ...changes)
}

/** Gives the source without a group: its heading or rule and its entries. Other text in it stays. */
export const removeGroup = (summary: Summary, group: SummaryGroup): string => {
  const { source } = summary
  const head = group.heading ?? group.rule
  const parts = [...(head ? [head] : []), ...group.entries.map(entry => entry.range)]
  const rest = splice(source.slice(0, group.range.end), ...parts.map(part => ({ ...part, text: '' })))
  if (!isBlank(rest, group.range.start, rest.length)) {
    return splice(source, ...parts.map(part => ({ ...part, text: '' })))
  }
  const last = group.range.end === source.length && summary.groups[0] !== group
  const start = last ? blanksBefore(source, group.range.start) : group.range.start
  return splice(source, { start, end: group.range.end, text: '' })
}

/**
 * Gives the source with a group at another place; `index` counts the groups without it. What separates the
 * groups stays where it is. Throws `invalid` where a group would come before entries that are in none.
 */
export const moveGroup = (summary: Summary, group: SummaryGroup, index: number): string => {
  const { source, groups } = summary
  const from = groups.indexOf(group)
  const others = groups.filter(other => other !== group)
  if (from === -1 || index < 0 || index > others.length)
    throw invalid('There is no such place in the table of contents.')
  if (isBare(group) && index > 0) throw invalid('Entries that are in no group stay before the groups.')
  if (isBare(others[0]) && index === 0)
    throw invalid('A group cannot stand before entries that are in no group.')
  const sorted = [...others.slice(0, index), group, ...others.slice(index)]
  const bodies = groups.map(({ range }) => source.slice(range.start, range.end).trimEnd())
  const gaps = groups.map(({ range }, at) => source.slice(range.start + bodies[at]!.length, range.end))
  const text = sorted.map((moved, at) => bodies[groups.indexOf(moved)]! + gaps[at]!).join('')
  return groups.length === 0 ? source : source.slice(0, groups[0]!.range.start) + text
}
