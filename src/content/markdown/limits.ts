import { Fault } from '../../errors.ts'
import type { Steps } from '../../lib/slices.ts'

/**
 * Limits for parsing a Markdown file. The memory for parsing grows with these counts, not with the
 * size of the file. `marks` are the characters that begin links, images, HTML, inline code, table
 * cells and tags.
 */
export type SourceLimits = { what: string; blocks: number; marks: number }

/** Limits of a page: the largest pages of real documentation have 1,200 blocks and 4,500 marks. */
export const pageSize: SourceLimits = { what: 'page', blocks: 100_000, marks: 300_000 }

/** Limits of a table of contents, in which an entry is two blocks. */
export const contentsSize: SourceLimits = {
  what: 'table of contents',
  blocks: 400_000,
  marks: 1_000_000,
}

const count = (value: number): string => value.toLocaleString('en')

/** Returns the fault for a file with more blocks than its limits allow. */
export const tooManyBlocks = ({ what, blocks }: SourceLimits): Fault =>
  new Fault(
    'too_large',
    `The ${what} has more than ${count(blocks)} blocks (list items, paragraphs, headings and so on). Split it into smaller ones.`,
    { limit: 'blocks', most: blocks },
  )

const tooManyMarks = ({ what, marks }: SourceLimits): Fault =>
  new Fault(
    'too_large',
    `The ${what} has more than ${count(marks)} links, tags, HTML tags, code spans and table cells in total. Split it into smaller ones.`,
    { limit: 'marks', most: marks },
  )

type TextBlock = { kind: string; text: { start: number; end: number } }

/** The number of characters between two yields to the event loop. */
const portion = 65_536

/**
 * Counts the characters in blocks that may begin a link, an image, HTML, inline code, a table cell
 * or a tag; a run of backticks counts once. Throws 'too_large' if there are more than the limits
 * allow, before objects are created for them.
 */
export function* checkMarks(
  source: string,
  blocks: readonly TextBlock[],
  limits: SourceLimits,
): Steps<void> {
  if (source.length <= limits.marks) return
  let marks = 0
  let read = 0

  for (const { kind, text } of blocks) {
    if (kind !== 'paragraph' && kind !== 'heading' && kind !== 'html') continue
    for (let at = text.start; at < text.end; at += portion) {
      const end = Math.min(text.end, at + portion)
      marks += marksIn(source, at, end)
      if (marks > limits.marks) throw tooManyMarks(limits)
      read += end - at
      if (read < portion) continue
      read = 0
      yield
    }
  }
}

function marksIn(source: string, start: number, end: number): number {
  let marks = 0
  for (let at = start; at < end; at++) {
    const code = source.charCodeAt(at)
    if (code === 91 || code === 60 || code === 124) marks++
    else if (code === 96) marks += source.charCodeAt(at - 1) === 96 ? 0 : 1
    else if (code === 123) marks += source.charCodeAt(at + 1) === 37 ? 1 : 0
  }
  return marks
}

/** Reports whether an error was thrown because of one of these limits. */
export const isOverLimit = (error: unknown): boolean =>
  error instanceof Fault && error.kind === 'too_large' && error.detail?.most !== undefined

/**
 * Runs steps on a file that came with Git. Returns `otherwise` if the file is too large to be
 * parsed.
 */
export function* withinLimits<Result, Other>(
  work: Steps<Result>,
  otherwise: Other,
): Steps<Result | Other> {
  try {
    return yield* work
  } catch (error) {
    if (!isOverLimit(error)) throw error
    return otherwise
  }
}
