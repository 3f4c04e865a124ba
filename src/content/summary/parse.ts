import { mustGet } from '../../lib/must-get.ts'
import { atOnce, type Steps } from '../../lib/slices.ts'
import { headingAnchor } from '../markdown/anchor.ts'
import { type Block, blockSteps, type Item } from '../markdown/blocks.ts'
import { contentsSize } from '../markdown/limits.ts'
import { plainText } from '../markdown/plain-text.ts'
import type { Issue } from '../text/issues.ts'
import { lineAt, linesOf } from '../text/lines.ts'
import type { Range } from '../text/range.ts'
import type { SummaryEntry } from './entry.ts'
import { hasLink, linesAlone, setLink, titleEntry } from './entry-text.ts'

export type { SummaryEntry } from './entry.ts'

/** The entries under one heading; `title` is null before the first heading and after a rule. */
export type SummaryGroup = {
  title: string | null
  anchor?: string
  entries: SummaryEntry[]
  /** The lines of the heading. */
  heading?: Range
  /** The lines of the rule that starts a group without a heading. */
  rule?: Range
  /** The lines from the heading, the rule or the first entry up to the next group. */
  range: Range
  /** The words of the heading, and its anchor with the spaces before it. */
  at?: { text: Range; anchor?: Range }
}

/** A parsed table of contents; `title` is the first-level heading before the groups. */
export type Summary = { source: string; title?: string; groups: SummaryGroup[]; issues: Issue[] }

/** The deepest level of entries. Deeper entries count as entries of this level. */
export const depthLimit = 64

type EntryNode = { entry: SummaryEntry; parent: EntryNode | null }
type Reading = {
  summary: Summary
  blocks: Block[]
  /** Entries by the indexes of their list items. */
  places: Map<number, EntryNode>
  /** The list items that are not entries because they are in a quote. */
  ignored: Set<number>
  /** The entries whose content has been read. */
  titled: Set<SummaryEntry>
  deep: boolean
}

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

function report(reading: Reading, message: string, line: number): void {
  reading.summary.issues.push({ message, line })
}

function currentGroup(reading: Reading, start: number): SummaryGroup {
  const { groups } = reading.summary
  if (groups.length === 0) groups.push({ title: null, entries: [], range: { start, end: start } })
  return groups.at(-1)!
}

function startEntry(reading: Reading, index: number, item: Block & Item): void {
  let around = item.item >= 0 ? mustGet(reading.places, item.item) : null
  if (around && around.entry.depth >= depthLimit) {
    if (!reading.deep)
      report(
        reading,
        `Entries deeper than ${depthLimit} levels are moved up to that level.`,
        item.line,
      )
    reading.deep = true
    around = around.parent
  }

  const holder = item.item >= 0 ? mustGet(reading.places, item.item).entry : null
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

function fillEntry(reading: Reading, entry: SummaryEntry, block: Block): void {
  const { source } = reading.summary
  if (entry.children.length === 0) entry.lines.end = Math.max(entry.lines.end, block.end)
  const first = !reading.titled.has(entry) && entry.children.length === 0
  reading.titled.add(entry)

  if (!first) {
    report(
      reading,
      'An entry is one line; other content of its list item is not shown.',
      block.line,
    )
    return
  }

  if (block.kind === 'paragraph' || block.kind === 'heading') {
    const notRead = titleEntry(source, entry, block.text)
    if (notRead) report(reading, notRead, block.line)
    if (block.kind === 'heading')
      report(reading, 'A heading in a list is read as plain text.', block.line)
    return
  }

  if (block.kind !== 'fence' || !/^ya?ml\b/i.test(block.info)) {
    report(
      reading,
      'This list item contains neither a link, nor text, nor a block of YAML.',
      block.line,
    )
    return
  }

  entry.kind = 'computed'
  entry.yaml = dedent(source, block.text, entry.at.contentColumn)
}

/** Reads the words of a group's heading, and its anchor. */
function readHeading(source: string, text: Range): Pick<SummaryGroup, 'title' | 'anchor' | 'at'> {
  const found = headingAnchor(source, text)
  if (found?.id === undefined)
    return { title: plainText(source, text.start, text.end), at: { text } }
  const { id, start, end } = found

  return {
    title: plainText(source, text.start, start),
    anchor: id,
    at: { text: { start: text.start, end: start }, anchor: { start, end } },
  }
}

/** Reads the lines of a paragraph: a link that is alone on its line is an entry. */
function readParagraph(reading: Reading, block: Block): void {
  const { source } = reading.summary
  for (const { lines, line, content: at, found, message } of linesAlone(source, block)) {
    if (!found) {
      report(reading, message, block.line + line)
      continue
    }
    const entry: SummaryEntry = {
      kind: 'text',
      title: '',
      depth: 1,
      children: [],
      lines,
      range: { ...lines },
      at: {
        marker: at,
        content: at,
        bullet: '',
        indent: 0,
        contentColumn: 0,
        shared: false,
      },
    }
    setLink(source, entry, found)
    currentGroup(reading, lines.start).entries.push(entry)
  }
}

function readTop(reading: Reading, block: Block): void {
  const { summary } = reading
  const lines = { start: block.start, end: block.end }
  if (block.kind === 'rule') {
    summary.groups.push({ title: null, entries: [], rule: lines, range: { ...lines } })
  } else if (block.kind !== 'heading') {
    if (block.kind === 'html' && summary.source.startsWith('<!--', block.text.start)) return
    if (block.kind === 'paragraph') readParagraph(reading, block)
    else report(reading, 'Text between the lists is not shown.', block.line)
  } else if (block.level === 2) {
    const heading = readHeading(summary.source, block.text)
    if (hasLink(summary.source, block.text))
      report(reading, 'The link of a heading is not followed.', block.line)
    summary.groups.push({ ...heading, entries: [], heading: lines, range: { ...lines } })
  } else if (block.level === 1 && summary.title === undefined && summary.groups.length === 0) {
    summary.title = plainText(summary.source, block.text.start, block.text.end)
  } else
    report(
      reading,
      'Only second-level headings start groups; this heading is not shown.',
      block.line,
    )
}

function entryAround(reading: Reading, item: number): SummaryEntry | undefined {
  let at = item
  while (at >= 0 && reading.ignored.has(at)) at = reading.blocks[at]!.item
  return reading.places.get(at)?.entry
}

function readBlock(reading: Reading, block: Block, index: number): void {
  if (block.kind === 'item') readItem(reading, block, index)
  else if (block.item === -1 && !block.quoted) readTop(reading, block)
  else readContent(reading, block)
}

function readItem(reading: Reading, item: Block & Item, index: number): void {
  if (!item.quoted && (item.item === -1 || reading.places.has(item.item))) {
    startEntry(reading, index, item)
    return
  }

  const isNested = item.item >= 0 && reading.ignored.has(item.item)
  reading.ignored.add(index)
  if (!isNested)
    report(reading, 'A list in a quote contains no entries; this item is not shown.', item.line)
}

/** Reads a block in a list item or a quote. */
function readContent(reading: Reading, block: Block): void {
  const entry = block.item >= 0 ? entryAround(reading, block.item) : undefined
  if (block.item >= 0 && reading.ignored.has(block.item)) {
    if (entry && entry.children.length === 0) entry.lines.end = Math.max(entry.lines.end, block.end)
  } else if (entry) fillEntry(reading, entry, block)
  else report(reading, 'Quoted text is not shown.', block.line)
}

/** Returns the offset behind front matter, which other tools write here. */
function bodyStart(source: string): number {
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
 * Parses a SUMMARY.md. Content that has no meaning here becomes an issue. Lists are read by the
 * rules of CommonMark. Linear in the length of the source. Throws 'too_large' beyond
 * `contentsSize`.
 */
export const parseSummary = (source: string): Summary => atOnce(summarySteps(source))

/** Parses a SUMMARY.md in steps; see `parseSummary`. */
export function* summarySteps(source: string): Steps<Summary> {
  const summary: Summary = { source, groups: [], issues: [] }
  const blocks = yield* blockSteps(source, bodyStart(source), contentsSize)
  const reading: Reading = {
    summary,
    blocks,
    places: new Map(),
    ignored: new Set(),
    titled: new Set(),
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
