import { isBlank } from '../text/lines.ts'
import { advance, peek, skipQuoteMark } from './block-lines.ts'
import {
  add,
  type Context,
  closeLeaf,
  endTo,
  type Item,
  openLeaf,
  type Scan,
  type Start,
  type Started,
  trimEnd,
} from './block-scan.ts'
import { startComponent, startFenced, startIndented } from './container-starts.ts'
import { isContentsLine, isModuleLine } from './containers.ts'
import { htmlBlockStart } from './html.ts'

const atx = /^(#{1,6})(?:[ \t]+|$)/
const fenceStart = /^(`{3,}(?!.*`)|~{3,})/
const rule = /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/
const setext = /^(=+|-+)[ \t]*$/
const marker = /^(?:[*+-]|(\d{1,9})[.)])(?=[ \t]|$)/

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

function isRule(scan: Scan, rest: string): boolean {
  if (scan.unruled.includes(rest[0]!)) return false
  if (rule.test(rest)) return true
  scan.unruled += rest[0]
  return false
}

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

function startHtml(scan: Scan, rest: string, context: Context): Started {
  const component = startComponent(scan, rest, context)
  if (component) return component
  const { depth, inParagraph, lazy } = context
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

/** Leaves out a line that shows nothing. */
function skipLine(scan: Scan, rest: string, { depth, inParagraph, lazy }: Context): Started {
  if (inParagraph || lazy || !(isContentsLine(rest) || (scan.mdx && isModuleLine(rest))))
    return null
  endTo(scan, depth)
  return 'done'
}

const starts: Readonly<Record<string, Start>> = {
  '#': startHeading,
  '`': startFence,
  '~': startFence,
  '<': startHtml,
  ':': startFenced,
  '!': startIndented,
  '?': startIndented,
  '=': (scan, rest, context) =>
    startIndented(scan, rest, context) ?? startOther(scan, rest, context),
  '[': skipLine,
  '{': skipLine,
  i: skipLine,
}

/** Starts a block at `next` if one begins there. */
export function begin(scan: Scan, context: Context): Started {
  const char = scan.source[scan.next]!
  if (char === '>') return startQuote(scan, context.depth)
  if (!/[#`~<=*_+0-9:!?[{i-]/.test(char)) return null
  const rest = scan.source.slice(scan.next, scan.line.end)
  return (starts[char] ?? startOther)(scan, rest, context)
}
