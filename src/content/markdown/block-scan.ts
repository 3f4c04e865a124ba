import type { Lines } from './block-lines.ts'
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

/**
 * The open leaf. `tag`: of the tag of a component, where it ends, and the width of the content
 * below it if that is a container of its own.
 */
type Open = {
  block: number
  end: RegExp | null
  fence: string
  depth: number
  tag?: { end: number; width: number }
}

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

/** Adds a block, and returns its index. */
export function add(scan: Scan, block: Item | Leaf, start: number, end: number): number {
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

/** Closes the open leaf, and the containers beyond a depth. */
export function endTo(scan: Scan, depth: number): void {
  closeTo(scan, depth)
  closeLeaf(scan)
}

/**
 * The context in which a block may start: the depth of the containers that the line continues,
 * whether it may end a paragraph, and whether it may be a lazy continuation of one.
 */
export type Context = { depth: number; inParagraph: boolean; lazy: boolean }

/**
 * 'container': the rest of the line is content of the block; 'done': the line is finished; null: no
 * block starts.
 */
export type Started = 'container' | 'done' | null

/** Tries to start a block at `next`. */
export type Start = (scan: Scan, rest: string, context: Context) => Started

/** Returns the end of a part of a source without its trailing spaces and tabs. */
export function trimEnd(source: string, start: number, end: number): number {
  let at = end
  while (at > start && (source[at - 1] === ' ' || source[at - 1] === '\t')) at--
  return at
}
