import { atOnce } from '../../lib/slices.ts'
import { checkPage } from '../markdown/blocks.ts'
import { type FrontMatter, readFrontMatter, splitFrontMatter } from '../markdown/front-matter.ts'
import { isOverLimit } from '../markdown/limits.ts'
import { decode } from '../text/bytes.ts'
import type { Issue } from '../text/issues.ts'
import { isBlank } from '../text/lines.ts'
import { findHeading } from './edit.ts'
import { mayVary } from './varies.ts'

/**
 * The facts of a page's file that the page tree needs. JSON-serialisable, so that they can be kept
 * per blob.
 */
export type PageFacts = {
  frontMatter: FrontMatter
  h1?: string
  /** True for a page with nothing but front matter and its own heading. */
  empty: boolean
  issues: Issue[]
  /**
   * The text may have expressions, conditions or comments, so that readers get another text;
   * `heading`: in the h1 too.
   */
  varies?: 'text' | 'heading'
  /** The front matter has a condition that cannot be read. */
  closed?: true
}

/** Increased whenever the same bytes would result in other facts. */
export const factsVersion = 4

const wholeLimit = 1024 * 1024
const headLimit = 64 * 1024

/**
 * Reads the facts of a page's file. Never throws. Of a file over 1 MB, only the front matter is
 * read.
 */
export function readPageFacts(bytes: Uint8Array): PageFacts {
  const long = bytes.length > wholeLimit
  const { text, exact } = decode(long ? bytes.subarray(0, headLimit) : bytes)
  const { data, issues } = readFrontMatter(text)
  const facts: PageFacts = { frontMatter: data, empty: false, issues }

  if (long) {
    issues.push({ message: 'The file is over 1 MB; only its front matter is read.' })
    return { ...facts, varies: 'text', ...(hasLostCondition(text, facts) && { closed: true }) }
  }

  if (!exact) issues.push({ message: 'The file is not valid UTF-8 and cannot be edited here.' })

  const oversize = problemOf(text)
  if (oversize) issues.push({ message: `${oversize} Until then, it is shown as source.` })

  const heading = findHeading(text)
  if (heading) facts.h1 = heading.text
  facts.empty = isBlank(text, heading?.end ?? splitFrontMatter(text).body, text.length)
  if (mayVary(text))
    facts.varies =
      heading && mayVary(text.slice(heading.range.start, heading.range.end)) ? 'heading' : 'text'
  if (hasLostCondition(text, facts)) facts.closed = true

  return facts
}

/**
 * Returns whether front matter has a key `if` with a value that was not read: unreadable YAML, or
 * no expression.
 */
function hasLostCondition(text: string, { frontMatter, issues }: PageFacts): boolean {
  if (frontMatter.condition !== undefined || issues.length === 0) return false
  const { yaml } = splitFrontMatter(text)
  return (
    yaml !== null &&
    /^["']?if["']?[ \t]*:[ \t]*(?:[^\s#]|\r?\n[ \t]+\S)/m.test(text.slice(yaml.start, yaml.end))
  )
}

/** Returns a message if a page is too large to be parsed, undefined otherwise. */
function problemOf(text: string): string | undefined {
  try {
    atOnce(checkPage(text))
    return undefined
  } catch (error) {
    if (!isOverLimit(error)) throw error
    return (error as Error).message
  }
}
