import { atOnce, type Steps } from '../../lib/slices.ts'
import { isBlank, lineAt } from '../text/lines.ts'
import { matchContainers, nextLine, peek } from './block-lines.ts'
import { type Block, closeLeaf, closeTo, openLeaf, type Scan, trimEnd } from './block-scan.ts'
import { begin } from './block-starts.ts'
import { endComponentTag } from './container-starts.ts'
import { splitFrontMatter } from './front-matter.ts'
import { checkMarks, pageSize } from './limits.ts'
import { showsNothing } from './shows-nothing.ts'

export type { Block, Item } from './block-scan.ts'

/** Continues a fence, an HTML block or indented code. Returns whether the line belongs to it. */
function continueLeaf(scan: Scan, blank: boolean): boolean {
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
    const closing =
      indent < 4 && rest.length >= fence.length && rest === fence[0]!.repeat(rest.length)

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
    else endComponentTag(scan)
    return true
  }

  if (blank) return true

  return indent >= 4 ? take() : false
}

const inParagraph = (scan: Scan): boolean =>
  scan.leaf !== null && scan.blocks[scan.leaf.block]!.kind === 'paragraph'

function readLine(scan: Scan): void {
  const matched = matchContainers(scan)
  // The content of these containers has no lazy lines.
  if ((scan.indented.at(-1) ?? -1) >= matched) closeTo(scan, matched)
  const all = matched === scan.stack.length
  if (scan.leaf && !inParagraph(scan) && all && continueLeaf(scan, peek(scan))) return
  if (!inParagraph(scan)) closeLeaf(scan)

  const started = startBlocks(scan, matched)
  if (started === 'done') return

  const blank = peek(scan)

  if (started === 'none' && !blank && inParagraph(scan)) {
    continueParagraph(scan)
    return
  }

  closeTo(scan, started === 'some' ? scan.stack.length : matched)
  if (blank) closeLeaf(scan)
  else openText(scan)
}

/**
 * Starts the blocks of a line that continues `matched` containers. 'done': nothing of the line is
 * left.
 */
function startBlocks(scan: Scan, matched: number): 'none' | 'some' | 'done' {
  let all = matched === scan.stack.length
  let depth = matched
  const lazy = inParagraph(scan) && !all
  let opened = false

  while (!peek(scan) && scan.nextColumn - scan.column < 4) {
    const begun = begin(scan, {
      depth,
      inParagraph: all && inParagraph(scan),
      lazy: lazy && !opened,
    })
    if (begun === 'done') return 'done'
    if (begun === null) break
    opened = true
    all = true
    depth = scan.stack.length
  }

  return opened ? 'some' : 'none'
}

function continueParagraph(scan: Scan): void {
  const block = scan.blocks[scan.leaf!.block]!
  block.end = scan.line.next
  block.text.end = trimEnd(scan.source, block.text.start, scan.line.end)
}

/** Opens a paragraph or indented code. */
function openText(scan: Scan): void {
  const kind = scan.nextColumn - scan.column >= 4 ? 'code' : 'paragraph'
  openLeaf(scan, { kind }, scan.next, trimEnd(scan.source, scan.next, scan.line.end))
}

function openScan(source: string, from: number, limits = pageSize): Scan {
  const scan: Scan = {
    source,
    blocks: [],
    stack: [],
    quotes: [],
    indented: [],
    fenced: 0,
    leaf: null,
    line: { start: from, end: from, next: from },
    number: 0,
    unruled: '',
    pos: 0,
    column: 0,
    next: 0,
    nextColumn: 0,
    filled: from,
    limits,
    mdx: false,
  }

  for (let at = 0; at < from; scan.number++) at = lineAt(source, at).next
  return scan
}

function scanLine(scan: Scan): void {
  nextLine(scan)
  scan.number++
  scan.unruled = ''
  readLine(scan)
  const { start, end, next } = scan.line
  if (!isBlank(scan.source, start, end)) scan.filled = next
}

/**
 * Returns the blocks of a Markdown source from the offset `from` on, in order and by the rules of
 * CommonMark; a list item precedes its content. Linear in the source. Throws 'too_large' for a
 * source with more blocks or marks than a page may have.
 */
export const scanBlocks = (source: string, from = 0): Block[] => atOnce(blockSteps(source, from))

/**
 * Returns the first block from the offset `from` on that shows something, and reads no further than
 * its end; undefined if there is none. `mdx`: lines that import components are no blocks.
 */
export function firstShown(source: string, from: number, mdx = false): Block | undefined {
  const scan = openScan(source, from)
  scan.mdx = mdx
  let at = 0
  const passHidden = (to: number) => {
    while (at < to && showsNothing(source, scan.blocks[at] as Block)) at++
    return at < to
  }

  // The last block ends with its leaf.
  while (scan.line.next < source.length) {
    scanLine(scan)
    if (passHidden(scan.blocks.length - (scan.leaf ? 1 : 0))) break
  }
  closeTo(scan, 0)
  passHidden(scan.blocks.length)
  return scan.blocks[at]
}

/**
 * Returns the blocks of a source, in steps. Throws 'too_large' for a source with more blocks or
 * marks than `limits` allow. `mdx`: lines that import components are no blocks.
 */
export function* blockSteps(
  source: string,
  from: number,
  limits = pageSize,
  mdx = false,
): Steps<Block[]> {
  const scan = openScan(source, from, limits)
  scan.mdx = mdx
  for (let read = 0; scan.line.next < source.length; read++) {
    scanLine(scan)
    if (read % 512 === 511) yield
  }
  closeTo(scan, 0)
  yield* checkMarks(source, scan.blocks, limits)
  return scan.blocks
}

/**
 * Throws 'too_large' for a page that is too large to be parsed. Returns at once for a short page.
 */
export function* checkPage(markdown: string): Steps<void> {
  if (markdown.length > pageSize.blocks)
    yield* blockSteps(markdown, splitFrontMatter(markdown).body)
}
