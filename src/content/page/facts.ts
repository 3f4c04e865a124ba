import { atOnce } from '../../lib/slices.ts'
import { checkPage } from '../markdown/blocks.ts'
import { type FrontMatter, readFrontMatter, splitFrontMatter } from '../markdown/front-matter.ts'
import { isOverLimit } from '../markdown/limits.ts'
import { decode } from '../text/bytes.ts'
import type { Issue } from '../text/issues.ts'
import { isBlank } from '../text/lines.ts'
import { findHeading } from './edit.ts'
import { mayDiffer, mayVary } from './varies.ts'

/**
 * The facts of a page's file that the page tree needs. JSON-serialisable, so that they can be kept
 * per blob.
 */
export type PageFacts = {
  frontMatter: FrontMatter
  h1?: string
  /** The heading of an MDX file below lines that import components. */
  mdxHeading?: string
  /** True for a page with nothing but front matter and its own heading. */
  empty: boolean
  issues: Issue[]
  /**
   * The text may have expressions, conditions or comments, so that readers get another text;
   * `heading`: in the h1 too.
   */
  varies?: 'text' | 'heading'
  /** The text may have expressions or conditions, so that readers get different texts. */
  differs?: true
  /** The front matter has a condition, or a `draft`, that cannot be read. */
  closed?: true
}

/** Increased whenever the same bytes would result in other facts. */
export const factsVersion = 15

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
  const frontMatter = withDraft(data, text, issues)
  const facts: PageFacts = { frontMatter, empty: false, issues }

  if (long) {
    issues.push({ message: 'The file is over 1 MB; only its front matter is read.' })
    if (hasLostGuard(text, facts)) facts.closed = true
    return { ...facts, varies: 'text', differs: true }
  }

  if (!exact) issues.push({ message: 'The file is not valid UTF-8 and cannot be edited here.' })

  const oversize = problemOf(text)
  if (oversize) issues.push({ message: `${oversize} Until then, it is shown as source.` })

  const heading = findHeading(text)
  if (heading) facts.h1 = heading.text
  else if (/^(?:import[ \t]|\{\/\*)/m.test(text)) {
    const below = findHeading(text, 'page.mdx')
    if (below) facts.mdxHeading = below.text
  }
  facts.empty = isBlank(text, heading?.end ?? splitFrontMatter(text).body, text.length)
  if (mayVary(text))
    facts.varies =
      heading && mayVary(text.slice(heading.range.start, heading.range.end)) ? 'heading' : 'text'
  if (mayDiffer(text)) facts.differs = true
  if (hasLostGuard(text, facts)) facts.closed = true

  return facts
}

/**
 * Returns whether front matter has a key `if` or `draft` with a value that was not read: unreadable
 * YAML, or a value of another kind.
 */
function hasLostGuard(text: string, { frontMatter, issues }: PageFacts): boolean {
  const { yaml } = splitFrontMatter(text)
  if (issues.length === 0 || yaml === null) return false
  const source = text.slice(yaml.start, yaml.end)
  const isLost = (key: string, value: unknown): boolean =>
    value === undefined &&
    new RegExp(`^["']?${key}["']?[ \\t]*:[ \\t]*(?:[^\\s#]|\\r?\\n[ \\t]+\\S)`, 'm').test(source)
  return isLost('if', frontMatter.condition) || isLost('draft', frontMatter.draft)
}

/** Adds to front matter that its page is a draft, if only a line says so. */
const withDraft = (read: FrontMatter, text: string, issues: readonly Issue[]): FrontMatter =>
  read.draft === undefined && saysDraft(text, issues) ? { ...read, draft: true } : read

/** The most lines of indented or open front matter that are read. */
const mostOpenLines = 40

/**
 * Returns whether a line says that a page is a draft, in front matter that is not valid YAML, is
 * indented or has no end.
 */
function saysDraft(text: string, issues: readonly Issue[]): boolean {
  const { yaml } = splitFrontMatter(text)
  if (yaml) {
    const isBroken = issues.some(({ message }) => /YAML/.test(message))
    return isBroken && draftLine.test(text.slice(yaml.start, yaml.end))
  }

  const [opening = '', ...lines] = text
    .slice(0, headLimit)
    .trimStart()
    .split(/\r\n?|\n/)
  if (opening.trim() !== '---') return false
  const first = lines.slice(0, mostOpenLines)
  const close = first.findIndex(line => /^\s*(?:---|\.\.\.)\s*$/.test(line))
  const end = close === -1 ? first.findIndex(line => line.trim() === '') : close
  return draftLine.test(first.slice(0, end === -1 ? undefined : end).join('\n'))
}

const draftLine =
  /^[ \t]*["']?draft["']?[ \t]*:[ \t]*["']?(?:true|yes|on|y)["']?[ \t]*(?:#.*)?\r?$/im

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
