import { advance, type Cursor, peek, skipQuoteMark } from './markdown-cursor.ts'
import { htmlBlockStart } from './markdown-html.ts'
import { isBlank, lineAt } from './markdown-lines.ts'

/** A list item. Columns count a tab to the next multiple of four. */
export type Item = {
  kind: 'item'
  ordered: boolean
  bullet: string
  /** Where the marker stands, and where what follows it begins. */
  marker: number
  content: number
  indent: number
  contentColumn: number
}

/** A leaf: `text` is what is inside, without the marks (of a fence: its lines). */
export type Leaf =
  | { kind: 'paragraph' | 'html' | 'code' | 'rule' }
  | { kind: 'heading'; level: number }
  | { kind: 'fence'; info: string; closed: boolean }

/** A block of a Markdown file: `start` and `end` are whole lines, `item` the index of the list item around it. */
export type Block = (Item | Leaf) & {
  start: number
  end: number
  text: { start: number; end: number }
  line: number
  item: number
  quoted: boolean
}

type Container = { quote: boolean; width: number; block: number; empty: boolean }
type Open = { block: number; end: RegExp | null; fence: string; depth: number }

type Scan = Cursor & {
  blocks: Block[]
  stack: Container[]
  /** The places of the quotes in `stack`. */
  quotes: number[]
  leaf: Open | null
  number: number
  /** Characters of which no rule can be made from the rest of the line. */
  unruled: string
  /** The end of the last line that was not blank. */
  filled: number
}

/** Gives how many of the open containers the line goes on with. */
const matchContainers = (scan: Scan): number => {
  let quote = 0
  let blank = peek(scan)
  for (let at = 0; at < scan.stack.length; at++) {
    const container = scan.stack[at]!
    if (container.quote) {
      if (blank || scan.nextColumn - scan.column > 3 || scan.source[scan.next] !== '>') return at
      skipQuoteMark(scan)
      blank = peek(scan)
      quote++
    } else if (blank) {
      // A blank line stays in every item, so that only a quote can end the run.
      const last = scan.quotes[quote] ?? scan.stack.length
      return last === scan.stack.length && scan.stack[last - 1]!.empty ? last - 1 : last
    } else if (scan.nextColumn - scan.column >= container.width) advance(scan, container.width)
    else return at
  }
  return scan.stack.length
}

const closeLeaf = (scan: Scan): void => {
  scan.leaf = null
}

const closeTo = (scan: Scan, depth: number): void => {
  if (scan.stack.length <= depth) return
  closeLeaf(scan)
  while (scan.stack.length > depth) {
    const container = scan.stack.pop()!
    if (container.quote) scan.quotes.pop()
    else scan.blocks[container.block]!.end = Math.max(scan.filled, scan.blocks[container.block]!.end)
  }
}

const enclosing = (scan: Scan): { item: number; quoted: boolean } => {
  const top = scan.stack.at(-1)
  const item = top ? (top.quote ? -2 : top.block) : -1
  return { item, quoted: scan.quotes.length > 0 }
}

const add = (scan: Scan, block: Item | Leaf, start: number, end: number): number => {
  const top = scan.stack.at(-1)
  if (top) top.empty = false
  const { item, quoted } = enclosing(scan)
  const at = {
    start: scan.line.start,
    end: scan.line.next,
    text: { start, end },
    line: scan.number,
    item,
    quoted,
  }
  scan.blocks.push({ ...block, ...at })
  return scan.blocks.length - 1
}

const openLeaf = (scan: Scan, block: Leaf, start: number, end: number, more?: Partial<Open>): void => {
  const at = add(scan, block, start, end)
  scan.leaf = { block: at, end: null, fence: '', depth: scan.stack.length, ...more }
}

const atx = /^(#{1,6})(?:[ \t]+|$)/
const fenceStart = /^(`{3,}(?!.*`)|~{3,})/
const rule = /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/
const setext = /^(=+|-+)[ \t]*$/
const marker = /^(?:[*+-]|(\d{1,9})[.)])(?=[ \t]|$)/

const trimEnd = (source: string, start: number, end: number): number => {
  let at = end
  while (at > start && (source[at - 1] === ' ' || source[at - 1] === '\t')) at--
  return at
}

const addHeading = (scan: Scan, opening: RegExpExecArray): void => {
  const start = scan.next + opening[0].length
  let end = trimEnd(scan.source, start, scan.line.end)
  let hashes = end
  while (hashes > start && scan.source[hashes - 1] === '#') hashes--
  const before = scan.source[hashes - 1]
  if (hashes === start || before === ' ' || before === '\t') end = trimEnd(scan.source, start, hashes)
  add(scan, { kind: 'heading', level: opening[1]!.length }, start, end)
}

const underline = (scan: Scan, level: number): void => {
  const block = scan.blocks[scan.leaf!.block]!
  const { start, line, item, quoted, text } = block
  scan.blocks[scan.leaf!.block] = {
    kind: 'heading',
    level,
    start,
    end: scan.line.next,
    text,
    line,
    item,
    quoted,
  }
  closeLeaf(scan)
}

const openItem = (scan: Scan, found: RegExpExecArray): void => {
  const indent = scan.nextColumn - scan.column
  const at = scan.next
  const width = found[0].length
  const markerColumn = scan.nextColumn
  scan.pos = at + width
  scan.column = markerColumn + width
  const blank = peek(scan)
  const gap = scan.nextColumn - scan.column
  const padding = blank || gap > 4 ? 1 : gap
  const content = blank ? scan.pos : scan.next
  advance(scan, padding)
  const item: Item = {
    kind: 'item',
    ordered: found[1] !== undefined,
    bullet: found[0],
    marker: at,
    content,
    indent: markerColumn,
    contentColumn: markerColumn + width + padding,
  }
  const block = add(scan, item, content, scan.line.end)
  scan.stack.push({ quote: false, width: indent + width + padding, block, empty: true })
}

const isRule = (scan: Scan, rest: string): boolean => {
  if (scan.unruled.includes(rest[0]!)) return false
  if (rule.test(rest)) return true
  scan.unruled += rest[0]
  return false
}

/** Tries to begin a block at `next`; says whether the rest of the line is still to be read, or is done with. */
const begin = (
  scan: Scan,
  depth: number,
  inParagraph: boolean,
  lazy: boolean,
): 'container' | 'done' | null => {
  const rest = scan.source.slice(scan.next, scan.line.end)
  const close = () => {
    closeTo(scan, depth)
    closeLeaf(scan)
  }
  if (rest[0] === '>') {
    close()
    skipQuoteMark(scan)
    if (scan.stack.length > 0) scan.stack.at(-1)!.empty = false
    scan.quotes.push(scan.stack.length)
    scan.stack.push({ quote: true, width: 0, block: -1, empty: false })
    return 'container'
  }
  const heading = atx.exec(rest)
  if (heading) {
    close()
    addHeading(scan, heading)
    return 'done'
  }
  const fence = fenceStart.exec(rest)
  if (fence) {
    close()
    const info = rest.slice(fence[0].length).trim()
    openLeaf(scan, { kind: 'fence', info, closed: false }, scan.line.next, scan.line.next, {
      fence: fence[0],
    })
    return 'done'
  }
  const html = htmlBlockStart(rest, inParagraph || lazy)
  if (html) {
    close()
    openLeaf(scan, { kind: 'html' }, scan.next, scan.line.end, { end: html.end })
    if (html.end?.test(rest)) closeLeaf(scan)
    return 'done'
  }
  if (inParagraph && setext.test(rest)) {
    underline(scan, rest[0] === '=' ? 1 : 2)
    return 'done'
  }
  if (isRule(scan, rest)) {
    close()
    add(scan, { kind: 'rule' }, scan.next, scan.line.end)
    return 'done'
  }
  const item = marker.exec(rest)
  if (!item) return null
  const bare = isBlank(scan.source, scan.next + item[0].length, scan.line.end)
  if (inParagraph && (bare || (item[1] !== undefined && Number(item[1]) !== 1))) return null
  close()
  openItem(scan, item)
  return 'container'
}

/** Goes on with a fence, an HTML block or indented code; says whether the line was theirs. */
const continueLeaf = (scan: Scan, blank: boolean): boolean => {
  const { block: index, fence, end } = scan.leaf!
  const block = scan.blocks[index]!
  const indent = scan.nextColumn - scan.column
  const take = () => {
    block.end = scan.line.next
    block.text.end = scan.line.end
    return true
  }
  if (block.kind === 'fence') {
    block.end = scan.line.next
    const rest = scan.source.slice(scan.next, scan.line.end).trimEnd()
    const closing = indent < 4 && rest.length >= fence.length && rest === fence[0]!.repeat(rest.length)
    if (!closing) block.text.end = scan.line.next
    else {
      block.closed = true
      closeLeaf(scan)
    }
    return true
  }
  if (block.kind === 'html') {
    if (end === null && blank) return false
    take()
    if (end?.test(scan.source.slice(scan.pos, scan.line.end))) closeLeaf(scan)
    return true
  }
  if (blank) return true
  return indent >= 4 ? take() : false
}

const readLine = (scan: Scan): void => {
  const matched = matchContainers(scan)
  const paragraph = () => scan.leaf !== null && scan.blocks[scan.leaf.block]!.kind === 'paragraph'
  let all = matched === scan.stack.length
  let blank = peek(scan)
  if (scan.leaf && !paragraph() && all && continueLeaf(scan, blank)) return
  if (!paragraph()) closeLeaf(scan)
  let depth = matched
  const lazy = paragraph() && !all
  let opened = false
  while (!blank && scan.nextColumn - scan.column < 4) {
    const begun = begin(scan, depth, all && paragraph(), lazy && !opened)
    if (begun === 'done') return
    if (begun === null) break
    opened = true
    all = true
    depth = scan.stack.length
    blank = peek(scan)
  }
  if (!blank && paragraph() && !opened) {
    const block = scan.blocks[scan.leaf!.block]!
    block.end = scan.line.next
    block.text.end = trimEnd(scan.source, block.text.start, scan.line.end)
    return
  }
  closeTo(scan, depth)
  if (blank) {
    closeLeaf(scan)
    return
  }
  const kind = scan.nextColumn - scan.column >= 4 ? 'code' : 'paragraph'
  openLeaf(scan, { kind }, scan.next, trimEnd(scan.source, scan.next, scan.line.end))
}

/**
 * Gives the blocks of a Markdown source in order, as CommonMark has them: list items before what is in them.
 * Reads from the offset `from`, and no further than the first leaf when `first` is set. Linear in the source.
 */
export const scanBlocks = (source: string, from = 0, first = false): Block[] => {
  const scan: Scan = {
    source,
    blocks: [],
    stack: [],
    quotes: [],
    leaf: null,
    line: { start: from, end: from, next: from },
    number: 0,
    unruled: '',
    pos: 0,
    column: 0,
    next: 0,
    nextColumn: 0,
    filled: from,
  }
  for (let at = 0; at < from; scan.number++) at = lineAt(source, at).next
  while (scan.line.next < source.length) {
    const line = lineAt(source, scan.line.next)
    scan.line = line
    scan.number++
    scan.pos = scan.line.start
    scan.column = 0
    scan.unruled = ''
    if (scan.pos === 0 && source.charCodeAt(0) === 0xfeff) scan.pos = 1
    readLine(scan)
    if (!isBlank(source, line.start, line.end)) scan.filled = scan.line.next
    if (first && scan.leaf === null && scan.blocks.some(block => block.kind !== 'item')) break
  }
  closeTo(scan, 0)
  return scan.blocks
}
