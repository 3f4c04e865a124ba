import type { Steps } from '../../lib/slices.ts'
import { headingList } from '../markdown/anchor.ts'
import { titledComponent } from '../markdown/components.ts'
import { decodeEntities } from '../markdown/entities.ts'
import { withinLimits } from '../markdown/limits.ts'
import { plainText } from '../markdown/plain-text.ts'
import { findTags, tagAttribute } from '../markdown/tags.ts'
import { decode } from '../text/bytes.ts'
import { lineCounter } from '../text/issues.ts'
import { type Fault, faultSteps } from './faults.ts'
import { linkSteps, noFindings } from './find.ts'
import { type Unread, unreadSteps } from './unread.ts'

/** A link of a file. `at` is an offset into its text, `line` counts from 1. */
export type LinkFact = {
  at: number
  line: number
  /** The target, unescaped; for `spec` the slug of a spec. */
  target: string
  /** Set when the page shows the content of the target; absent for a link that leads away. */
  how?: 'include' | 'openapi' | 'spec'
}

/**
 * The links of a file and the anchors that links to it may name. JSON-serialisable, so that it can
 * be kept per blob.
 */
export type LinkFacts = {
  links: LinkFact[]
  /** The ids in its HTML. */
  ids: string[]
  /** The titles that become anchors: those of headings, details and tabs. */
  titles: string[]
  /** Syntax of other tools that is not understood; undefined for none. */
  unread?: Unread[] | undefined
  /** Blocks without an end, markers of conflicts, unknown keys; undefined for none. */
  faults?: Fault[] | undefined
}

/** Increased whenever the same bytes would result in other facts. */
export const linkFactsVersion = 6

/** Longer files have no facts. */
export const linkedFileLimit = 1024 * 1024

/** The most links and the most anchors of each kind that are kept of one file. */
const mostLinks = 5_000
const mostAnchors = 2_000
const longestTitle = 300

/** The containers of other tools whose titles are anchors. */
const isAnchor: ReadonlySet<string | undefined> = new Set(['details', 'tab'])

const ids = /\s(?:id|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`%]+))/g
const summaries = /<summary>([^<]*)<\/summary>/gi

/**
 * Reads the links and anchors of a Markdown file, in steps. Never throws; a file over
 * `linkedFileLimit` bytes or too large to be parsed has none.
 */
export function* linkFactSteps(bytes: Uint8Array): Steps<LinkFacts> {
  const facts: LinkFacts = { links: [], ids: [], titles: [] }
  if (bytes.length > linkedFileLimit) return facts
  const { text } = decode(bytes)
  const { links, specs, blocks } = yield* withinLimits(linkSteps(text), noFindings)
  const lineAt = lineCounter(text)
  const found = links.map(({ raw, target, tag }): Omit<LinkFact, 'line'> => {
    const how =
      tag === 'include' ? 'include' : /^(?:openapi|swagger)/.test(tag ?? '') ? 'openapi' : undefined
    return { at: raw.start, target, ...(how && { how }) }
  })

  for (const { at, slug } of specs) found.push({ at, target: slug, how: 'spec' })
  if (specs.length > 0) found.sort((a, b) => a.at - b.at)
  facts.links = found
    .slice(0, mostLinks)
    .map(({ at, ...rest }) => ({ at, line: lineAt(at), ...rest }))
  facts.unread = yield* unreadSteps(text, blocks, lineAt)
  facts.faults = yield* faultSteps(text, blocks, lineAt)
  let read = 0

  for (const block of blocks) {
    const { kind, text: range } = block
    if (kind !== 'heading' && kind !== 'paragraph' && kind !== 'html') continue
    const isTitle = kind === 'heading' || (kind === 'paragraph' && isAnchor.has(block.titleOf))
    const list = kind === 'heading' ? headingList(text, range) : undefined
    if (list?.id !== undefined && facts.ids.length < mostAnchors)
      facts.ids.push(Buffer.from(list.id).toString())
    readAnchors(facts, isTitle, text, { ...range, end: list?.start ?? range.end })
    read += range.end - range.start
    if (read < 65_536) continue
    read = 0
    yield
  }

  return facts
}

/** Returns the titles of components that become anchors. */
const anchorTitles = (part: string): string[] =>
  Array.from(part.matchAll(titledComponent), ([tag, double, single]) =>
    /^<(?:Accordion|Tab|TabItem)\s/.test(tag) ? (double ?? single ?? '') : '',
  )

function readAnchors(
  facts: LinkFacts,
  isTitle: boolean,
  text: string,
  { start, end }: { start: number; end: number },
): void {
  const part = text.slice(start, end)
  const add = (list: string[], value: string | undefined) => {
    // A copy: a slice would keep the whole text in memory.
    if (value && list.length < mostAnchors)
      list.push(Buffer.from(value.slice(0, longestTitle)).toString())
  }
  if (isTitle) add(facts.titles, plainText(text, start, Math.min(end, start + 4 * longestTitle)))
  if (part.includes('<summary>'))
    for (const found of part.matchAll(summaries)) add(facts.titles, decodeEntities(found[1]!))

  for (const title of anchorTitles(part)) add(facts.titles, decodeEntities(title))

  if (part.includes('{%'))
    for (const tag of findTags(part))
      if (tag.name === 'tab' && !tag.closes)
        add(facts.titles, tagAttribute(part, tag, 'title')?.value)

  if (/\s(?:id|name)\s*=/.test(part))
    for (const found of part.matchAll(ids))
      add(facts.ids, decodeEntities(found[1] ?? found[2] ?? found[3]!))
}
