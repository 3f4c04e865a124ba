import { atOnce } from '../../lib/slices.ts'
import { checkPage, firstBlock } from '../markdown/blocks.ts'
import { type FrontMatter, readFrontMatter, splitFrontMatter } from '../markdown/front-matter.ts'
import { isOverLimit } from '../markdown/limits.ts'
import { decode } from '../text/bytes.ts'
import type { Issue } from '../text/issues.ts'
import { isBlank } from '../text/lines.ts'
import { findHeading } from './edit.ts'

/**
 * What the page tree needs to know of a page's file; JSON-serialisable, so it can be kept per blob. `empty`:
 * there is nothing on the page besides front matter and its own heading.
 */
export type PageFacts = { frontMatter: FrontMatter; h1?: string; empty: boolean; issues: Issue[] }

/** Changes whenever the same bytes would give other facts. */
export const factsVersion = 2

const wholeLimit = 1024 * 1024
const headLimit = 64 * 1024

/** Reads what a page's file says of itself. Never throws; of a file over 1 MB only the front matter is read. */
export const readPageFacts = (bytes: Uint8Array): PageFacts => {
  const long = bytes.length > wholeLimit
  const { text, exact } = decode(long ? bytes.subarray(0, headLimit) : bytes)
  const { data, issues } = readFrontMatter(text)
  const facts: PageFacts = { frontMatter: data, empty: false, issues }
  if (long) {
    issues.push({ message: 'The file is over 1 MB; only its front matter is read.' })
    return facts
  }
  if (!exact) issues.push({ message: 'The file is not valid UTF-8 and cannot be edited here.' })
  const oversize = problemOf(text)
  if (oversize) issues.push({ message: `${oversize} Until then, it is shown as it is written.` })
  const heading = findHeading(text)
  if (heading) facts.h1 = heading.text
  const { body } = splitFrontMatter(text)
  const after = heading ? (firstBlock(text, body)?.end ?? body) : body
  facts.empty = isBlank(text, after, text.length)
  return facts
}

/** Returns a sentence about what makes a page too large to be parsed; undefined for all others. */
function problemOf(text: string): string | undefined {
  try {
    atOnce(checkPage(text))
    return undefined
  } catch (error) {
    if (!isOverLimit(error)) throw error
    return (error as Error).message
  }
}
