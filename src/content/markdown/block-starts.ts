import { isBlank, type Line } from '../text/lines.ts'
import { htmlBlockStart } from './html.ts'
import { type SourceLimits, tooManyBlocks } from './limits.ts'

/** A list item. In columns, a tab reaches to the next multiple of four. */
export type Item = {
  kind: 'item'
  ordered: boolean
  bullet: string
  /** The offsets of the marker and of the content behind it. */
  marker: number
  content: number
  indent: number
  contentColumn: number
}

/** A block without children. */
type Leaf =
  | { kind: 'paragraph' | 'html' | 'code' | 'rule' }
  | { kind: 'heading'; level: number }
  | { kind: 'fence'; info: string; closed: boolean }

/**
 * A block of a Markdown file. `start` and `end` are whole lines, `text` is the content without
 * markers (for a fence, the lines inside). `item` is the index of the list item around it: -1 for
 * none, -2 for a quote.
 */
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

/** A position in a line. */
type Cursor = {
  source: string
  line: Line
  /** The column may be inside a tab at `pos`. */
  pos: number
  column: number
  /** The first character from `pos` on that is not a space or tab. */
  next: number
  nextColumn: number
}

/** The state of a scan: the open blocks and the position in the current line. */
export type Scan = Cursor & {
  blocks: Block[]
  stack: Container[]
  /** The indexes of the quotes in `stack`. */
  quotes: number[]
  leaf: Open | null
  number: number
  /** Marker characters already known not to form a thematic break on this line. */
  unruled: string
  /** The end of the last line that was not blank. */
  filled: number
  limits: SourceLimits
}

/**
 * Finds the next character that is not a space or tab. Returns true if the rest of the line is
 * blank.
 */
export function peek(scan: Cursor): boolean {
  let { pos, column } = scan
  for (; pos < scan.line.end; pos++) {
    const code = scan.source.charCodeAt(pos)
    if (code === 32) column++
    else if (code === 9) column += 4 - (column % 4)
    else break
  }

  scan.next = pos
  scan.nextColumn = column

  return pos >= scan.line.end
}

/** Advances by columns of spaces and tabs; part of a tab may be consumed. */
export function advance(scan: Cursor, columns: number): void {
  let left = columns
  while (left > 0 && scan.pos < scan.line.end) {
    const width = scan.source.charCodeAt(scan.pos) === 9 ? 4 - (scan.column % 4) : 1
    const step = Math.min(width, left)
    scan.column += step
    left -= step
    if (step === width) scan.pos++
  }
}

/** Advances past the marker of a quote and one space. */
export function skipQuoteMark(scan: Cursor): void {
  scan.pos = scan.next + 1
  scan.column = scan.nextColumn + 1
  const code = scan.source.charCodeAt(scan.pos)
  if (scan.pos < scan.line.end && (code === 32 || code === 9)) advance(scan, 1)
}

/** Closes the open leaf. */
export function closeLeaf(scan: Scan): void {
  scan.leaf = null
}

/** Closes the containers beyond a depth, and the leaf in them. */
export function closeTo(scan: Scan, depth: number): void {
  if (scan.stack.length <= depth) return
  closeLeaf(scan)
  while (scan.stack.length > depth) {
    const container = scan.stack.pop()!
    if (container.quote) scan.quotes.pop()
    else
      scan.blocks[container.block]!.end = Math.max(scan.filled, scan.blocks[container.block]!.end)
  }
}

function add(scan: Scan, block: Item | Leaf, start: number, end: number): number {
  if (scan.blocks.length >= scan.limits.blocks) throw tooManyBlocks(scan.limits)
  const top = scan.stack.at(-1)
  if (top) top.empty = false

  // The fields are set one by one: copying the object would take most of the time for a long file.
  const placed = block as Block

  placed.start = scan.line.start
  placed.end = scan.line.next
  placed.text = { start, end }
  placed.line = scan.number
  placed.item = top ? (top.quote ? -2 : top.block) : -1
  placed.quoted = scan.quotes.length > 0
  scan.blocks.push(placed)

  return scan.blocks.length - 1
}

/** Opens a leaf that further lines may continue. */
export function openLeaf(
  scan: Scan,
  block: Leaf,
  start: number,
  end: number,
  more?: Partial<Open>,
): void {
  const at = add(scan, block, start, end)
  scan.leaf = { block: at, end: null, fence: '', depth: scan.stack.length, ...more }
}

const atx = /^(#{1,6})(?:[ \t]+|$)/
const fenceStart = /^(`{3,}(?!.*`)|~{3,})/
const rule = /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/
const setext = /^(=+|-+)[ \t]*$/
const marker = /^(?:[*+-]|(\d{1,9})[.)])(?=[ \t]|$)/

/** Returns the end of a part of a source without its trailing spaces and tabs. */
export function trimEnd(source: string, start: number, end: number): number {
  let at = end
  while (at > start && (source[at - 1] === ' ' || source[at - 1] === '\t')) at--
  return at
}

function addHeading(scan: Scan, opening: RegExpExecArray): void {
  const start = scan.next + opening[0].length
  let end = trimEnd(scan.source, start, scan.line.end)
  let hashes = end
  while (hashes > start && scan.source[hashes - 1] === '#') hashes--
  const before = scan.source[hashes - 1]
  if (hashes === start || before === ' ' || before === '\t')
    end = trimEnd(scan.source, start, hashes)
  add(scan, { kind: 'heading', level: opening[1]!.length }, start, end)
}

function underline(scan: Scan, level: number): void {
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

function openItem(scan: Scan, found: RegExpExecArray): void {
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

function endTo(scan: Scan, depth: number): void {
  closeTo(scan, depth)
  closeLeaf(scan)
}

function isRule(scan: Scan, rest: string): boolean {
  if (scan.unruled.includes(rest[0]!)) return false
  if (rule.test(rest)) return true
  scan.unruled += rest[0]
  return false
}

/**
 * The context in which a block may start: the depth of the containers that the line continues,
 * whether it may end a paragraph, and whether it may be a lazy continuation of one.
 */
type Context = { depth: number; inParagraph: boolean; lazy: boolean }

/**
 * 'container': the rest of the line is content of the block; 'done': the line is finished; null: no
 * block starts.
 */
type Started = 'container' | 'done' | null

function startQuote(scan: Scan, depth: number): Started {
  endTo(scan, depth)
  skipQuoteMark(scan)
  if (scan.stack.length > 0) scan.stack.at(-1)!.empty = false
  scan.quotes.push(scan.stack.length)
  scan.stack.push({ quote: true, width: 0, block: -1, empty: false })
  return 'container'
}

function startHeading(scan: Scan, rest: string, { depth }: Context): Started {
  const opening = atx.exec(rest)
  if (!opening) return null
  endTo(scan, depth)
  addHeading(scan, opening)
  return 'done'
}

function startFence(scan: Scan, rest: string, { depth }: Context): Started {
  const [fence] = fenceStart.exec(rest) ?? []
  if (fence === undefined) return null
  endTo(scan, depth)
  const info = rest.slice(fence.length).trim()
  openLeaf(scan, { kind: 'fence', info, closed: false }, scan.line.next, scan.line.next, { fence })
  return 'done'
}

function startHtml(scan: Scan, rest: string, { depth, inParagraph, lazy }: Context): Started {
  const html = htmlBlockStart(rest, inParagraph || lazy)
  if (!html) return null
  endTo(scan, depth)
  openLeaf(scan, { kind: 'html' }, scan.next, scan.line.end, { end: html.end })
  if (html.end?.test(rest)) closeLeaf(scan)
  return 'done'
}

/** Starts an underlined heading, a rule or a list item. */
function startOther(scan: Scan, rest: string, { depth, inParagraph }: Context): Started {
  if (inParagraph && setext.test(rest)) {
    underline(scan, rest[0] === '=' ? 1 : 2)
    return 'done'
  }

  if (isRule(scan, rest)) {
    endTo(scan, depth)
    add(scan, { kind: 'rule' }, scan.next, scan.line.end)
    return 'done'
  }

  const item = marker.exec(rest)
  if (!item || (inParagraph && !mayInterrupt(scan, item))) return null
  endTo(scan, depth)
  openItem(scan, item)

  return 'container'
}

/**
 * Reports whether a list item may interrupt a paragraph: it is not empty, and its number is 1 if it
 * has one.
 */
function mayInterrupt(scan: Scan, [whole, number]: RegExpExecArray): boolean {
  const isEmpty = isBlank(scan.source, scan.next + whole.length, scan.line.end)
  return !isEmpty && (number === undefined || Number(number) === 1)
}

type Start = (scan: Scan, rest: string, context: Context) => Started

const starts: Readonly<Record<string, Start>> = {
  '#': startHeading,
  '`': startFence,
  '~': startFence,
  '<': startHtml,
}

/** Tries to start a block at `next`. */
export function begin(scan: Scan, context: Context): Started {
  const char = scan.source[scan.next]!
  if (char === '>') return startQuote(scan, context.depth)
  if (!/[#`~<=*_+0-9-]/.test(char)) return null
  const rest = scan.source.slice(scan.next, scan.line.end)
  return (starts[char] ?? startOther)(scan, rest, context)
}
