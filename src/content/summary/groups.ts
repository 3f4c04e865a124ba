import { invalid } from '../../errors.ts'
import { escapeText } from '../markdown/plain-text.ts'
import { blanksBefore, eolOf, isBlank, splice } from '../text/lines.ts'
import type { Range } from '../text/range.ts'
import type { Summary, SummaryGroup } from './parse.ts'

function anchorText(anchor: string): string {
  const id = anchor.replace(/[\s"'<>&]+/g, '-')
  return ` <a href="#${id}" id="${id}"></a>`
}

function words(title: string): string {
  if (title.trim() === '') throw invalid('A group needs a title.')
  return escapeText(title).replace(/#(?=#*$)/g, '\\#')
}

/**
 * Reports whether a group has neither heading nor rule: its entries cannot follow another group.
 */
const isBare = (group: SummaryGroup | undefined): boolean =>
  group !== undefined && group.heading === undefined && group.rule === undefined

/**
 * Returns the source with a new, empty group before the group at `index`; the number of groups
 * appends it.
 */
export function insertGroup(
  summary: Summary,
  index: number,
  group: { title: string; anchor?: string },
): string {
  const { source, groups } = summary
  if (index < 0 || index > groups.length)
    throw invalid('This place does not exist in the table of contents.')
  if (isBare(groups[index])) throw invalid('A group cannot come before entries without a group.')

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
 * Returns the source with another heading for a group. The anchor stays unless `anchor` is given;
 * '' removes it. Throws `invalid` for a group without a heading.
 */
export function setGroupTitle(
  summary: Summary,
  group: SummaryGroup,
  title: string,
  anchor?: string,
): string {
  if (!group.at) throw invalid('These entries are not in a group with a title.')
  const { text, anchor: old } = group.at
  const changes = []
  if (title !== group.title) changes.push({ ...text, text: words(title) })

  if (anchor !== undefined && anchor !== (group.anchor ?? '')) {
    const range: Range = old ?? { start: text.end, end: text.end }
    changes.push({ ...range, text: anchor === '' ? '' : anchorText(anchor) })
  }

  return splice(summary.source, ...changes)
}

/**
 * Returns the source without a group's heading or rule and its entries. Other text in the group
 * stays.
 */
export function removeGroup(summary: Summary, group: SummaryGroup): string {
  const { source } = summary
  const head = group.heading ?? group.rule
  const parts = [...(head ? [head] : []), ...group.entries.map(entry => entry.range)]
  const rest = splice(
    source.slice(0, group.range.end),
    ...parts.map(part => ({ ...part, text: '' })),
  )
  if (!isBlank(rest, group.range.start, rest.length)) {
    return splice(source, ...parts.map(part => ({ ...part, text: '' })))
  }

  const last = group.range.end === source.length && summary.groups[0] !== group
  const start = last ? blanksBefore(source, group.range.start) : group.range.start

  return splice(source, { start, end: group.range.end, text: '' })
}

/**
 * Returns the source with a group moved; `index` counts the other groups. The blank lines between
 * groups stay where they are. Throws `invalid` if a group would come before entries without a
 * group.
 */
export function moveGroup(summary: Summary, group: SummaryGroup, index: number): string {
  const { source, groups } = summary
  const from = groups.indexOf(group)
  const others = groups.filter(other => other !== group)
  if (from === -1 || index < 0 || index > others.length)
    throw invalid('This place does not exist in the table of contents.')
  if (isBare(group) && index > 0) throw invalid('Entries without a group stay before the groups.')
  if (isBare(others[0]) && index === 0)
    throw invalid('A group cannot come before entries without a group.')

  const sorted = [...others.slice(0, index), group, ...others.slice(index)]
  const bodies = groups.map(({ range }) => source.slice(range.start, range.end).trimEnd())
  const gaps = groups.map(({ range }, at) =>
    source.slice(range.start + bodies[at]!.length, range.end),
  )
  const text = sorted.map((moved, at) => bodies[groups.indexOf(moved)]! + gaps[at]!).join('')

  return groups.length === 0 ? source : source.slice(0, groups[0]!.range.start) + text
}
