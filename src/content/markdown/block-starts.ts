import { isBlank } from '../text/lines.ts'
import { advance, type Cursor, peek, skipQuoteMark } from './cursor.ts'
import { htmlBlockStart } from './html.ts'
import { type SourceLimits, tooManyBlocks } from './limits.ts'

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

/** How far the reading of a file has come: open blocks and the current line. */
export type Scan = Cursor & {
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
  limits: SourceLimits
}

/** Ends the open leaf. */
export const closeLeaf = (scan: Scan): void => {
  scan.leaf = null
}

/** Ends the containers beyond a depth, and the leaf in them. */
export const closeTo = (scan: Scan, depth: number): void => {
  if (scan.stack.length <= depth) return
  closeLeaf(scan)
  while (scan.stack.length > depth) {
    const container = scan.stack.pop()!
    if (container.quote) scan.quotes.pop()
    else scan.blocks[container.block]!.end = Math.max(scan.filled, scan.blocks[container.block]!.end)
  }
}

const add = (scan: Scan, block: Item | Leaf, start: number, end: number): number => {
  if (scan.blocks.length >= scan.limits.blocks) throw tooManyBlocks(scan.limits)
  const top = scan.stack.at(-1)
  if (top) top.empty = false
  // Set one by one on the object that was made for this: copying takes most of the time of a long file.
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

/** Begins a leaf that further lines may belong to. */
export const openLeaf = (scan: Scan, block: Leaf, start: number, end: number, more?: Partial<Open>): void => {
  const at = add(scan, block, start, end)
  scan.leaf = { block: at, end: null, fence: '', depth: scan.stack.length, ...more }
}

const atx = /^(#{1,6})(?:[ \t]+|$)/
const fenceStart = /^(`{3,}(?!.*`)|~{3,})/
const rule = /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/
const setext = /^(=+|-+)[ \t]*$/
const marker = /^(?:[*+-]|(\d{1,9})[.)])(?=[ \t]|$)/

/** Gives where a stretch ends without the blanks at its end. */
export const trimEnd = (source: string, start: number, end: number): number => {
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

const endTo = (scan: Scan, depth: number): void => {
  closeTo(scan, depth)
  closeLeaf(scan)
}

const isRule = (scan: Scan, rest: string): boolean => {
  if (scan.unruled.includes(rest[0]!)) return false
  if (rule.test(rest)) return true
  scan.unruled += rest[0]
  return false
}

/** Tries to begin a block at `next`; says whether the rest of the line is still to be read, or is done with. */
export const begin = (
  scan: Scan,
  depth: number,
  inParagraph: boolean,
  lazy: boolean,
): 'container' | 'done' | null => {
  const rest = scan.source.slice(scan.next, scan.line.end)
  if (rest[0] === '>') {
    endTo(scan, depth)
    skipQuoteMark(scan)
    if (scan.stack.length > 0) scan.stack.at(-1)!.empty = false
    scan.quotes.push(scan.stack.length)
    scan.stack.push({ quote: true, width: 0, block: -1, empty: false })
    return 'container'
  }
  const char = rest[0]!
  if (!/[#`~<=*_+0-9-]/.test(char)) return null
  const heading = char === '#' ? atx.exec(rest) : null
  if (heading) {
    endTo(scan, depth)
    addHeading(scan, heading)
    return 'done'
  }
  const fence = char === '`' || char === '~' ? fenceStart.exec(rest) : null
  if (fence) {
    endTo(scan, depth)
    const info = rest.slice(fence[0].length).trim()
    openLeaf(scan, { kind: 'fence', info, closed: false }, scan.line.next, scan.line.next, {
      fence: fence[0],
    })
    return 'done'
  }
  const html = char === '<' ? htmlBlockStart(rest, inParagraph || lazy) : null
  if (html) {
    endTo(scan, depth)
    openLeaf(scan, { kind: 'html' }, scan.next, scan.line.end, { end: html.end })
    if (html.end?.test(rest)) closeLeaf(scan)
    return 'done'
  }
  if (inParagraph && (char === '=' || char === '-') && setext.test(rest)) {
    underline(scan, rest[0] === '=' ? 1 : 2)
    return 'done'
  }
  if (isRule(scan, rest)) {
    endTo(scan, depth)
    add(scan, { kind: 'rule' }, scan.next, scan.line.end)
    return 'done'
  }
  const item = marker.exec(rest)
  if (!item) return null
  const bare = isBlank(scan.source, scan.next + item[0].length, scan.line.end)
  if (inParagraph && (bare || (item[1] !== undefined && Number(item[1]) !== 1))) return null
  endTo(scan, depth)
  openItem(scan, item)
  return 'container'
}
