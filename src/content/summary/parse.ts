import { atOnce, type Steps } from '../../lib/slices.ts'
import { type Block, blockSteps, type Item } from '../markdown/blocks.ts'
import { type Inline, scanInline } from '../markdown/inline.ts'
import { contentsSize } from '../markdown/limits.ts'
import { plainText, unescapeText } from '../markdown/plain-text.ts'
import type { Issue } from '../text/issues.ts'
import { lineAt, linesOf } from '../text/lines.ts'
import type { Range } from '../text/range.ts'

export type SummaryEntry = {
  /**
   * page: the target is a path without a fragment; link: an URL, an app URL or a path with a fragment;
   * text: no target or an empty one; computed: a fenced block of YAML that makes entries.
   */
  kind: 'page' | 'link' | 'text' | 'computed'
  /** The link text as plain text: unescaped, without formatting marks. */
  title: string
  /** Unescaped and without `<>`; percent escapes are not decoded. */
  target?: string
  linkTitle?: string
  /** The source inside the fence, its indentation removed. */
  yaml?: string
  /** 1 is the top. */
  depth: number
  children: SummaryEntry[]
  /** The entry's own lines: whole lines with their ends. */
  lines: Range
  /** The entry's own lines and those of all its children. */
  range: Range
  /** Where its parts stand in the source, for those who edit it. */
  at: EntryParts
}

export type EntryParts = {
  /** The list marker, and where what follows it begins. */
  marker: number
  content: number
  bullet: string
  /** Columns; a tab goes on to the next multiple of four. */
  indent: number
  contentColumn: number
  /** The text between the brackets, or the plain text; absent for an entry without words. */
  text?: Range
  /** The target as written, without `<>`. */
  target?: Range
  angle?: boolean
  /** The list item begins on the line of the one around it. */
  shared: boolean
}

/** Entries under one heading; `title` is null before the first heading and after a rule. */
export type SummaryGroup = {
  title: string | null
  anchor?: string
  entries: SummaryEntry[]
  /** The lines of the heading. */
  heading?: Range
  /** The lines of the rule that begins a group without a heading. */
  rule?: Range
  /** From the heading, the rule or the first entry up to the next group. */
  range: Range
  /** Where the heading's words stand, and the anchor with the blanks before it. */
  at?: { text: Range; anchor?: Range }
}

/** `title` is the file's first heading; where the groups begin everything before them ends. */
export type Summary = { source: string; title?: string; groups: SummaryGroup[]; issues: Issue[] }

/** How deep entries go; what is listed deeper counts as this deep. */
export const depthLimit = 64

type Place = { entry: SummaryEntry; parent: Place | null }
type Reading = {
  summary: Summary
  blocks: Block[]
  /** By the index of a list item: its entry. */
  places: Map<number, Place>
  /** The items that are not entries: ordered, or inside a quote. */
  deaf: Set<number>
  /** The entries that have got their content. */
  named: Set<SummaryEntry>
  deep: boolean
}

/** Says whether a target leads elsewhere: an address with a scheme or host, or a part of a page. */
const leadsAway = (target: string): boolean =>
  /^[A-Za-z][A-Za-z0-9+.-]+:/.test(target) || target.startsWith('//') || target.includes('#')

const kindOf = (target: string | undefined): SummaryEntry['kind'] =>
  target === undefined || target === '' ? 'text' : leadsAway(target) ? 'link' : 'page'

const dedent = (source: string, range: Range, columns: number): string =>
  linesOf(source, range.start, range.end)
    .map(line => {
      let at = line.start
      let column = 0
      for (; at < line.end && column < columns; at++) {
        if (source[at] === ' ') column++
        else if (source[at] === '\t') column += 4 - (column % 4)
        else break
      }
      return `${source.slice(at, line.end)}\n`
    })
    .join('')

const tell = (reading: Reading, message: string, line: number): void => {
  reading.summary.issues.push({ message, line })
}

const currentGroup = (reading: Reading, start: number): SummaryGroup => {
  const { groups } = reading.summary
  if (groups.length === 0) groups.push({ title: null, entries: [], range: { start, end: start } })
  return groups.at(-1)!
}

const startEntry = (reading: Reading, index: number, item: Block & Item): void => {
  let around = item.item >= 0 ? reading.places.get(item.item)! : null
  if (around && around.entry.depth >= depthLimit) {
    if (!reading.deep)
      tell(reading, `Entries deeper than ${depthLimit} levels count as that deep.`, item.line)
    reading.deep = true
    around = around.parent
  }
  const holder = item.item >= 0 ? reading.places.get(item.item)!.entry : null
  const { marker, content, bullet, indent, contentColumn } = item
  const shared = item.item >= 0 && reading.blocks[item.item]!.start === item.start
  const entry: SummaryEntry = {
    kind: 'text',
    title: '',
    depth: around ? around.entry.depth + 1 : 1,
    children: [],
    lines: {
      start: item.start,
      end: shared ? holder!.lines.end : lineAt(reading.summary.source, item.start).next,
    },
    range: { start: item.start, end: item.end },
    at: { marker, content, bullet, indent, contentColumn, shared },
  }
  const siblings = around ? around.entry.children : currentGroup(reading, item.start).entries
  siblings.push(entry)
  reading.places.set(index, { entry, parent: around })
}

const link = (inlines: Inline[]): Inline | undefined =>
  inlines.find(({ kind }) => kind === 'link' || kind === 'autolink')

/** Gives an entry its words and target from a paragraph; says whether there are words besides the link. */
const nameEntry = (source: string, entry: SummaryEntry, text: Range): boolean => {
  const found = link(scanInline(source, text.start, text.end))
  if (!found) {
    entry.title = plainText(source, text.start, text.end)
    entry.at.text = text
    return false
  }
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
  return plainText(source, text.start, found.start) !== '' || plainText(source, found.end, text.end) !== ''
}

const fillEntry = (reading: Reading, entry: SummaryEntry, block: Block): void => {
  const { source } = reading.summary
  if (entry.children.length === 0) entry.lines.end = Math.max(entry.lines.end, block.end)
  const first = !reading.named.has(entry) && entry.children.length === 0
  reading.named.add(entry)
  if (!first) {
    tell(reading, 'An entry is one line: what else is in its list item is not shown.', block.line)
    return
  }
  if (block.kind === 'paragraph' || block.kind === 'heading') {
    const more = nameEntry(source, entry, block.text)
    if (more) tell(reading, 'The text beside the link is not shown.', block.line)
    if (block.kind === 'heading') tell(reading, 'A heading in a list counts as plain text.', block.line)
    return
  }
  if (block.kind !== 'fence' || !/^ya?ml\b/i.test(block.info)) {
    tell(reading, 'This list item holds neither a link, nor text, nor a block of YAML.', block.line)
    return
  }
  entry.kind = 'computed'
  entry.yaml = dedent(source, block.text, entry.at.contentColumn)
}

/** Gives a group heading's words and its `<a href="#x" id="x"></a>`. */
const readHeading = (source: string, text: Range): Pick<SummaryGroup, 'title' | 'anchor' | 'at'> => {
  const raw = source.slice(text.start, text.end)
  const open = raw.lastIndexOf('<a')
  const found =
    open === -1 ? null : /^<a\s[^<>]*\bid=(?:"([^"<>]*)"|'([^'<>]*)')[^<>]*>\s*<\/a>$/.exec(raw.slice(open))
  if (!found) return { title: plainText(source, text.start, text.end), at: { text } }
  let end = text.start + open
  while (end > text.start && (source[end - 1] === ' ' || source[end - 1] === '\t')) end--
  const words = { start: text.start, end }
  const anchor = { start: end, end: text.end }
  return {
    title: plainText(source, words.start, end),
    anchor: found[1] ?? found[2] ?? '',
    at: { text: words, anchor },
  }
}

const readTop = (reading: Reading, block: Block): void => {
  const { summary } = reading
  const lines = { start: block.start, end: block.end }
  if (block.kind === 'rule') {
    summary.groups.push({ title: null, entries: [], rule: lines, range: { ...lines } })
  } else if (block.kind !== 'heading') {
    if (block.kind === 'html' && summary.source.startsWith('<!--', block.text.start)) return
    tell(reading, 'Text between the lists is not shown.', block.line)
  } else if (block.level === 2) {
    const heading = readHeading(summary.source, block.text)
    summary.groups.push({ ...heading, entries: [], heading: lines, range: { ...lines } })
  } else if (block.level === 1 && summary.title === undefined && summary.groups.length === 0) {
    summary.title = plainText(summary.source, block.text.start, block.text.end)
  } else tell(reading, 'Only headings of the second level make groups; this one is not shown.', block.line)
}

const entryAround = (reading: Reading, item: number): SummaryEntry | undefined => {
  let at = item
  while (at >= 0 && reading.deaf.has(at)) at = reading.blocks[at]!.item
  return reading.places.get(at)?.entry
}

const readBlock = (reading: Reading, block: Block, index: number): void => {
  if (block.kind === 'item') {
    const heard = !block.quoted && !block.ordered && (block.item === -1 || reading.places.has(block.item))
    if (heard) {
      startEntry(reading, index, block)
      return
    }
    const nested = block.item >= 0 && reading.deaf.has(block.item)
    reading.deaf.add(index)
    if (!nested) tell(reading, 'Only bulleted lists make entries; this item is not shown.', block.line)
    return
  }
  if (block.item === -1 && !block.quoted) {
    readTop(reading, block)
    return
  }
  const entry = block.item >= 0 ? entryAround(reading, block.item) : undefined
  if (block.item >= 0 && reading.deaf.has(block.item)) {
    if (entry && entry.children.length === 0) entry.lines.end = Math.max(entry.lines.end, block.end)
  } else if (entry) fillEntry(reading, entry, block)
  else tell(reading, 'Quoted text is not shown.', block.line)
}

/** Gives where the list of contents begins: after front matter, which other tools put here. */
const bodyStart = (source: string): number => {
  const begin = source.charCodeAt(0) === 0xfeff ? 1 : 0
  const first = lineAt(source, begin)
  if (source.slice(begin, first.end).trimEnd() !== '---') return 0
  if (!/^[\w-]+:/.test(source.slice(first.next, first.next + 100))) return 0
  for (let at = first.next; at < source.length; ) {
    const line = lineAt(source, at)
    if (/^(?:---|\.\.\.)[ \t]*$/.test(source.slice(line.start, line.end))) return line.next
    at = line.next
  }
  return 0
}

/**
 * Reads a SUMMARY.md and never changes it. What makes no sense becomes an issue. Lists are read
 * as CommonMark has them. Linear in the length of the source. Throws 'too_large' beyond `contentsSize`.
 */
export const parseSummary = (source: string): Summary => atOnce(summarySteps(source))

/** The same in steps. */
export function* summarySteps(source: string): Steps<Summary> {
  const summary: Summary = { source, groups: [], issues: [] }
  const blocks = yield* blockSteps(source, bodyStart(source), contentsSize)
  const reading: Reading = {
    summary,
    blocks,
    places: new Map(),
    deaf: new Set(),
    named: new Set(),
    deep: false,
  }
  for (const [index, block] of blocks.entries()) {
    readBlock(reading, block, index)
    if (index % 256 === 255) yield
  }
  summary.groups.forEach((group, index) => {
    group.range.end = summary.groups[index + 1]?.range.start ?? source.length
  })
  return summary
}
