import { isBlank } from '../text/lines.ts'
import {
  advance,
  type Lines,
  matchContainers,
  nextLine,
  peek,
  skipQuoteMark,
} from './block-lines.ts'
import {
  type ContainerLine,
  deepestIndented,
  fencedLine,
  indentation,
  indentedLine,
  isContentsLine,
  isFencedEnd,
  isModuleLine,
} from './containers.ts'
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
  | { kind: 'html' | 'code' | 'rule' }
  | { kind: 'paragraph'; titleOf?: 'hint' | 'details' | 'tab' }
  | { kind: 'heading'; level: number }
  | { kind: 'fence'; info: string; closed: boolean }

/**
 * A block of a Markdown file. `start` and `end` are whole lines, `text` is the content without
 * markers (for a fence, the lines inside). `item` is the index of the list item around it: -1 for
 * none, -2 for a quote, a hint, details or a tab.
 */
export type Block = (Item | Leaf) & {
  start: number
  end: number
  text: { start: number; end: number }
  line: number
  item: number
  quoted: boolean
}

type Open = { block: number; end: RegExp | null; fence: string; depth: number }

/** The state of a scan: the open blocks and the position in the current line. */
export type Scan = Lines & {
  blocks: Block[]
  /** The indexes of the containers with an indented content in `stack`. */
  indented: number[]
  /** The number of containers that lines of colons opened. */
  fenced: number
  leaf: Open | null
  number: number
  /** Marker characters already known not to form a thematic break on this line. */
  unruled: string
  /** The end of the last line that was not blank. */
  filled: number
  limits: SourceLimits
  /** Lines that import components show nothing. */
  mdx: boolean
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
    if (container.kind === 'quote') scan.quotes.pop()
    else if (container.kind === 'indented') scan.indented.pop()
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
  placed.item = top?.block ?? (scan.fenced > 0 ? -2 : -1)
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

  scan.stack.push({ kind: 'item', width: indent + width + padding, block, empty: true })
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
  scan.stack.push({ kind: 'quote', width: 0, block: -2, empty: false })
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

/** Adds the title of a container; its line alone shows nothing. */
function addTitle(scan: Scan, { kind, title }: ContainerLine): void {
  if (scan.stack.length > 0) scan.stack.at(-1)!.empty = false
  if (kind === 'code-group' || title.start === title.end) return
  const at = scan.next
  add(scan, { kind: 'paragraph', titleOf: kind }, at + title.start, at + title.end)
}

/** Starts or ends a container with lines of colons. */
function startFenced(scan: Scan, rest: string, { depth }: Context): Started {
  const found = fencedLine(rest)
  const ends = !found && scan.fenced > 0 && isFencedEnd(rest)
  if (!found && !ends) return null
  endTo(scan, depth)
  if (found) addTitle(scan, found)
  scan.fenced += found ? 1 : -1
  return 'done'
}

/** Starts a container with an indented content, or another block that begins with such a sign. */
function startIndented(scan: Scan, rest: string, context: Context): Started {
  const { depth } = context
  const found = indentedLine(rest)
  const isDeep = scan.indented.filter(at => at < depth).length >= deepestIndented
  if (!found || isDeep || (found.mayBeText && !hasIndented(scan, depth)))
    return rest[0] === '=' ? startOther(scan, rest, context) : null
  endTo(scan, depth)
  addTitle(scan, found)
  scan.indented.push(scan.stack.length)
  scan.stack.push({ kind: 'indented', width: indentation, block: -2, empty: false })
  return 'done'
}

/** Reports whether the next line that is not blank is indented below the current one. */
function hasIndented(scan: Scan, depth: number): boolean {
  const { source, stack } = scan
  const containers = stack.slice(0, depth).map(each => ({ ...each, empty: false }))
  const cursor = { ...scan, stack: containers }
  while (cursor.line.next < source.length) {
    nextLine(cursor)
    const matched = matchContainers(cursor)
    if (matched < depth) return false
    if (!peek(cursor)) return cursor.nextColumn - cursor.column >= indentation
  }
  return false
}

/** Leaves out a line that shows nothing. */
function skipLine(scan: Scan, rest: string, { depth, inParagraph, lazy }: Context): Started {
  if (inParagraph || lazy || !(isContentsLine(rest) || (scan.mdx && isModuleLine(rest))))
    return null
  endTo(scan, depth)
  return 'done'
}

type Start = (scan: Scan, rest: string, context: Context) => Started

const starts: Readonly<Record<string, Start>> = {
  '#': startHeading,
  '`': startFence,
  '~': startFence,
  '<': startHtml,
  ':': startFenced,
  '!': startIndented,
  '?': startIndented,
  '=': startIndented,
  '[': skipLine,
  '{': skipLine,
  i: skipLine,
}

/** Tries to start a block at `next`. */
export function begin(scan: Scan, context: Context): Started {
  const char = scan.source[scan.next]!
  if (char === '>') return startQuote(scan, context.depth)
  if (!/[#`~<=*_+0-9:!?[{i-]/.test(char)) return null
  const rest = scan.source.slice(scan.next, scan.line.end)
  return (starts[char] ?? startOther)(scan, rest, context)
}
